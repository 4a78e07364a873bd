"""Takes the ELF image out of a kernel that is packed with xz: vmlinux.py VMLINUZ OUTPUT."""

import lzma
import os
import sys

packed = open(sys.argv[1], "rb").read()
start = packed.find(b"\xfd7zXZ\x00")
if start < 0:
    sys.exit(f"{sys.argv[1]}: not packed with xz")
image = lzma.LZMADecompressor().decompress(packed[start:])
if not image.startswith(b"\x7fELF"):
    sys.exit(f"{sys.argv[1]}: holds no ELF image")
with open(sys.argv[2] + ".new", "wb") as output:
    output.write(image)
os.rename(sys.argv[2] + ".new", sys.argv[2])
