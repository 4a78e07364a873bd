"""Bytes of a controller, whole, in pieces and hostile."""

from __future__ import annotations

import unittest

from latchkey_holder.errors import Failure
from latchkey_holder.hci import Deframer, Report, reports

COMPLETE = bytes.fromhex('040e0401030c00')
REPORT = bytes.fromhex('0300' + '665544332211' + '03' + '020106' + 'c4')


class Framing(unittest.TestCase):
    def test_byte_by_byte_and_glued(self) -> None:
        stream = COMPLETE + bytes.fromhex('0201000100aa') + COMPLETE
        expected = [COMPLETE, bytes.fromhex('0201000100aa'), COMPLETE]
        self.assertEqual(Deframer().feed(stream), expected)
        deframer = Deframer()
        single = [packet for byte in stream for packet in deframer.feed(bytes([byte]))]
        self.assertEqual(single, expected)

    def test_unknown_type(self) -> None:
        with self.assertRaises(Failure):
            Deframer().feed(b'\x07')


class Reports(unittest.TestCase):
    def test_several_in_one_event(self) -> None:
        one = Report(bytes.fromhex('020106'), -60)
        self.assertEqual(reports(b'\x02' + REPORT * 2), [one, one])

    def test_cut_anywhere(self) -> None:
        whole = b'\x02' + REPORT * 2
        for length in range(len(whole)):
            self.assertLessEqual(len(reports(whole[:length])), 1)

    def test_unknown_rssi_and_overlong_data(self) -> None:
        self.assertIsNone(reports(b'\x01' + REPORT[:-1] + b'\x7f')[0].rssi)
        overlong = REPORT[:8] + bytes([32]) + bytes(32) + b'\xc4'
        self.assertEqual(reports(b'\x02' + overlong + REPORT), [Report(bytes.fromhex('020106'), -60)])
