"""Tests/Vectors/air-protocol-1.json, all of it that a holder does."""

from __future__ import annotations

import unittest
import uuid
from typing import Any

from latchkey_holder import carriers, protocol
from latchkey_holder.protocol import Command, DoorKeys

from .vectors import VECTORS


def keys(case: dict[str, Any]) -> DoorKeys:
    return DoorKeys.derive(
        secret=bytes.fromhex(case['secret']),
        site_id=uuid.UUID(case['siteID']).bytes,
        site_key=bytes.fromhex(case['siteKey']),
        target=case['target'],
    )


def freshness(case: dict[str, Any]) -> bytes:
    if case['mode'] == 'time':
        return protocol.time_freshness(protocol.slot_at(case['unixSeconds'], case['slotSeconds']))
    return protocol.challenge_freshness(bytes.fromhex(case['challenge']))


class Cases(unittest.TestCase):
    def test_keys(self) -> None:
        for number, case in enumerate(VECTORS['cases']):
            with self.subTest(case=number):
                derived = keys(case)
                self.assertEqual(derived.frame_key.hex(), case['frameKey'])
                self.assertEqual(derived.hint_secret.hex(), case['hintSecret'])
                self.assertEqual(derived.hint_root.hex(), case['hintRoot'])
                self.assertEqual(freshness(case).hex(), case['freshness'])
                self.assertEqual(derived.block(freshness(case)).hex(), case['block'])

    def test_commands(self) -> None:
        for number, case in enumerate(VECTORS['cases']):
            with self.subTest(case=number):
                sequence, command, argument, flags, press = bytes.fromhex(case['commandPlaintext'])
                frame = keys(case).seal(
                    freshness(case),
                    command=Command(command),
                    argument=argument,
                    sequence=sequence,
                    press=press,
                    answer=bool(flags),
                )
                self.assertEqual(frame.hex(), case['commandFrame'])

    def test_carriers(self) -> None:
        for number, case in enumerate(VECTORS['cases']):
            with self.subTest(case=number):
                frame, expected = bytes.fromhex(case['commandFrame']), case['carriers']
                self.assertEqual(carriers.uuid128_text(frame), expected['uuid128Text'])
                self.assertEqual(carriers.name_text(frame, case['nameMarker']), expected['nameText'])
                words = carriers.uuid16_words(frame, case['uuid16Marker'])
                self.assertEqual(words and [f'{word:04X}' for word in words], expected['uuid16Words'])
                for carrier in ('uuid128', 'name', 'uuid16'):
                    data = carriers.advertising_data(
                        carrier, frame, name_marker=case['nameMarker'], uuid16_marker=case['uuid16Marker']
                    )
                    self.assertEqual(data and data.hex(), expected[carrier])

    def test_answers(self) -> None:
        for number, case in enumerate(VECTORS['cases']):
            with self.subTest(case=number):
                command, frame = bytes.fromhex(case['commandFrame']), bytes.fromhex(case['answerFrame'])
                answer = keys(case).open_answer(freshness(case), command, frame)
                assert answer is not None
                plain = bytes([answer.result, answer.state]) + answer.detail.to_bytes(2, 'big') + b'\0'
                self.assertEqual(plain.hex(), case['answerPlaintext'])

    def test_answers_of_others(self) -> None:
        for entry in VECTORS['refusedAnswers']:
            with self.subTest(why=entry['why']):
                case = VECTORS['cases'][entry['case']]
                command, frame = bytes.fromhex(entry['commandFrame']), bytes.fromhex(entry['frame'])
                self.assertIsNone(keys(case).open_answer(freshness(case), command, frame))

    def test_one_bit_off(self) -> None:
        case = VECTORS['cases'][0]
        command, answer = bytes.fromhex(case['commandFrame']), bytes.fromhex(case['answerFrame'])
        for bit in range(128):
            wrong = bytearray(answer)
            wrong[bit // 8] ^= 1 << bit % 8
            self.assertIsNone(keys(case).open_answer(freshness(case), command, bytes(wrong)))


class Beacons(unittest.TestCase):
    def test_beacons(self) -> None:
        for number, entry in enumerate(VECTORS['beacons']):
            with self.subTest(beacon=number):
                key = protocol.beacon_key(bytes.fromhex(entry['siteKey']))
                self.assertEqual(key.hex(), entry['beaconKey'])
                (frame,) = carriers.frames(bytes.fromhex(entry['advertisingData']))
                self.assertEqual(frame.hex(), entry['frame'])
                beacon = protocol.open_beacon(key, frame)
                assert beacon is not None
                self.assertEqual(beacon.challenge.hex(), entry['challenge'])
                self.assertEqual((beacon.target, beacon.state), (entry['target'], entry['state']))
                self.assertEqual(beacon.slot_low, entry['slotLow'])

    def test_refused(self) -> None:
        for entry in VECTORS['refusedBeacons']:
            with self.subTest(why=entry['why']):
                key = protocol.beacon_key(bytes.fromhex(entry['siteKey']))
                self.assertIsNone(protocol.open_beacon(key, bytes.fromhex(entry['frame'])))

    def test_slots_ahead(self) -> None:
        beacon = protocol.Beacon(b'', 1, 0x41, 2)
        self.assertEqual(beacon.slots_ahead(0x1FF), 3)
        self.assertEqual(beacon.slots_ahead(0x205), -3)


class Adverts(unittest.TestCase):
    def test_frames_of_uuid_lists(self) -> None:
        """A holder looks into 128-bit lists only; the vectors' other carriers are the door's matter."""
        for entry in VECTORS['adverts']:
            data = bytes.fromhex(entry['advertisingData'])
            if not any(kind in (0x02, 0x03, 0x08, 0x09) for kind, _ in carriers.structures(data)):
                with self.subTest(what=entry['what']):
                    self.assertEqual([frame.hex() for frame in carriers.frames(data)], entry['frames'])


class Refusals(unittest.TestCase):
    def test_what_makes_no_frame(self) -> None:
        derived = keys(VECTORS['cases'][0])
        for command, argument in ((Command.LOCK, 1), (Command.LOCKDOWN, 2), (Command.UNLOCK, 256)):
            with self.assertRaises(protocol.ProtocolError):
                derived.seal(bytes(8), command=command, argument=argument, sequence=0, press=0, answer=True)
        with self.assertRaises(protocol.ProtocolError):
            protocol.challenge_freshness(bytes(8))
        with self.assertRaises(protocol.ProtocolError):
            protocol.time_freshness(1 << 63)
