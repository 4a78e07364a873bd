"""One intent: find the door's challenge, or take the slot; say it; wait for the answer; be silent at once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from . import carriers, protocol
from .beacons import BeaconLog, Choice
from .credential import Credential, Door
from .errors import Failure
from .hci import Report
from .protocol import Answer, Beacon, Command
from .state import HolderState, SlotNotYet

FRAMES_OF_A_REPORT = 4
CHALLENGES_OF_AN_INTENT = 3
FRAME_SECONDS = 4.0  # A door answers a frame again for so long; an intent that lasts longer needs a new one.
GATHER_SECONDS = 0.15  # Beacons come every 100 ms: so long is listened for a stronger one.
LISTEN_SECONDS = 0.3  # Three of them: so long is listened, before a frame by time, for what the door says of its clock.
PATIENCE_SECONDS = 1.0  # Without an answer under a challenge, before the next is taken.
CROWD_SECONDS = 2.0  # So long is waited until one of a crowd of beacons stands out.
RESERVE_SECONDS = 0.5  # Of an intent's time, for the answer to its last frame.
CHANGE_SECONDS = 0.3  # So much later than a period a door's next challenge is heard: three beacons, two of them lost.


class Radio(Protocol):
    def advertise(self, data: bytes) -> None: ...

    def stop_advertising(self) -> None: ...

    def listen(self, deadline: float) -> Report | None: ...


@dataclass(frozen=True)
class Request:
    command: Command
    argument: int
    carrier: str
    timeout: float  # Seconds on the air, from the first frame; and so long is waited for a beacon.


@dataclass
class Tries:
    """What an intent has tried by challenge."""

    tried: set[bytes] = field(default_factory=set)
    sent: int = 0
    since: float | None = None  # Challenges first heard up to then had their chance, or are over.
    turned: float | None = None  # When the last frame was sent; within a period the door shows another challenge.
    ended: bool = False  # The door takes none of those first heard up to since.
    choosing: float | None = None  # Since when there is one to be chosen.


class Exchange:
    """Carries out one request at one door, under one press."""

    def __init__(
        self,
        credential: Credential,
        door: Door,
        request: Request,
        *,
        state: HolderState,
        radio: Radio,
        warn: Callable[[str], None],
        wall_clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._credential, self._door, self._request = credential, door, request
        self._state, self._radio, self._warn, self._wall_clock = state, radio, warn, wall_clock
        self._now = monotonic
        self._keys, self._beacon_key = credential.keys(door), credential.beacon_key
        self._sent: list[tuple[bytes, bytes]] = []  # Freshness and frame.
        self._beacons = BeaconLog(credential.challenge_seconds)
        with state.locked(self._slot) as book:
            self._press = book.begin_intent()

    @property
    def _slot(self) -> int:
        return protocol.slot_at(self._wall_clock(), self._credential.slot_seconds)

    # By challenge

    def by_challenge(self, *, refused_by_time: bool = False) -> Answer | None:
        """The answer, or None where none came in time.

        refused_by_time: this intent's time frame was, with result 8. It ended the challenges that the door showed up to
        now, unless the door doesn't trust its clock, which looks the same: so they come last.
        """
        search_until = self._now() + self._request.timeout
        deadline: float | None = None
        tries = Tries()
        if refused_by_time:
            self._sent = []  # The refusal, said again, isn't the answer to what comes now.
            # What it showed before may be heard only now.
            known = self._beacons.has_heard(CHANGE_SECONDS, self._now())
            tries = Tries(since=self._now() + (0 if known else CHANGE_SECONDS), turned=self._now(), ended=True)
        self._gather(search_until)
        while tries.sent < CHALLENGES_OF_AN_INTENT:
            limit = deadline or search_until
            beacon = self._next(tries, limit)
            if beacon is None:  # None is shown, or those that are were used before: the next comes soon.
                if self._now() >= limit:
                    break
                if answer := self._hear(min(limit, self._now() + GATHER_SECONDS)):
                    return answer
                continue
            tries.tried.add(beacon.challenge)
            began, tries.choosing = tries.choosing, None
            if not self._take(beacon):
                continue
            if not tries.sent:
                tries.since = began
            tries.sent, tries.turned, tries.ended = tries.sent + 1, self._now(), False
            deadline = deadline or self._now() + self._request.timeout
            if answer := self._under(beacon.challenge, deadline, tries):
                return answer
        if deadline is None:
            raise Failure(4, f'no {"unused challenge" if self._beacons else "beacon"} of {self._door.name} was heard')
        return None

    def _next(self, tries: Tries, limit: float) -> Beacon | None:
        """The beacon to be taken now, where no better one is to be waited for.

        The third goes by another measure than the second: whoever fits the one doesn't fit the other.
        """
        choice = self._beacons.choose(
            self._agrees, self._now(), tried=tries.tried, since=tries.since, steadiest=tries.sent >= 2
        )
        if choice is None:
            tries.choosing = None
            return None
        if tries.choosing is None:
            tries.choosing = self._now()
        return choice.beacon if self._now() >= min(limit, self._due(choice, tries, tries.choosing, limit)) else None

    def _due(self, choice: Choice, tries: Tries, since: float, limit: float) -> float:
        """Until when a better beacon is waited for."""
        if tries.turned is None:
            return since + (CROWD_SECONDS if choice.is_doubtful else 0)
        if choice.is_new:
            return min(since + CROWD_SECONDS, limit - RESERVE_SECONDS) if choice.is_doubtful else since
        change = tries.turned + self._credential.challenge_seconds + CHANGE_SECONDS
        if tries.ended:
            return change
        # One of several that were there before is the door's by chance only: its next is waited for, where that helps.
        last = tries.sent == CHALLENGES_OF_AN_INTENT - 1
        if choice.candidates > 1 and change <= limit and (last or change - self._now() <= 1.5 * PATIENCE_SECONDS):
            return change
        return since + (CROWD_SECONDS if choice.is_doubtful else 0)

    def _take(self, beacon: Beacon) -> bool:
        """Makes durable that its challenge is used; False where it was before."""
        now = self._slot
        with self._state.locked(now) as book:
            if not book.use_challenge(self._door.target, beacon.challenge, now, self._credential.challenge_pause):
                return False
        if not self._agrees(beacon):
            self._warn(self._difference(beacon))
        return True

    def _under(self, challenge: bytes, deadline: float, tries: Tries) -> Answer | None:
        """Says it under one challenge, until it is answered, it is late, or another challenge is better."""
        freshness = protocol.challenge_freshness(challenge)
        sequence = secrets.randbelow(128)
        last = tries.sent == CHALLENGES_OF_AN_INTENT
        patience = self._now() + PATIENCE_SECONDS
        while self._now() < deadline:
            while sequence < 256 and not self._send(freshness, sequence):
                sequence += 1
            sequence += 1
            renewal = min(deadline, self._now() + FRAME_SECONDS)
            while self._now() < renewal:
                if answer := self._hear(min(renewal, self._now() + GATHER_SECONDS)):
                    return answer
                if not last and self._now() >= patience and self._next(tries, deadline):
                    return None
        return None

    def _gather(self, deadline: float) -> None:
        """Until a beacon is there, and a little longer, for a stronger one."""
        while not self._beacons and self._now() < deadline:
            self._hear(min(deadline, self._now() + GATHER_SECONDS))
        self._hear(self._now() + GATHER_SECONDS)

    def _agrees(self, beacon: Beacon) -> bool:
        """A door that takes no time frames says nothing of its slot."""
        return not beacon.takes_time or abs(beacon.slots_ahead(self._slot)) <= self._credential.skew_slots

    def _difference(self, beacon: Beacon) -> str:
        ahead = beacon.slots_ahead(self._slot) * self._credential.slot_seconds
        return f"this clock is {abs(ahead)} s {'behind' if ahead > 0 else 'ahead of'} the door's"

    # By time

    def by_time(self) -> Answer | None:
        """The answer, or None where none came in time."""
        self._hear(self._now() + LISTEN_SECONDS)
        self._check_clock()
        deadline: float | None = None
        while deadline is None or self._now() < deadline:
            moment = self._next_by_time(deadline is not None)
            if deadline is None and self._sent:
                deadline = self._now() + self._request.timeout
            if answer := self._hear(min(moment, deadline) if deadline else moment):
                return answer
        return None

    def _next_by_time(self, on_air: bool) -> float:
        """Takes a slot and sends, or finds that it has to wait; the moment at which to come here again."""
        skew, seconds = self._credential.skew_slots, self._credential.slot_seconds
        now = self._slot
        try:
            with self._state.locked(now) as book:
                use = book.use_time(self._door.target, now, skew, self._fits)
        except SlotNotYet as wait:
            if not on_air and wait.slot - now > skew + 1:
                raise Failure(75, f'the next slot that is free is {wait.slot - now} slots away') from None
            return self._now() + max(0.0, wait.slot * seconds - self._wall_clock())
        if use.behind:
            self._warn(f'this clock is {use.behind * seconds} s behind the frame sent last: it is wrong, or was')
        self._send(protocol.time_freshness(use.slot), use.sequence)
        left = (use.slot + 1) * seconds - self._wall_clock()
        return self._now() + min(FRAME_SECONDS, max(0.05, left))

    def _fits(self, slot: int, sequence: int) -> bool:
        return self._data(self._seal(protocol.time_freshness(slot), sequence)) is not None

    def _check_clock(self) -> None:
        """Where the door says that it takes no time frame of ours, none is sent."""
        beacons = self._beacons.beacons
        if not beacons or any(beacon.takes_time and self._agrees(beacon) for beacon in beacons):
            return
        told = [beacon for beacon in beacons if beacon.takes_time]
        raise Failure(75, self._difference(told[0]) if told else "the door doesn't trust its clock: by challenge only")

    @property
    def door_has_beacons(self) -> bool:
        return bool(self._beacons)

    # Both

    def _seal(self, freshness: bytes, sequence: int) -> bytes:
        return self._keys.seal(
            freshness,
            command=self._request.command,
            argument=self._request.argument,
            sequence=sequence,
            press=self._press,
            answer=True,
        )

    def _data(self, frame: bytes) -> bytes | None:
        """None where two of the nine words are equal, and another sequence may help."""
        credential, carrier = self._credential, self._request.carrier
        if carrier == 'uuid16' and int.from_bytes(frame[:2], 'big') == credential.uuid16_marker:
            carrier = 'uuid128'  # The first word is the hint's: no sequence changes it.
        return carriers.advertising_data(
            carrier, frame, name_marker=credential.name_marker, uuid16_marker=credential.uuid16_marker
        )

    def _send(self, freshness: bytes, sequence: int) -> bool:
        """Puts the frame on the air; False where the carrier can't have it."""
        frame = self._seal(freshness, sequence)
        data = self._data(frame)
        if data is None:
            return False
        self._sent.append((freshness, frame))
        self._radio.advertise(data)
        return True

    def _hear(self, deadline: float) -> Answer | None:
        """Until the deadline, or until the door has answered a frame of this intent."""
        while report := self._radio.listen(deadline):
            for frame in carriers.frames(report.data)[:FRAMES_OF_A_REPORT]:
                for freshness, sent in self._sent:
                    if answer := self._keys.open_answer(freshness, sent, frame):
                        self._radio.stop_advertising()
                        return answer
                self._note_beacon(frame, report.rssi)
        return None

    def _note_beacon(self, frame: bytes, rssi: int | None) -> None:
        beacon = protocol.open_beacon(self._beacon_key, frame)
        if beacon is None or beacon.target != self._door.target:
            return
        self._beacons.take(beacon, -128 if rssi is None else rssi, self._now())
