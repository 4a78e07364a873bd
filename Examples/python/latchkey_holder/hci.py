"""A Bluetooth controller behind an H4 stream on TCP (docs/radio.md): advertises and scans at once."""

from __future__ import annotations

import collections
import secrets
import select
import socket
import time
from dataclasses import dataclass

from .errors import Failure

# Core Specification, volume 4, part E, section 7: opcodes are group * 0x400 + command.
RESET = 0x0C03
SET_EVENT_MASK = 0x0C01
LE_SET_EVENT_MASK = 0x2001
LE_SET_RANDOM_ADDRESS = 0x2005
LE_SET_ADVERTISING_PARAMETERS = 0x2006
LE_SET_ADVERTISING_DATA = 0x2008
LE_SET_ADVERTISING_ENABLE = 0x200A
LE_SET_SCAN_PARAMETERS = 0x200B
LE_SET_SCAN_ENABLE = 0x200C

ADV_NONCONN_IND = 0x03
OWN_ADDRESS_RANDOM = 0x01
ALL_CHANNELS = 0x07
SLOT_20_MS, SLOT_100_MS, SLOT_60_MS = 0x0020, 0x00A0, 0x0060  # Units of 625 µs.
LE_META_EVENT_BIT = 1 << 61
DEFAULT_EVENTS = 0x0000_1FFF_FFFF_FFFF
ADVERTISING_REPORT_BIT = 1 << 1

COMMAND_SECONDS, RESET_SECONDS = 2.0, 5.0
REPORTS_KEPT = 1024
RSSI_UNKNOWN = 127


@dataclass(frozen=True)
class Report:
    """One advert as it was heard; rssi in dBm, None where the controller doesn't know it."""

    data: bytes
    rssi: int | None


class Deframer:
    """H4: a type byte, a header with a length, a body; it may come in any pieces."""

    # By type: the header's size, where in it the length stands, its width, and which of its bits count.
    _HEADERS = {0x02: (4, 2, 2, 0xFFFF), 0x03: (3, 2, 1, 0xFF), 0x04: (2, 1, 1, 0xFF), 0x05: (4, 2, 2, 0x3FFF)}

    def __init__(self) -> None:
        self._bytes = b''

    def feed(self, received: bytes) -> list[bytes]:
        """The whole packets, each with its type byte."""
        self._bytes += received
        packets = []
        while self._bytes:
            header = self._HEADERS.get(self._bytes[0])
            if header is None:
                raise Failure(5, f'the controller sends no H4: packet type {self._bytes[0]:#04x}')
            size, at, width, mask = header
            length = self._bytes[1 + at : 1 + at + width]
            whole = 1 + size + (int.from_bytes(length, 'little') & mask)
            if len(length) < width or len(self._bytes) < whole:
                break
            packets.append(self._bytes[:whole])
            self._bytes = self._bytes[whole:]
        return packets


def reports(parameters: bytes) -> list[Report]:
    """Those of an LE Advertising Report (volume 4, part E, 7.7.65.2) that are whole."""
    found = []
    rest = parameters[1:]
    for _ in range(parameters[0] if parameters else 0):
        if len(rest) < 9 or len(rest) < 10 + rest[8]:
            break
        data, rssi = rest[9 : 9 + rest[8]], rest[9 + rest[8]]
        rest = rest[10 + len(data) :]
        if len(data) <= 31:
            found.append(Report(data, None if rssi == RSSI_UNKNOWN else int.from_bytes([rssi], signed=True)))
    return found


