"""The exchange, second by second, with a door by script."""

from __future__ import annotations

import os
import secrets
import tempfile
import unittest

from latchkey_holder import protocol
from latchkey_holder.errors import Failure
from latchkey_holder.exchange import Exchange, Request
from latchkey_holder.hci import Report
from latchkey_holder.protocol import Answer, Command
from latchkey_holder.state import HolderState, SlotNotYet

from .door import CLOCK_TRUSTED, LOCKED, Heard, ScriptedDoor, done, silent
from .fake_air import FakeAir, advert
from .vectors import sample_credential

NOW = 1_800_000_001.0
SLOT = 360_000_000


class ExchangeTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.credential = sample_credential()
        self.state = HolderState(os.path.join(folder.name, 'state'), self.credential)
        self.door = ScriptedDoor(self.credential, done)
        self.air = FakeAir(self.door, wall=NOW)
        self.warnings: list[str] = []
        with self.state.locked(SLOT - 100):
            pass  # A state that has begun long ago.

    def exchange(self, timeout: float = 3.0, carrier: str = 'uuid128') -> Exchange:
        return Exchange(
            self.credential,
            self.credential.door('front'),
            Request(Command.UNLOCK, 0, carrier, timeout),
            state=self.state,
            radio=self.air,
            warn=self.warnings.append,
            wall_clock=self.air.wall_clock,
            monotonic=self.air.monotonic,
        )


class ByChallenge(ExchangeTest):
    def test_answered_and_silent_at_once(self) -> None:
        self.assertEqual(self.exchange().by_challenge(), Answer(1, 2, 5))
        self.assertIsNone(self.air.on_air)
        self.assertLess(self.air.elapsed, 0.5)
        (heard,) = self.door.heard
        self.assertEqual(heard.freshness, self.door.challenge)
        self.assertLess(heard.plain[0], 128)
        self.assertEqual(heard.plain[1:4], bytes([Command.UNLOCK, 0, 1]))
        self.assertEqual(self.warnings, [])

    def test_no_beacon(self) -> None:
        self.air.beacons = False
        with self.assertRaises(Failure) as failure:
            self.exchange().by_challenge()
        self.assertEqual((failure.exception.code, self.air.said), (4, []))

    def test_no_answer_three_challenges_one_press(self) -> None:
        self.door.answer = silent
        self.assertIsNone(self.exchange(timeout=20).by_challenge())
        self.assertEqual(len({heard.freshness for heard in self.door.heard}), 3)
        self.assertEqual(len({heard.press for heard in self.door.heard}), 1)

    def test_a_challenge_is_used_by_one_intent_only(self) -> None:
        self.exchange().by_challenge()
        self.assertEqual(self.exchange().by_challenge(), Answer(1, 2, 5))
        first, second = self.door.heard
        self.assertNotEqual(first.freshness, second.freshness)
        self.assertGreaterEqual(self.air.elapsed, 2)

    def test_other_answers_are_none(self) -> None:
        """The answer to another command, the command itself, and a wrong tag: heard, and not believed."""
        self.door.answer = silent

        def others() -> list[Report]:
            frames = [heard.frame for heard in self.door.heard]
            for heard in self.door.heard:
                answer = self.door.seal(heard, Answer(1, 2, 5))
                frames.append(answer[:15] + bytes([answer[15] ^ 1]))
                other = self.door.keys.seal(
                    heard.freshness, command=Command.LOCK, argument=0, sequence=200, press=1, answer=True
                )
                frames.append(self.door.seal(type(heard)(heard.freshness, other, heard.plain), Answer(1, 2, 5)))
            return [Report(advert(frame), -30) for frame in frames]

        self.air.others = others
        self.assertIsNone(self.exchange().by_challenge())
        self.assertTrue(self.door.heard)

    def test_the_strongest_that_agrees(self) -> None:
        """A forger's louder beacon names a slot of yesterday; a fainter door is taken."""
        self.door.state = LOCKED | CLOCK_TRUSTED
        stale = self.door.beacon(SLOT - 10, b'\xff' * 8)
        self.air.others = lambda: [Report(advert(stale), -20)]
        self.assertEqual(self.exchange().by_challenge(), Answer(1, 2, 5))
        self.assertEqual(len(self.air.said), 1)

    def test_a_clock_that_is_off_is_told(self) -> None:
        self.door.state = LOCKED | CLOCK_TRUSTED
        self.air.door_ahead = 300
        self.assertEqual(self.exchange().by_challenge(), Answer(1, 2, 5))
        self.assertEqual(self.warnings, ["this clock is 300 s behind the door's"])

    def test_a_louder_forger_is_left_after_a_second(self) -> None:
        forged = self.door.beacon(SLOT, b'\xfe' * 8)
        self.air.others = lambda: [Report(advert(forged), -20)]
        self.assertEqual(self.exchange().by_challenge(), Answer(1, 2, 5))
        self.assertEqual(len(self.air.said), 2)
        self.assertLess(self.air.elapsed, 2)


    def test_recorded_beacons_cost_a_challenge_and_no_more(self) -> None:
        """Of a door by challenge only, at any moment of a period: as often as the door's, louder, never changing."""
        for count in (3, 8):
            for start in (0.2 * fifth for fifth in range(10)):
                with self.subTest(count=count, start=start):
                    self.setUp()
                    recorded = [self.door.beacon(0, bytes([0xF0, number] + [7] * 6)) for number in range(count)]
                    self.air.pass_time(start)
                    self.air.others = lambda recorded=recorded: [Report(advert(frame), -20) for frame in recorded]
                    begin = self.air.elapsed
                    self.assertEqual(self.exchange().by_challenge(), Answer(1, 2, 5))
                    self.assertLess(self.air.elapsed - begin, 3.5)

    def test_the_door_among_invented_challenges(self) -> None:
        """Two hundred new ones a second, louder, each said once."""
        self.air.others = lambda: [
            Report(advert(self.door.beacon(SLOT, b'\xfd' + secrets.token_bytes(7))), -20) for _ in range(10)
        ]
        self.assertEqual(self.exchange().by_challenge(), Answer(1, 2, 5))
        self.assertEqual(len(self.air.said), 1)
        self.assertLess(self.air.elapsed, 1)


