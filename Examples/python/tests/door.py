"""A door by script, for the tests: it sends beacons, opens commands, and answers as it is told to."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from latchkey_holder.credential import Credential
from latchkey_holder.protocol import Answer, aes, beacon_key, hmac_sha256, u16, xor

TARGET = 2
LOCKED, UNLOCKED, CLOCK_TRUSTED = 1, 2, 0x40


@dataclass
class Heard:
    """A command as the door understood it, once for each frame."""

    freshness: bytes
    frame: bytes
    plain: bytes

    @property
    def press(self) -> int:
        return self.plain[4]


@dataclass
class ScriptedDoor:
    credential: Credential
    answer: Callable[[Heard], Answer | None]
    state: int = LOCKED
    challenge: bytes = b''
    live: list[bytes] = field(default_factory=list)  # Freshnesses that are accepted: challenges and slots.
    heard: list[Heard] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.keys = self.credential.keys(self.credential.door(str(TARGET)))
        self.draw()

    def draw(self) -> None:
        """A new challenge; the last one stays alive."""
        old = [self.challenge] if self.challenge else []
        self.challenge = bytes([0x80 | secrets.randbelow(128)]) + secrets.token_bytes(7)
        self.live = [one for one in self.live if not one[0] & 0x80] + old + [self.challenge]

    def beacon(self, slot: int, challenge: bytes | None = None) -> bytes:
        challenge = challenge or self.challenge
        key = beacon_key(self.credential.site_key)
        plain = u16(TARGET) + bytes([self.state, slot & 0xFF])
        tag = aes(key, b'\x03' + challenge + bytes(3) + plain)[:4]
        return challenge + xor(plain, aes(key, b'\x83' + challenge + tag + bytes(3))) + tag

    def end_challenges(self) -> None:
        """What a door does, for its holder, with a time frame that it decides."""
        self.live = [one for one in self.live if not one[0] & 0x80]

    def hear(self, frame: bytes) -> bytes | None:
        """The answer to send, where there is one."""
        for freshness in self.live:
            tag = frame[8:]
            plain = xor(frame[3:8], aes(self.keys.frame_key, b'\x81' + tag + bytes(7)))
            expected = aes(self.keys.frame_key, b'\x01' + freshness + u16(TARGET) + plain)[:8]
            if frame[:3] == self.block(freshness)[:3] and tag == expected:
                heard = Heard(freshness, frame, plain)
                if heard not in self.heard:
                    self.heard.append(heard)
                answer = self.answer(heard)
                return self.seal(heard, answer) if answer else None
        return None

    def seal(self, heard: Heard, answer: Answer) -> bytes:
        plain = bytes([answer.result, answer.state]) + u16(answer.detail) + b'\0'
        tag = aes(self.keys.frame_key, b'\x02' + heard.frame[8:] + u16(TARGET) + plain)[:8]
        masked = xor(plain, aes(self.keys.frame_key, b'\x82' + tag + bytes(7)))
        return self.block(heard.freshness)[3:6] + masked + tag

    def block(self, freshness: bytes) -> bytes:
        hint_key = hmac_sha256(self.keys.hint_root, freshness)[:16]
        return xor(aes(hint_key, self.keys.hint_secret), self.keys.hint_secret)


def done(heard: Heard) -> Answer:
    return Answer(1, UNLOCKED, 5)


def silent(heard: Heard) -> None:
    return None
