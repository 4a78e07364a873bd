"""Holder and door on an air of bytes, and a clock that passes only while somebody listens."""

from __future__ import annotations

from collections.abc import Callable

from latchkey_holder import carriers
from latchkey_holder.hci import Report

from .door import ScriptedDoor

TICK = 0.05


def advert(frame: bytes) -> bytes:
    return carriers.FLAGS + carriers.structure(0x07, frame[::-1])


class FakeAir:
    """The holder's radio. The door says something every 50 ms: an answer if it has one, else its beacon."""

    def __init__(self, door: ScriptedDoor, *, wall: float, door_ahead: float = 0.0, beacons: bool = True) -> None:
        self.door, self.wall, self.door_ahead, self.beacons = door, wall, door_ahead, beacons
        self.elapsed = 0.0
        self.on_air: bytes | None = None
        self.said: list[tuple[float, bytes]] = []
        self.others: Callable[[], list[Report]] = list  # What else is heard in each tick.
        self._waiting: list[Report] = []
        self._next_tick = TICK
        self._challenge_at = 0.0

    def pass_time(self, seconds: float) -> None:
        """Time passes in which nobody listens."""
        deadline = self.elapsed + seconds
        while self.listen(deadline):
            pass

    def monotonic(self) -> float:
        return self.elapsed

    def wall_clock(self) -> float:
        return self.wall + self.elapsed

    def advertise(self, data: bytes) -> None:
        self.on_air = data
        self.said.append((self.elapsed, data))

    def stop_advertising(self) -> None:
        self.on_air = None

    def listen(self, deadline: float) -> Report | None:
        while not self._waiting:
            if self._next_tick > deadline:
                self.elapsed = max(self.elapsed, deadline)
                return None
            self.elapsed = self._next_tick
            self._next_tick += TICK
            self._waiting = self._tick()
        return self._waiting.pop(0)

    def _tick(self) -> list[Report]:
        if self.elapsed - self._challenge_at >= 2:
            self._challenge_at = self.elapsed
            self.door.draw()
        answers = [self.door.hear(frame) for frame in carriers.frames(self.on_air or b'')]
        frames = [answer for answer in answers if answer]
        if not frames and self.beacons:
            frames = [self.door.beacon(int((self.wall_clock() + self.door_ahead) // 5))]
        return self.others() + [Report(advert(frame), -60) for frame in frames]
