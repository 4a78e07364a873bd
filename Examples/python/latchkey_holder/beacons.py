"""Which of a door's beacons is taken (docs/phones.md, "What an app does", steps 5 and 10): pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .protocol import Beacon

SHOWN_SECONDS = 1.0  # What wasn't heard again for so long isn't chosen while others are.
LIFE_SECONDS = 4.0  # What wasn't heard for so long isn't chosen at all.
COPY_SECONDS = 0.05  # Copies that follow closer count as one: a door sends every 100 ms.
CROWD = 3  # A door shows two challenges within a second at most.
CLEAR_HEARINGS = 4  # So many make one stand out of a crowd,
STEADY_HEARINGS = 10  # and so many make it steadier than those that are always new.
BEACONS_KEPT = 512  # Whoever knows the site key can make as many as it likes.


@dataclass
class Heard:
    """A challenge, with the last beacon that showed it."""

    beacon: Beacon
    rssi: int  # The strongest.
    first: float
    last: float
    hearings: int = 1
    counted: float = 0.0


@dataclass(frozen=True)
class Choice:
    beacon: Beacon
    is_new: bool  # First heard after the moment that was asked for.
    candidates: int
    is_doubtful: bool  # One of a crowd, of which none stands out yet.


class BeaconLog:
    """The beacons of one door. Each may be forged by an insider, or recorded by anybody and sent again."""

    def __init__(self, period: float) -> None:
        self._period = period  # For so long a door shows a challenge.
        self._heard: dict[bytes, Heard] = {}

    def __bool__(self) -> bool:
        return bool(self._heard)

    @property
    def beacons(self) -> list[Beacon]:
        return [one.beacon for one in self._heard.values()]

    def take(self, beacon: Beacon, rssi: int, now: float) -> None:
        known = self._heard.get(beacon.challenge)
        if known and now - known.last <= LIFE_SECONDS:
            known.beacon, known.rssi, known.last = beacon, max(known.rssi, rssi), now
            if now - known.counted >= COPY_SECONDS:
                known.hearings, known.counted = known.hearings + 1, now
            return
        if len(self._heard) >= BEACONS_KEPT:
            self._make_room(now)
        # What comes back is as old as before: a door never shows a challenge again.
        first = known.first if known else now
        self._heard[beacon.challenge] = Heard(beacon, rssi, first, now, counted=now)

    def _make_room(self, now: float) -> None:
        """Forgets what is old, and of the others the half heard least and longest ago; the strongest stays."""
        recent = [one for one in self._heard.values() if now - one.last <= LIFE_SECONDS]
        recent.sort(key=lambda one: (one.hearings, one.last), reverse=True)
        kept = recent[: BEACONS_KEPT // 2] + sorted(recent, key=lambda one: one.rssi)[-1:]
        self._heard = {one.beacon.challenge: one for one in kept}

    def has_heard(self, seconds: float, now: float) -> bool:
        return any(now - one.last <= seconds for one in self._heard.values())

    def choose(
        self,
        agrees: Callable[[Beacon], bool],
        now: float,
        *,
        tried: set[bytes],
        since: float | None = None,
        steadiest: bool = False,
    ) -> Choice | None:
        """The strongest that agrees, in a crowd the one heard most often; but those first heard after since go first.

        Of these the one first heard last; steadiest: in a crowd of them the one heard most often.
        """
        free = [
            one
            for one in self._heard.values()
            if one.beacon.challenge not in tried
            and now - one.last <= LIFE_SECONDS
            and now - one.first <= 1.5 * self._period  # A door has changed it by then.
        ]
        if since is not None:
            new = _preferred([one for one in free if one.first > since], agrees, now)
            is_crowd = len(new) >= CROWD
            if is_crowd:
                new = [one for one in new if one.hearings >= CLEAR_HEARINGS]
            key = _steadiness if is_crowd and steadiest else _novelty
            if new:
                best = max(new, key=key)
                is_doubtful = is_crowd and steadiest and best.hearings < STEADY_HEARINGS
                return Choice(best.beacon, True, len(new), is_doubtful)
        candidates = _preferred(free, agrees, now)
        if not candidates:
            return None
        is_crowd = len(candidates) >= CROWD
        best = max(candidates, key=_steadiness if is_crowd else _strength)
        return Choice(best.beacon, False, len(candidates), is_crowd and best.hearings < CLEAR_HEARINGS)


def _preferred(candidates: list[Heard], agrees: Callable[[Beacon], bool], now: float) -> list[Heard]:
    agreeing = [one for one in candidates if agrees(one.beacon)] or candidates
    return [one for one in agreeing if now - one.last <= SHOWN_SECONDS] or agreeing


def _strength(one: Heard) -> tuple[float, ...]:
    return (one.rssi,)


def _steadiness(one: Heard) -> tuple[float, ...]:
    return (one.hearings, one.rssi)


def _novelty(one: Heard) -> tuple[float, ...]:
    return (one.first, one.rssi)
