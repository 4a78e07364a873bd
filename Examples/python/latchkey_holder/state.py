"""What a holder keeps (docs/protocol.md, "What a holder keeps"): durable before the first transmission."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .credential import Credential
from .errors import Failure

FORMAT = 'latchkey-python-state/1'
SLOTS_KEPT = 1024
CHALLENGES_KEPT = 4096
LOCK_SECONDS = 5.0


@dataclass
class DoorUse:
    """used: slots in the order of their use, the last one at the end; next: the next sequence in that one."""

    used: list[int]
    next: int
    challenged: int = 0  # The slot of the last challenge frame,
    time_from: int = 0  # and the first one whose time frames may follow it.

    @property
    def slot(self) -> int:
        return self.used[-1]


@dataclass(frozen=True)
class TimeUse:
    slot: int
    sequence: int
    behind: int  # By how many slots the clock is behind, where that is more than skewSlots; else 0.


class SlotNotYet(Exception):
    """The next frame by time has to wait for this slot."""

    def __init__(self, slot: int) -> None:
        super().__init__(f'wait for slot {slot}')
        self.slot = slot


@dataclass
class Book:
    """The state of one credential on this device, while it is locked."""

    began: int  # The slot in which the state began: it counts as used up at every door.
    press: int | None = None  # Of the last intent.
    doors: dict[int, DoorUse] = field(default_factory=dict)
    challenges: list[bytes] = field(default_factory=list)

    def begin_intent(self) -> int:
        self.press = secrets.randbelow(256) if self.press is None else (self.press + 1) % 256
        return self.press

    def _door(self, target: int) -> DoorUse:
        return self.doors.setdefault(target, DoorUse([self.began], 256))

    def use_time(self, target: int, now: int, skew: int, fits: Callable[[int, int], bool]) -> TimeUse:
        """Takes a slot and a sequence; fits says whether the carrier can have that frame. Raises SlotNotYet."""
        door = self._door(target)
        behind = door.slot - now if door.slot - now > skew else 0
        slot = now if now > door.slot or behind else door.slot
        first = door.next if slot == door.slot else 0
        if door.challenged - now > skew:  # The clock was ahead then: what is to wait is counted from now.
            door.challenged, door.time_from = now, door.time_from - door.challenged + now
        if slot >= door.time_from and (slot == door.slot or slot not in door.used):
            for sequence in range(first, 256):
                if fits(slot, sequence):
                    if slot != door.slot:
                        door.used = (door.used + [slot])[-SLOTS_KEPT:]
                    door.next = sequence + 1
                    return TimeUse(slot, sequence, behind)
        slot = max(slot + 1, door.time_from)
        while slot in door.used:
            slot += 1
        raise SlotNotYet(slot)

    def use_challenge(self, target: int, challenge: bytes, now: int, pause: int) -> bool:
        """Takes a challenge, behind which frames by time pause for so many slots; False where it was used before."""
        if challenge in self.challenges:
            return False
        self.challenges = (self.challenges + [challenge])[-CHALLENGES_KEPT:]
        door = self._door(target)
        door.challenged, door.time_from = now, now + pause
        return True


class HolderState:
    """The file of a credential's state, and the lock beside it."""

    def __init__(self, directory: str, credential: Credential) -> None:
        self._directory = directory
        self._owner = {'site': str(credential.site_id), 'credential': credential.id}
        self._path = os.path.join(directory, f'{credential.id}@{credential.site_id}.json')

    @contextlib.contextmanager
    def locked(self, now: int) -> Iterator[Book]:
        """The book, locked against other processes; what was changed is on the disk when this ends."""
        try:
            os.makedirs(self._directory, mode=0o700, exist_ok=True)
            lock = os.open(self._path + '.lock', os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Failure(73, f'{self._directory}: {error.strerror}') from error
        try:
            self._take(lock)
            book = self._read(now)
            try:
                yield book
            finally:
                self._write(book)
        finally:
            os.close(lock)

    def _take(self, lock: int) -> None:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Failure(75, f'another process holds {self._path}') from None
                time.sleep(0.02)

    def _read(self, now: int) -> Book:
        try:
            with open(self._path, 'rb') as file:
                text = file.read()
        except FileNotFoundError:
            return Book(began=now)
        except OSError as error:
            raise Failure(77, f'{self._path}: {error.strerror}') from error
        try:
            return self._decoded(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise Failure(65, f'{self._path} is damaged: move it away, and a new state begins') from error

    def _decoded(self, root: Any) -> Book:
        if root['format'] != FORMAT or {key: root[key] for key in self._owner} != self._owner:
            raise ValueError('of another format or credential')
        doors = {
            int(target): DoorUse(
                [_count(slot) for slot in use['used']],
                _count(use['next']),
                _count(use['challenged']),
                _count(use['timeFrom']),
            )
            for target, use in root['doors'].items()
        }
        if not all(use.used for use in doors.values()):
            raise ValueError('a door without a slot')
        press = None if root['press'] is None else _count(root['press']) % 256
        return Book(_count(root['began']), press, doors, [bytes.fromhex(text) for text in root['challenges']])

    def _write(self, book: Book) -> None:
        root = {
            'format': FORMAT,
            **self._owner,
            'began': book.began,
            'press': book.press,
            'doors': {
                str(target): {
                    'used': use.used,
                    'next': use.next,
                    'challenged': use.challenged,
                    'timeFrom': use.time_from,
                }
                for target, use in book.doors.items()
            },
            'challenges': [challenge.hex() for challenge in book.challenges],
        }
        fresh = self._path + '.new'
        try:
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w', encoding='ascii') as file:
                json.dump(root, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, self._path)
            folder = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise Failure(73, f'{self._path}: {error.strerror}') from error


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError('not a count')
    return value
