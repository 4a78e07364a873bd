"""One intent: find the door's challenge, or take the slot; say it; wait for the answer; be silent at once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from . import carriers, protocol
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
BEACON_SECONDS = 1.0  # What wasn't heard again for so long isn't chosen.
BEACONS_KEPT = 64


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
class Heard:
    beacon: Beacon
    rssi: int
    at: float


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
        self._beacons: dict[bytes, Heard] = {}
        with state.locked(self._slot) as book:
            self._press = book.begin_intent()

    @property
    def _slot(self) -> int:
        return protocol.slot_at(self._wall_clock(), self._credential.slot_seconds)

    # By challenge

    def by_challenge(self) -> Answer | None:
        """The answer, or None where none came in time."""
        search_until = self._now() + self._request.timeout
        deadline: float | None = None
        tried: set[bytes] = set()
        taken = 0
        self._gather(search_until)
        while taken < CHALLENGES_OF_AN_INTENT:
            beacon = self._choose(tried)
            if beacon is None:  # None is shown, or those that are were used before: the next comes soon.
                limit = deadline or search_until
                if self._now() >= limit:
                    break
                if answer := self._hear(min(limit, self._now() + GATHER_SECONDS)):
                    return answer
                continue
            tried.add(beacon.challenge)
            if not self._take(beacon):
                continue
            taken += 1
            deadline = deadline or self._now() + self._request.timeout
            if answer := self._under(beacon.challenge, deadline, tried, last=taken == CHALLENGES_OF_AN_INTENT):
                return answer
        if deadline is None:
            raise Failure(4, f'no {"unused challenge" if self._beacons else "beacon"} of {self._door.name} was heard')
        return None

    def _take(self, beacon: Beacon) -> bool:
        """Makes durable that its challenge is used; False where it was before."""
        now = self._slot
        last = protocol.slot_at(self._wall_clock() + self._request.timeout, self._credential.slot_seconds)
        slots = range(now, max(now, last) + 1)
        with self._state.locked(now) as book:
            if not book.use_challenge(self._door.target, beacon.challenge, slots, self._credential.skew_slots):
                return False
        if not self._agrees(beacon):
            self._warn(self._difference(beacon))
        return True

    def _under(self, challenge: bytes, deadline: float, tried: set[bytes], *, last: bool) -> Answer | None:
        """Says it under one challenge, until it is answered, it is late, or another challenge is better."""
        freshness = protocol.challenge_freshness(challenge)
        sequence = secrets.randbelow(128)
        patience = self._now() + PATIENCE_SECONDS
        while self._now() < deadline:
            while sequence < 256 and not self._send(freshness, sequence):
                sequence += 1
            sequence += 1
            renewal = min(deadline, self._now() + FRAME_SECONDS)
            while self._now() < renewal:
                if answer := self._hear(min(renewal, self._now() + GATHER_SECONDS)):
                    return answer
                if not last and self._now() >= patience and self._choose(tried):
                    return None
        return None

    def _gather(self, deadline: float) -> None:
        """Until a beacon is there, and a little longer, for a stronger one."""
        while not self._beacons and self._now() < deadline:
            self._hear(min(deadline, self._now() + GATHER_SECONDS))
        self._hear(self._now() + GATHER_SECONDS)

    def _choose(self, tried: set[bytes]) -> Beacon | None:
        """The strongest that was heard lately and agrees with our clock; where none agrees, the strongest."""
        since = self._now() - BEACON_SECONDS
        heard = [one for one in self._beacons.values() if one.at >= since and one.beacon.challenge not in tried]
        best = max(heard, key=lambda one: (self._agrees(one.beacon), one.rssi, one.at), default=None)
        return best.beacon if best else None

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
        beacons = [one.beacon for one in self._beacons.values()]
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
        now = self._now()
        if len(self._beacons) >= BEACONS_KEPT:  # Whoever knows the site key can make as many as it likes.
            self._beacons = {key: one for key, one in self._beacons.items() if one.at >= now - BEACON_SECONDS}
        if beacon.challenge in self._beacons or len(self._beacons) < BEACONS_KEPT:
            self._beacons[beacon.challenge] = Heard(beacon, -128 if rssi is None else rssi, now)
