"""Checks a document's worked example, table by table: each value follows from the vectors, and none is left out."""

import hmac
import json
import re

VECTORS = 'Tests/Vectors/air-protocol-1.json'
ROW = re.compile(r'\| ([^|]+?) \|.*\| `([^`]+)` \|$')


def mac(key, message):
    return hmac.digest(bytes.fromhex(key), message, 'sha256').hex()


def xor(left, right):
    return bytes(a ^ b for a, b in zip(bytes.fromhex(left), bytes.fromhex(right))).hex()


def u16(number):
    return f'{number:04x}'


def keys(case):
    # HKDF's two steps by hand, so that the example shows them: extract, then the first block of expand.
    prk = mac(case['siteID'].replace('-', ''), bytes.fromhex(case['secret']))
    info = b'latchkey/1 credential' + case['target'].to_bytes(2, 'big')
    okm = mac(prk, info + b'\x01')
    assert okm == case['frameKey'] + case['hintSecret']
    return [
        ('site id', case['siteID']),
        ('site key', case['siteKey']),
        ('secret', case['secret']),
        ('target, u16be', u16(case['target'])),
        ('prk', prk),
        ('info', info.hex()),
        ('okm', okm),
        ('frameKey', case['frameKey']),
        ('hintSecret', case['hintSecret']),
        ('hintRoot', mac(case['siteKey'], b'latchkey/1 hint' + case['target'].to_bytes(2, 'big'))),
    ]


def block(case):
    hint_key = mac(case['hintRoot'], bytes.fromhex(case['freshness']))[:32]
    assert hint_key == case['hintKey']
    return [
        ('F', case['freshness']),
        ('hintKey', hint_key),
        ('AES(hintKey, hintSecret)', xor(case['block'], case['hintSecret'])),
        ('block', case['block']),
    ]


def command(case):
    plain, frame = case['commandPlaintext'], case['commandFrame']
    head, masked, tag = frame[:6], frame[6:16], frame[16:]
    assert head == case['block'][:6]
    return [
        ('plain', plain),
        ('input of the tag', '01' + case['freshness'] + u16(case['target']) + plain),
        ('tag', tag),
        ('input of the keystream', '81' + tag + '00' * 7),
        ('keystream', xor(plain, masked)),
        ('masked', masked),
        ('hint', head),
        ('frame', frame),
    ]


def answer(case):
    plain, frame = case['answerPlaintext'], case['answerFrame']
    head, masked, tag = frame[:6], frame[6:16], frame[16:]
    assert head == case['block'][6:12]
    return [
        ('frame', frame),
        ('head', head),
        ('masked', masked),
        ('tag', tag),
        ('input of the keystream', '82' + tag + '00' * 7),
        ('keystream', xor(plain, masked)),
        ('plain', plain),
        ('input of the tag', '02' + case['commandFrame'][16:] + u16(case['target']) + plain),
    ]


def carriers(case):
    said = case['carriers']
    return [
        ('UUID', said['uuid128Text']),
        ('advertising data, uuid128', said['uuid128']),
        ('name', said['nameText']),
        ('advertising data, name', said['name']),
        ('words', ' '.join(said['uuid16Words'])),
        ('advertising data, uuid16', said['uuid16']),
    ]


def beacon(entry):
    challenge, masked, tag = entry['frame'][:16], entry['frame'][16:24], entry['frame'][24:]
    plain = u16(entry['target']) + bytes([entry['state'], entry['slotLow']]).hex()
    return [
        ('beaconKey', mac(entry['siteKey'], b'latchkey/1 beacon')[:32]),
        ('advertising data', entry['advertisingData']),
        ('frame', entry['frame']),
        ('challenge', challenge),
        ('masked', masked),
        ('tag', tag),
        ('input of the keystream', '83' + challenge + tag + '00' * 3),
        ('keystream', xor(plain, masked)),
        ('plain', plain),
        ('input of the tag', '03' + challenge + '00' * 3 + plain),
    ]


def tables():
    """By the heading under which they stand."""
    vectors = json.load(open(VECTORS, encoding='utf-8'))
    by_time, by_challenge = vectors['cases'][38], vectors['cases'][1]
    return {
        'Keys': keys(by_time),
        'A frame by time': block(by_time) + command(by_time),
        'On the air': carriers(by_time),
        'The answer': answer(by_time),
        'A beacon': beacon(vectors['beacons'][0]),
        'Keys of the second credential': keys(by_challenge)[2:],
        'A frame by challenge': block(by_challenge) + command(by_challenge) + carriers(by_challenge)[:2],
        'Its answer': answer(by_challenge),
    }


def check(path):
    found, heading = {}, None
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        if line.startswith('#'):
            heading = line.lstrip('#').strip()
        elif row := ROW.match(line.rstrip('\n')):
            found.setdefault(heading, []).append((number, row.group(1), row.group(2)))
    for title, expected in tables().items():
        rows = found.get(title, [])
        if [name for _, name, _ in rows] != [name for name, _ in expected]:
            yield f'{path}: under "{title}" stand other rows than {", ".join(name for name, _ in expected)}'
            continue
        for (number, name, value), (_, right) in zip(rows, expected):
            if value != right:
                yield f'{path}:{number}: {name} is {right}, and not {value}'
