"""A frame in an advertisement, and frames out of one (docs/protocol.md, "Carriers")."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator

from .protocol import FRAME_BYTES, ProtocolError

LEGACY_BYTES = 31
FLAGS = bytes([0x02, 0x01, 0x06])


def structure(kind: int, body: bytes) -> bytes:
    return bytes([len(body) + 1, kind]) + body


def uuid128_text(frame: bytes) -> str:
    return str(uuid.UUID(bytes=frame)).upper()


def name_text(frame: bytes, marker: str) -> str:
    return marker + base64.urlsafe_b64encode(frame).decode('ascii').rstrip('=')


def uuid16_words(frame: bytes, marker: int) -> list[int] | None:
    """Nine words, or None where two are equal: some stacks drop repeats."""
    words = [marker] + [int.from_bytes(frame[i : i + 2], 'big') for i in range(0, FRAME_BYTES, 2)]
    return words if len(set(words)) == len(words) else None


def advertising_data(carrier: str, frame: bytes, *, name_marker: str, uuid16_marker: int) -> bytes | None:
    """At most 31 bytes; None where this frame doesn't fit this carrier."""
    if carrier == 'uuid128':
        data = FLAGS + structure(0x07, frame[::-1])
    elif carrier == 'name':
        data = FLAGS + structure(0x09, name_text(frame, name_marker).encode('ascii'))
    elif carrier == 'uuid16':
        words = uuid16_words(frame, uuid16_marker)
        if words is None:
            return None
        data = FLAGS + structure(0x03, b''.join(word.to_bytes(2, 'little') for word in words))
    else:
        raise ProtocolError(f'no carrier: {carrier}')
    if len(data) > LEGACY_BYTES:
        raise ProtocolError(f'{len(data) - LEGACY_BYTES} bytes too many for an advert: marker {name_marker}')
    return data


def structures(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Up to a zero length or one that overruns the data."""
    while data and data[0] and len(data) > data[0]:
        yield data[1], data[2 : data[0] + 1]
        data = data[data[0] + 1 :]


def frames(data: bytes) -> list[bytes]:
    """The frames of 128-bit lists, which is how doors send beacons and answers."""
    found = []
    for kind, body in structures(data):
        if kind in (0x06, 0x07) and len(body) % FRAME_BYTES == 0:
            found += [body[i : i + FRAME_BYTES][::-1] for i in range(0, len(body), FRAME_BYTES)]
    return found
