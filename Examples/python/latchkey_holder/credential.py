"""The credential file (docs/cli.md, "The credential file")."""

from __future__ import annotations

import base64
import binascii
import json
import os
import stat
import uuid
from dataclasses import dataclass
from typing import Any

from .errors import Failure
from .protocol import DoorKeys, beacon_key

FORMAT = 'latchkey-credential/1'


@dataclass(frozen=True)
class Door:
    """freshness and commands are what the door was given when the file was written; the door decides."""

    name: str
    target: int
    freshness: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Credential:
    id: str
    secret: bytes
    site_id: uuid.UUID
    site_key: bytes
    slot_seconds: int
    skew_slots: int
    challenge_seconds: int
    name_marker: str
    uuid16_marker: int
    doors: dict[str, Door]

    def door(self, name: str) -> Door:
        """By id, or by number: a number is enough to derive the keys."""
        if name in self.doors:
            return self.doors[name]
        if name.isascii() and name.isdigit() and 1 <= int(name) <= 65535:
            known = [door for door in self.doors.values() if door.target == int(name)]
            return known[0] if known else Door(name, int(name), 'either', ())
        raise Failure(2, f'the credential knows no door {name}')

    def keys(self, door: Door) -> DoorKeys:
        return DoorKeys.derive(
            secret=self.secret, site_id=self.site_id.bytes, site_key=self.site_key, target=door.target
        )

    @property
    def challenge_pause(self) -> int:
        """For how many slots no time frame follows a challenge frame.

        The door may have lifted its time mark so far: by the skew beyond its own slot, which may be as far ahead of ours,
        and as long as the challenge lives, which is two periods, however long the frame is on the air.
        """
        return 2 * self.skew_slots + 1 + -(-2 * self.challenge_seconds // self.slot_seconds)

    @property
    def beacon_key(self) -> bytes:
        return beacon_key(self.site_key)


def load(path: str) -> Credential:
    try:
        with open(path, 'rb') as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise Failure(77, f'{path} is open to others: chmod 600 {path}')
            text = file.read(1 << 20)
    except OSError as error:
        raise Failure(77 if isinstance(error, PermissionError) else 65, f'{path}: {error.strerror}') from error
    try:
        return parse(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise Failure(65, f'{path}: {error}') from error


def parse(root: Any) -> Credential:
    """Raises ValueError, which names the member."""
    if _member(root, '', 'format', str) != FORMAT:
        raise ValueError(f'format: not {FORMAT}')
    site, credential = _member(root, '', 'site', dict), _member(root, '', 'credential', dict)
    doors = {}
    for index, entry in enumerate(_member(root, '', 'doors', list)):
        where = f'doors[{index}].'
        commands = _member(entry, where, 'commands', list)
        if not all(isinstance(command, str) for command in commands):
            raise ValueError(f'{where}commands: not a list of names')
        freshness = _member(entry, where, 'freshness', str)
        if freshness not in ('time', 'challenge', 'either'):
            raise ValueError(f'{where}freshness: not time, challenge or either')
        target = _number(entry, where, 'target', 1, 65535)
        doors[_member(entry, where, 'id', str)] = Door(
            _member(entry, where, 'name', str), target, freshness, tuple(commands)
        )
    try:
        site_id = uuid.UUID(_member(site, 'site.', 'id', str))
    except ValueError as error:
        raise ValueError('site.id: not a UUID') from error
    marker = _member(site, 'site.', 'nameMarker', str)
    if not (2 <= len(marker) <= 4 and marker.isascii() and marker.isalnum()):
        raise ValueError('site.nameMarker: not 2 to 4 of A-Z, a-z, 0-9')
    return Credential(
        id=_member(credential, 'credential.', 'id', str),
        secret=_key(credential, 'credential.', 'secret'),
        site_id=site_id,
        site_key=_key(site, 'site.', 'key'),
        slot_seconds=_number(site, 'site.', 'slotSeconds', 1, 60),
        skew_slots=_number(site, 'site.', 'skewSlots', 0, 5),
        challenge_seconds=_number(site, 'site.', 'challengeSeconds', 1, 60),
        name_marker=marker,
        uuid16_marker=_number(site, 'site.', 'uuid16Marker', 0, 65535),
        doors=doors,
    )


def _member(container: Any, where: str, name: str, kind: type) -> Any:
    value = container.get(name) if isinstance(container, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f'{where}{name}: missing, or not of the type expected')
    return value


def _number(container: Any, where: str, name: str, lowest: int, highest: int) -> int:
    value: int = _member(container, where, name, int)
    if not lowest <= value <= highest:
        raise ValueError(f'{where}{name}: not {lowest}…{highest}')
    return value


def _key(container: Any, where: str, name: str) -> bytes:
    text = _member(container, where, name, str)
    try:
        key = base64.b64decode(text + '=' * (-len(text) % 4), altchars=b'-_', validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f'{where}{name}: not base64url') from error
    if len(key) != 32:
        raise ValueError(f'{where}{name}: not 32 bytes')
    return key
