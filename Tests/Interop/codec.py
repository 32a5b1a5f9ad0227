"""Deterministic CBOR as Wake allows it, checked byte by byte, then by cbor2, then by the schema."""

import contextlib
import functools
import io
import math
import pathlib
import struct

import cbor2
import zcbor

DEPTH, TEXT_BYTES = 16, 16 * 1024
SCHEMA = pathlib.Path(__file__).parents[2] / "docs" / "wire-format.cddl"
# What zcbor takes for one check grows with the square of the bytes.
SCHEMA_BYTES = 16 * 1024


class Refused(Exception):
    """What was read is not as it must be; the argument is the reason, as the vectors name it."""


def require(is_so, reason):
    if not is_so:
        raise Refused(reason)


class Scanner:
    """Walks over one item and checks the rules that cbor2 is lenient about."""

    def __init__(self, data, texts_only):
        self.data, self.at, self.texts_only = data, 0, texts_only

    def take(self, count):
        require(count <= len(self.data) - self.at, "truncated")
        self.at += count
        return self.data[self.at - count : self.at]

    def head(self):
        first = self.take(1)[0]
        major, short = first >> 5, first & 31
        if major == 7 or short < 24:
            return major, short
        require(short <= 27, "unexpected")
        width = 1 << (short - 24)
        argument = int.from_bytes(self.take(width), "big")
        require(argument >= (24 if width == 1 else 1 << (4 * width)), "not-shortest")
        require(argument < 1 << 63, "too-large")
        return major, argument

    def text(self, count):
        require(count <= TEXT_BYTES, "too-large")
        try:
            self.take(count).decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("invalid-text") from None

    def item(self, depth=0, tag=None):
        major, argument = self.head()
        if major == 2:
            self.take(argument)
        elif major == 3:
            self.text(argument)
        elif major in (4, 5):
            require(depth < DEPTH, "too-deep")
            require(argument * (major - 3) <= len(self.data) - self.at, "truncated")
            for _ in range(argument) if major == 4 else ():
                self.item(depth + 1)
            if major == 5:
                self.pairs(argument, depth + 1)
        elif major == 6:
            require(argument == tag, "unexpected")
            self.item(depth)
        elif major == 7:
            self.simple(argument)

    def pairs(self, count, depth):
        before = None
        for _ in range(count):
            start = self.at
            require(start < len(self.data), "truncated")
            require(not self.texts_only or self.data[start] >> 5 == 3, "unexpected")
            self.item(depth)
            key = self.data[start : self.at]
            require(before is None or before < key, "keys-not-ascending")
            before = key
            self.item(depth)

    def simple(self, short):
        if short in (20, 21, 22):
            return
        require(short in (25, 26, 27), "unexpected")
        width = 1 << (short - 24)
        number = struct.unpack({2: ">e", 4: ">f", 8: ">d"}[width], self.take(width))[0]
        require(math.isfinite(number), "not-finite")
        require(width == shortest_width(number), "not-shortest")


def shortest_width(number):
    for width, form in ((2, ">e"), (4, ">f")):
        with contextlib.suppress(OverflowError):
            if struct.unpack(form, struct.pack(form, number))[0] == number:
                return width
    return 8


def scan(data, texts_only=False, tag=None):
    """Refuses what breaks a rule of the codec; `tag` may stand around the item."""
    scanner = Scanner(data, texts_only)
    scanner.item(tag=tag)
    require(scanner.at == len(data), "trailing-bytes")


def encode(value):
    """The one encoding; cbor2's own canonical one needs four bytes for 65504.0, which fits two."""
    if isinstance(value, float):
        width = shortest_width(value)
        form = {2: ">e", 4: ">f", 8: ">d"}[width]
        return bytes([0xF8 + width.bit_length() - 1]) + struct.pack(form, value)
    if isinstance(value, (list, tuple)):
        return length(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        pairs = sorted(encode(key) + encode(item) for key, item in value.items())
        return length(5, len(value)) + b"".join(pairs)
    return cbor2.dumps(value)


def length(major, count):
    """The head of an array or a map: that of the number, with another major type."""
    head = cbor2.dumps(count)
    return bytes([head[0] | major << 5]) + head[1:]


def decode(data, texts_only=False, tag=None):
    """One item and nothing after it, in the one encoding that is allowed."""
    scan(data, texts_only, tag)
    return cbor2.loads(data)


@functools.cache
def schema():
    return zcbor.DataTranslator.from_cddl(SCHEMA.read_text(), 1 << 20).my_types


def conform(value, name):
    """Refuses what the schema has no place for."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            schema()[name].validate_obj(value)
    except zcbor.CddlValidationError:
        raise Refused("unexpected") from None


def is_uint(value):
    return type(value) is int and value >= 0


def is_bytes(value, count):
    return type(value) is bytes and len(value) == count


def is_list(value, count):
    return isinstance(value, (list, tuple)) and len(value) == count