class RefusedByTime(ExchangeTest):
    def test_it_goes_on_under_a_challenge_that_the_door_shows_first_after_that(self) -> None:
        refused = Answer(8, LOCKED | CLOCK_TRUSTED, 0)
        self.door.state = LOCKED | CLOCK_TRUSTED
        self.door.live += [protocol.time_freshness(slot) for slot in range(SLOT - 2, SLOT + 10)]

        def answer(heard: Heard) -> Answer:
            if heard.freshness[0] & 0x80:
                return Answer(1, 2, 5)
            self.door.end_challenges()
            return refused

        self.door.answer = answer
        exchange = self.exchange()
        self.assertEqual(exchange.by_time(), refused)
        shown = self.door.challenge
        self.assertEqual(exchange.by_challenge(refused_by_time=True), Answer(1, 2, 5))
        self.assertEqual(len(self.air.said), 2)
        self.assertNotEqual(self.door.heard[-1].freshness, shown)
        self.assertEqual(len({heard.press for heard in self.door.heard}), 1)


class ByTime(ExchangeTest):
    def setUp(self) -> None:
        super().setUp()
        self.air.beacons = False
        self.door.live += [protocol.time_freshness(slot) for slot in range(SLOT - 2, SLOT + 10)]

    def test_answered(self) -> None:
        self.assertEqual(self.exchange().by_time(), Answer(1, 2, 5))
        (heard,) = self.door.heard
        self.assertEqual((heard.freshness, heard.plain[0]), (protocol.time_freshness(SLOT), 0))

    def test_a_new_state_waits_for_the_next_slot(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.state = HolderState(folder, self.credential)
            self.assertEqual(self.exchange().by_time(), Answer(1, 2, 5))
        self.assertEqual(self.door.heard[0].freshness, protocol.time_freshness(SLOT + 1))
        self.assertGreaterEqual(self.air.elapsed, 4)

    def test_new_frames_of_the_same_press(self) -> None:
        self.door.answer = silent
        self.assertIsNone(self.exchange(timeout=9.5).by_time())
        self.assertEqual(len(self.door.heard), 4)  # Slot ends at 4, 9 s; each 4 s within one.
        self.assertEqual(len({heard.press for heard in self.door.heard}), 1)

    def test_presses_of_two_intents(self) -> None:
        self.exchange().by_time()
        self.exchange().by_time()
        first, second = self.door.heard
        self.assertEqual((second.press - first.press) % 256, 1)
        self.assertEqual((first.freshness, second.plain[0]), (second.freshness, 1))

    def test_no_frame_where_the_clock_is_off(self) -> None:
        self.air.beacons, self.air.door_ahead, self.door.state = True, 300, LOCKED | CLOCK_TRUSTED
        with self.assertRaises(Failure) as failure:
            self.exchange().by_time()
        self.assertEqual((failure.exception.code, self.air.said), (75, []))
        self.assertIn('300 s behind', str(failure.exception))

    def test_no_frame_where_the_door_takes_none(self) -> None:
        self.air.beacons = True
        with self.assertRaises(Failure):
            self.exchange().by_time()
        self.assertEqual(self.air.said, [])

    def test_none_after_a_challenge_frame(self) -> None:
        self.air.beacons = True
        self.exchange().by_challenge()
        self.air.beacons = False
        with self.assertRaises(Failure) as failure:
            self.exchange().by_time()
        self.assertEqual(failure.exception.code, 75)

    def test_how_long_none_follows_a_challenge_frame(self) -> None:
        """The skew twice, the slot itself, and what two challenge periods reach into (docs/protocol.md)."""
        self.air.beacons = True
        self.exchange().by_challenge()
        with self.state.locked(SLOT) as book, self.assertRaises(SlotNotYet) as wait:
            book.use_time(2, SLOT + 1, 2, lambda slot, sequence: True)
        self.assertEqual(wait.exception.slot, SLOT + 6)

    def test_words_that_repeat(self) -> None:
        """Every sequence is tried until the nine words differ, and what is sent says the same."""
        exchange = self.exchange(carrier='uuid16')
        self.assertIsNone(exchange.by_time())  # The scripted door looks into 128-bit lists only.
        (data,) = {data for _, data in self.air.said}
        self.assertEqual(data[3:5], bytes([0x13, 0x03]))
        self.assertEqual(len({data[i : i + 2] for i in range(5, 23, 2)}), 9)
