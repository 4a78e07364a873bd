"""Keys, frames, beacons and answers of the air protocol, version 1 (docs/protocol.md). No input and no output."""

from __future__ import annotations

import enum
import hmac
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FRAME_BYTES = 16
FLAG_ANSWER = 0x01


class ProtocolError(ValueError):
    """What was asked for isn't a thing of the protocol."""


class Command(enum.IntEnum):
    UNLOCK = 1
    LOCK = 2
    HOLD = 3
    RELEASE = 4
    STATUS = 5
    LOCKDOWN = 6
    DURESS = 7

    def takes(self, argument: int) -> bool:
        """Unlock: seconds. Hold: minutes. Lockdown: 0 or 1. All others: 0 and nothing else."""
        highest = {Command.UNLOCK: 255, Command.HOLD: 255, Command.LOCKDOWN: 1}.get(self, 0)
        return 0 <= argument <= highest


RESULTS = {
    1: 'done',
    2: 'not permitted',
    3: 'outside permitted times',
    4: 'expired, not yet valid, or used up',
    5: 'locked down',
    6: 'the lock hardware failed',
    7: 'revoked',
    8: "this freshness isn't accepted here now",
    9: 'a second person is awaited',
    10: 'passed already',
}
STATES = {0: 'unknown', 1: 'locked', 2: 'unlocked', 3: 'held open', 4: 'locked down'}
RESULT_DONE, RESULT_LOCK_FAILED, RESULT_FRESHNESS = 1, 6, 8
NO_END = 65535


def aes(key: bytes, block: bytes) -> bytes:
    """AES-128 of exactly one block."""
    if len(key) != 16 or len(block) != 16:
        raise ProtocolError('AES-128 takes a key and a block of 16 bytes')
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # One block: there is nothing to chain.
    return encryptor.update(block) + encryptor.finalize()


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, 'sha256')


def xor(left: bytes, right: bytes) -> bytes:
    """As long as the shorter of the two."""
    return bytes(a ^ b for a, b in zip(left, right, strict=False))


def u16(number: int) -> bytes:
    return number.to_bytes(2, 'big')


def slot_at(unix_seconds: float, slot_seconds: int) -> int:
    """The slot of a moment; moments before 1970 are in slot 0."""
    return max(0, int(unix_seconds // slot_seconds))


def time_freshness(slot: int) -> bytes:
    if not 0 <= slot < 1 << 63:
        raise ProtocolError(f'no slot: {slot}')
    return slot.to_bytes(8, 'big')


def challenge_freshness(challenge: bytes) -> bytes:
    """Refuses a first bit 0: whoever forged such a beacon would name a slot of tomorrow."""
    if len(challenge) != 8 or not challenge[0] & 0x80:
        raise ProtocolError('a challenge is 8 bytes, and its first bit is 1')
    return challenge


@dataclass(frozen=True)
class Answer:
    result: int
    state: int
    detail: int

    @property
    def door_state(self) -> int:
        return self.state & 0x0F


@dataclass(frozen=True)
class Beacon:
    challenge: bytes
    target: int
    state: int
    slot_low: int

    @property
    def takes_time(self) -> bool:
        """Whether the door's clock is trusted: only then slot_low means anything."""
        return bool(self.state & 0x40)

    def slots_ahead(self, own_slot: int) -> int:
        """By how many slots the door's clock is ahead of ours, -128…127."""
        return (self.slot_low - own_slot + 128) % 256 - 128


def beacon_key(site_key: bytes) -> bytes:
    return hmac_sha256(site_key, b'latchkey/1 beacon')[:16]


def open_beacon(key: bytes, frame: bytes) -> Beacon | None:
    """What a door says, or None where these bytes are no beacon of the site."""
    challenge, tag = frame[:8], frame[12:]
    if len(frame) != FRAME_BYTES or not challenge[0] & 0x80:
        return None
    plain = xor(frame[8:12], aes(key, b'\x83' + challenge + tag + bytes(3)))
    expected = aes(key, b'\x03' + challenge + bytes(3) + plain)[:4]
    if not hmac.compare_digest(tag, expected):
        return None
    target = int.from_bytes(plain[:2], 'big')
    return Beacon(challenge, target, plain[2], plain[3]) if target else None


@dataclass(frozen=True)
class DoorKeys:
    """One holder's keys for one door."""

    target: int
    frame_key: bytes
    hint_secret: bytes
    hint_root: bytes

    @classmethod
    def derive(cls, *, secret: bytes, site_id: bytes, site_key: bytes, target: int) -> DoorKeys:
        if len(secret) != 32 or len(site_id) != 16 or len(site_key) != 32:
            raise ProtocolError('secret and site key are 32 bytes, a site id 16')
        if not 1 <= target <= 65535:
            raise ProtocolError(f'a door number is 1…65535: {target}')
        info = b'latchkey/1 credential' + u16(target)
        okm = HKDF(hashes.SHA256(), length=32, salt=site_id, info=info).derive(secret)
        return cls(target, okm[:16], okm[16:], hmac_sha256(site_key, b'latchkey/1 hint' + u16(target)))

    def block(self, freshness: bytes) -> bytes:
        """Its first three bytes begin a command frame, the next three the answer."""
        hint_key = hmac_sha256(self.hint_root, freshness)[:16]
        return xor(aes(hint_key, self.hint_secret), self.hint_secret)

    def seal(
        self, freshness: bytes, *, command: Command, argument: int, sequence: int, press: int, answer: bool
    ) -> bytes:
        """The command frame of 16 bytes."""
        if not command.takes(argument):
            raise ProtocolError(f'{command.name.lower()} takes no argument {argument}')
        plain = bytes([sequence, command, argument, FLAG_ANSWER if answer else 0, press])
        tag = aes(self.frame_key, b'\x01' + freshness + u16(self.target) + plain)[:8]
        masked = xor(plain, aes(self.frame_key, b'\x81' + tag + bytes(7)))
        return self.block(freshness)[:3] + masked + tag

    def open_answer(self, freshness: bytes, command_frame: bytes, frame: bytes) -> Answer | None:
        """The door's answer to command_frame, or None where these bytes aren't it."""
        if len(frame) != FRAME_BYTES or len(command_frame) != FRAME_BYTES:
            return None
        if frame[:3] != self.block(freshness)[3:6]:  # Not secret, and it spares the work for other people's adverts.
            return None
        tag = frame[8:]
        plain = xor(frame[3:8], aes(self.frame_key, b'\x82' + tag + bytes(7)))
        expected = aes(self.frame_key, b'\x02' + command_frame[8:] + u16(self.target) + plain)[:8]
        if not hmac.compare_digest(tag, expected):
            return None
        return Answer(plain[0], plain[1], int.from_bytes(plain[2:4], 'big'))
