#!/usr/bin/env python3
"""Makes a screenshot small: a PNG with a palette of at most 256 colors. Needs nothing but Python.

    python docs/pictures/shrink.py picture.png

Colors that are nearly equal become the most frequent of them, so backgrounds and text keep their exact color.
"""

import struct
import sys
import zlib
from collections import Counter

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    at = len(SIGNATURE)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def paeth(left, up, corner):
    """The neighbor that is nearest to left + up - corner, as the PNG format defines it."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


def unfiltered(kind, line, above, step):
    """The bytes of a line, which the file has as differences to its neighbors."""
    line = bytearray(line)
    if kind == 1:
        for at in range(step, len(line)):
            line[at] = (line[at] + line[at - step]) & 255
    elif kind == 2:
        line = bytearray((here + up) & 255 for here, up in zip(line, above))
    elif kind == 3:
        for at in range(len(line)):
            left = line[at - step] if at >= step else 0
            line[at] = (line[at] + (left + above[at]) // 2) & 255
    elif kind == 4:
        for at in range(len(line)):
            left, corner = (line[at - step], above[at - step]) if at >= step else (0, 0)
            line[at] = (line[at] + paeth(left, above[at], corner)) & 255
    return line


def read(path):
    """Width, and the lines of a screenshot as lists of (red, green, blue)."""
    with open(path, "rb") as file:
        data = file.read()
    header, packed = None, []
    for kind, content in chunks(data):
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", content)
        elif kind == b"IDAT":
            packed.append(content)
    width, height, depth, color, _, _, interlaced = header
    if depth != 8 or color not in (2, 6) or interlaced:
        sys.exit(f"{path} is not a screenshot of Chromium")
    step = 3 if color == 2 else 4
    raw = zlib.decompress(b"".join(packed))
    stride = 1 + width * step
    above, lines = bytearray(width * step), []
    for start in range(0, height * stride, stride):
        above = unfiltered(raw[start], raw[start + 1 : start + stride], above, step)
        lines.append(list(zip(above[0::step], above[1::step], above[2::step])))
    return width, lines


def palette(lines):
    """At most 256 colors, and for each color of the picture the number of the one that takes its place."""
    counts = Counter(color for line in lines for color in line)
    for bits in range(8):
        groups = {}
        for color, _ in counts.most_common():
            groups.setdefault(tuple(part >> bits for part in color), []).append(color)
        if len(groups) <= 256:
            break
    number = {color: at for at, group in enumerate(groups.values()) for color in group}
    return [group[0] for group in groups.values()], number


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def write(path, width, lines):
    colors, number = palette(lines)
    raw = b"".join(b"\0" + bytes(number[color] for color in line) for line in lines)
    with open(path, "wb") as file:
        file.write(SIGNATURE)
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(lines), 8, 3, 0, 0, 0)))
        file.write(chunk(b"PLTE", bytes(part for color in colors for part in color)))
        file.write(chunk(b"IDAT", zlib.compress(raw, 9)))
        file.write(chunk(b"IEND", b""))


for name in sys.argv[1:]:
    write(name, *read(name))
