"""What a holder keeps: docs/protocol.md, "What a holder keeps"."""

from __future__ import annotations

import os
import tempfile
import unittest
from collections.abc import Callable

from latchkey_holder.errors import Failure
from latchkey_holder.state import Book, HolderState, SlotNotYet

from .vectors import sample_credential

DOOR, SKEW, PAUSE = 2, 2, 6


def any_frame(slot: int, sequence: int) -> bool:
    return True


class Slots(unittest.TestCase):
    def setUp(self) -> None:
        self.book = Book(began=100)

    def use(self, now: int, fits: Callable[[int, int], bool] = any_frame) -> tuple[int, int]:
        use = self.book.use_time(DOOR, now, SKEW, fits)
        return use.slot, use.sequence

    def test_the_first_slot_counts_as_used_up(self) -> None:
        with self.assertRaises(SlotNotYet) as wait:
            self.use(100)
        self.assertEqual(wait.exception.slot, 101)
        self.assertEqual(self.use(101), (101, 0))

    def test_sequences_rise_within_a_slot(self) -> None:
        self.assertEqual([self.use(101), self.use(101), self.use(102)], [(101, 0), (101, 1), (102, 0)])

    def test_a_sequence_that_the_carrier_cannot_have_is_left_out(self) -> None:
        self.assertEqual(self.use(101, lambda slot, sequence: sequence > 2), (101, 3))

    def test_after_255_comes_the_next_slot(self) -> None:
        for sequence in range(256):
            self.assertEqual(self.use(101), (101, sequence))
        with self.assertRaises(SlotNotYet) as wait:
            self.use(101)
        self.assertEqual(wait.exception.slot, 102)

    def test_a_clock_a_little_behind_goes_on_in_the_last_slot(self) -> None:
        self.use(110)
        self.assertEqual([self.use(109), self.use(108)], [(110, 1), (110, 2)])

    def test_a_clock_far_behind_takes_slots_never_used(self) -> None:
        self.use(105)
        self.use(110)
        use = self.book.use_time(DOOR, 104, SKEW, any_frame)
        self.assertEqual((use.slot, use.sequence, use.behind), (104, 0, 6))
        with self.assertRaises(SlotNotYet) as wait:
            self.use(105)
        self.assertEqual(wait.exception.slot, 106)

    def test_no_time_frame_after_a_challenge_frame(self) -> None:
        self.use(101)
        self.assertTrue(self.book.use_challenge(DOOR, b'\x80' * 8, 101, PAUSE))
        with self.assertRaises(SlotNotYet) as wait:
            self.use(103)
        self.assertEqual(wait.exception.slot, 107)
        self.assertEqual(self.use(107), (107, 0))

    def test_a_challenge_frame_of_a_clock_that_was_ahead(self) -> None:
        self.use(101)
        self.assertTrue(self.book.use_challenge(DOOR, b'\x80' * 8, 9000, PAUSE))
        with self.assertRaises(SlotNotYet) as wait:
            self.use(103)
        self.assertEqual(wait.exception.slot, 103 + PAUSE)
        self.assertEqual(self.use(109), (109, 0))

    def test_a_challenge_is_taken_once(self) -> None:
        self.assertTrue(self.book.use_challenge(DOOR, b'\x80' * 8, 101, PAUSE))
        self.assertFalse(self.book.use_challenge(DOOR, b'\x80' * 8, 103, PAUSE))

    def test_presses_rise_by_one(self) -> None:
        first = self.book.begin_intent()
        self.assertEqual([self.book.begin_intent(), self.book.begin_intent()], [(first + 1) % 256, (first + 2) % 256])


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, 'state')
        self.state = HolderState(self.folder, sample_credential())

    def file(self) -> str:
        (name,) = [name for name in os.listdir(self.folder) if name.endswith('.json')]
        return os.path.join(self.folder, name)

    def text(self) -> str:
        with open(self.file(), encoding='ascii') as file:
            return file.read()

    def test_what_was_taken_is_there_again(self) -> None:
        with self.state.locked(100) as book:
            press = book.begin_intent()
            book.use_time(DOOR, 101, SKEW, any_frame)
            book.use_challenge(DOOR, b'\x80' * 8, 101, PAUSE)
        with HolderState(self.folder, sample_credential()).locked(500) as again:
            self.assertEqual((again.began, again.press), (100, press))
            self.assertEqual((again.doors[DOOR].slot, again.doors[DOOR].next), (101, 1))
            self.assertFalse(again.use_challenge(DOOR, b'\x80' * 8, 101, PAUSE))
        self.assertEqual(os.stat(self.file()).st_mode & 0o777, 0o600)

    def test_damaged_state_is_refused_and_left(self) -> None:
        with self.state.locked(100) as book:
            book.begin_intent()
        whole = self.text()
        for text in ('', whole[:-1], whole.replace('alice', 'bob'), '[]', whole.replace('"began": 100', '"began": -1')):
            with open(self.file(), 'w', encoding='ascii') as file:
                file.write(text)
            with self.assertRaises(Failure) as failure, self.state.locked(100):
                pass
            self.assertEqual(failure.exception.code, 65)
            self.assertEqual(self.text(), text)