class Controller:
    """One command is under way at a time; reports that come meanwhile are kept."""

    def __init__(self, host: str, port: int) -> None:
        try:
            self._socket = socket.create_connection((host, port), timeout=COMMAND_SECONDS)
        except OSError as error:
            raise Failure(5, f'tcp:{host}:{port}: {error.strerror or error}') from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._deframer = Deframer()
        self._replies: collections.deque[tuple[int, int]] = collections.deque(maxlen=16)
        self._reports: collections.deque[Report] = collections.deque(maxlen=REPORTS_KEPT)
        self._advertising = False

    def close(self) -> None:
        self._socket.close()

    def start(self) -> None:
        """Resets it and scans; advertising has its parameters, and a fresh non-resolvable private address."""
        self._command(RESET, b'', RESET_SECONDS)
        self._command(SET_EVENT_MASK, (DEFAULT_EVENTS | LE_META_EVENT_BIT).to_bytes(8, 'little'))
        self._command(LE_SET_EVENT_MASK, ADVERTISING_REPORT_BIT.to_bytes(8, 'little'))
        address = bytearray(secrets.token_bytes(6))
        address[5] &= 0x3F  # The two highest bits 00: non-resolvable private (volume 6, part B, 1.3.2.2).
        self._command(LE_SET_RANDOM_ADDRESS, bytes(address))
        if self._try(LE_SET_ADVERTISING_PARAMETERS, self._advertising_parameters(SLOT_20_MS)):
            self._command(LE_SET_ADVERTISING_PARAMETERS, self._advertising_parameters(SLOT_100_MS))
        window = SLOT_60_MS.to_bytes(2, 'little')  # As long as the interval: it listens all the time, and passively.
        self._command(LE_SET_SCAN_PARAMETERS, bytes([0]) + window + window + bytes([OWN_ADDRESS_RANDOM, 0]))
        self._command(LE_SET_SCAN_ENABLE, bytes([1, 0]))  # Without the duplicate filter.

    @staticmethod
    def _advertising_parameters(interval: int) -> bytes:
        interval_bytes = interval.to_bytes(2, 'little')
        peer = bytes(7)
        return interval_bytes * 2 + bytes([ADV_NONCONN_IND, OWN_ADDRESS_RANDOM]) + peer + bytes([ALL_CHANNELS, 0])

    def advertise(self, data: bytes) -> None:
        """Puts these bytes on the air, or in the place of those that are."""
        self._command(LE_SET_ADVERTISING_DATA, bytes([len(data)]) + data.ljust(31, b'\0'))
        if not self._advertising:
            self._command(LE_SET_ADVERTISING_ENABLE, bytes([1]))
            self._advertising = True

    def stop_advertising(self) -> None:
        if self._advertising:
            self._command(LE_SET_ADVERTISING_ENABLE, bytes([0]))
            self._advertising = False

    def stop(self) -> None:
        """Leaves the air."""
        self.stop_advertising()
        self._command(LE_SET_SCAN_ENABLE, bytes([0, 0]))

    def listen(self, deadline: float) -> Report | None:
        """The next report, or None at the deadline (of time.monotonic)."""
        while not self._reports:
            if not self._receive(deadline):
                return None
        return self._reports.popleft()

    def _command(self, opcode: int, parameters: bytes, limit: float = COMMAND_SECONDS) -> None:
        status = self._try(opcode, parameters, limit)
        if status:
            raise Failure(5, f'the controller refuses command {opcode:#06x}: status {status:#04x}')

    def _try(self, opcode: int, parameters: bytes, limit: float = COMMAND_SECONDS) -> int:
        """The status; ends the program where none comes."""
        deadline = time.monotonic() + limit
        self._replies.clear()
        try:
            self._socket.sendall(b'\x01' + opcode.to_bytes(2, 'little') + bytes([len(parameters)]) + parameters)
        except OSError as error:
            raise Failure(5, f'the controller is gone: {error.strerror or error}') from error
        while True:
            while self._replies:
                replied, status = self._replies.popleft()
                if replied == opcode:
                    return status
            if not self._receive(deadline):
                raise Failure(5, f"the controller doesn't answer command {opcode:#06x}")

    def _receive(self, deadline: float) -> bool:
        """Takes in what has come; False at the deadline."""
        left = deadline - time.monotonic()  # A flood of adverts mustn't hide that it has passed.
        if left <= 0 or not select.select([self._socket], [], [], left)[0]:
            return False
        try:
            received = self._socket.recv(65536)
            if hasattr(socket, 'TCP_QUICKACK'):  # Or each packet of a controller without TCP_NODELAY costs 40 ms.
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        except OSError as error:
            raise Failure(5, f'the controller is gone: {error.strerror or error}') from error
        if not received:
            raise Failure(5, 'the controller is gone: end of stream')
        for packet in self._deframer.feed(received):
            if packet[0] == 0x04:
                self._event(packet[1], packet[3:])
        return True

    def _event(self, code: int, parameters: bytes) -> None:
        if code == 0x0E and len(parameters) >= 4:  # Command Complete: credits, opcode, status.
            self._replies.append((int.from_bytes(parameters[1:3], 'little'), parameters[3]))
        elif code == 0x0F and len(parameters) >= 4:  # Command Status: status, credits, opcode.
            self._replies.append((int.from_bytes(parameters[2:4], 'little'), parameters[0]))
        elif code == 0x10:
            raise Failure(5, 'the controller reports a hardware error')
        elif code == 0x3E and parameters[:1] == b'\x02':
            self._reports.extend(reports(parameters[1:]))
