"""Writes an ACPI table with two GPIO chips that drivers of Debian's kernel take for theirs: gpio-chip.py ADDRESS OUTPUT.

Debian's kernels have no simulated GPIO chip. gpio-amdpt wants nothing of its hardware but 4 KiB of registers, which may as well be
memory that the kernel was told to leave alone: so that what drives the lines can be read, and timed, from outside. It has 8 lines,
of which some have names, and no interrupts. pinctrl-amd has interrupts as well, at 4 KiB behind the address: all of them by one of the machine, which the
keyboard's controller raises for us.
"""

import struct
import sys


def package_length(size):
    """PkgLength (ACPI 6.4, 20.2.4) of a package with `size` bytes behind it; it counts itself."""
    if size + 1 < 0x40:
        return bytes([size + 1])
    return bytes([0x40 | (size + 2) & 0xF, (size + 2) >> 4])


def scope(name, body):
    body = name + body
    return b"\x10" + package_length(len(body)) + body


def device(name, body):
    body = name + body
    return b"\x5b\x82" + package_length(len(body)) + body


def name(name, value):
    return b"\x08" + name + value


def buffer(data):
    body = b"\x0a" + bytes([len(data)]) + data
    return b"\x11" + package_length(len(body)) + body


def string(text):
    return b"\x0d" + text.encode("ascii") + b"\x00"


def package(elements):
    body = bytes([len(elements)]) + b"".join(elements)
    return b"\x12" + package_length(len(body)) + body


# Of the first chip's lines; line 6 and 7 have the same one.
LINE_NAMES = ["", "", "contact", "exit", "", "relay", "twice", "twice"]


def properties(values):
    """Device properties, by the UUID daffd814-6eba-4d8c-8a91-bc9bbf4aa301 (ACPI 6.4, 6.2.5)."""
    uuid = bytes.fromhex("14d8ffdaba6e8c4d8a91bc9bbf4aa301")
    return name(b"_DSD", package([buffer(uuid), package([package([string(key), value]) for key, value in values])]))


def table(address):
    # Memory32Fixed (ReadWrite, address, length) (6.4.3.4), Interrupt (ResourceConsumer, Edge, ActiveHigh, Shared) {1}
    # (6.4.3.6), and the end tag of a list of resources (6.4.2.9).
    plain = struct.pack("<BHBII", 0x86, 9, 1, address, 0x1000) + b"\x79\x00"
    edges = struct.pack("<BHBII", 0x86, 9, 1, address + 0x1000, 0x400)
    edges += struct.pack("<BHBBI", 0x89, 6, 0x0B, 1, 1) + b"\x79\x00"
    body = scope(
        b"\\_SB_",
        device(
            b"GPX0",
            name(b"_HID", b"\x0dAMDIF030\x00")
            + name(b"_UID", b"\x00")
            + name(b"_CRS", buffer(plain))
            + properties([("gpio-line-names", package([string(text) for text in LINE_NAMES]))]),
        )
        + device(b"GPX1", name(b"_HID", b"\x0dAMDI0030\x00") + name(b"_UID", b"\x00") + name(b"_CRS", buffer(edges))),
    )
    header = struct.pack(
        "<4sIBB6s8sI4sI", b"SSDT", 36 + len(body), 1, 0, b"DOOR  ", b"RELAYS  ", 1, b"DOOR", 1
    )
    data = bytearray(header + body)
    data[9] = -sum(data) & 0xFF
    return bytes(data)


with open(sys.argv[2], "wb") as output:
    output.write(table(int(sys.argv[1], 0)))
