#!/usr/bin/env python3
"""A second implementation of the Wake sync protocol, written from docs/PROTOCOL.md alone.

    client.py vectors FOLDER                        judge the vectors in FOLDER
    client.py run LINK [FOLDER] [--wake PROGRAM]    run every step against a server

LINK is what `wake-server invite NAME` prints. The server must be fresh and speak plain HTTP on a
loopback address. With --wake, the real program joins the space, too, and lets this client join.
The client prints one line for each step. It exits with 0 if everything held. Otherwise it prints
the step, what was expected and what came, and exits with 1.
"""

import argparse
import base64
import copy
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

import zstandard
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey, Ed25519PublicKey)
from cryptography.hazmat.primitives.asymmetric.x25519 import (
    X25519PrivateKey, X25519PublicKey)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

NO_ID = bytes(16)
NO_HASH = bytes(32)
REFUSED = 2
LIMIT_TIME = 1 << 63


class Invalid(ValueError):
    """Bytes that break a rule of the protocol."""


class Failed(Exception):
    """A step that did not hold."""


def demand(condition, rule):
    """Raises Invalid with the rule unless the condition holds."""
    if not condition:
        raise Invalid(rule)


# ---- Section 1: CBOR and texts


class Tag:
    """A tagged CBOR item."""

    def __init__(self, number, item):
        self.number, self.item = number, item


class Pairs(list):
    """A map with keys that Python cannot tell apart or hash, as a list of pairs."""


def cbor_head(major, number):
    """Encodes a major type and its argument in the fewest bytes."""
    if number < 24:
        return bytes([major << 5 | number])
    for code, form, limit in ((24, ">B", 8), (25, ">H", 16), (26, ">I", 32), (27, ">Q", 64)):
        if number < 1 << limit:
            return bytes([major << 5 | code]) + struct.pack(form, number)
    raise Invalid("an integer beyond 64 bits")


def encode_float(number):
    """Encodes a finite float in the shortest width that keeps it."""
    for code, form in ((0xf9, ">e"), (0xfa, ">f"), (0xfb, ">d")):
        try:
            packed = struct.pack(form, number)
        except OverflowError:
            continue
        if struct.unpack(form, packed)[0] == number:
            return bytes([code]) + packed
    raise Invalid("a float that is not finite")


def encode(item):
    """Encodes an item as deterministic CBOR."""
    if item is None or isinstance(item, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[item]
    if isinstance(item, int):
        return cbor_head(0, item) if item >= 0 else cbor_head(1, -1 - item)
    if isinstance(item, float):
        return encode_float(item)
    if isinstance(item, bytes):
        return cbor_head(2, len(item)) + item
    if isinstance(item, str):
        text = item.encode()
        return cbor_head(3, len(text)) + text
    if isinstance(item, (dict, Pairs)):
        return encode_map(item.items() if isinstance(item, dict) else item)
    if isinstance(item, (list, tuple)):
        return cbor_head(4, len(item)) + b"".join(encode(each) for each in item)
    return cbor_head(6, item.number) + encode(item.item)


def encode_map(pairs):
    """Encodes a map with its keys in the order of their bytes."""
    encoded = sorted((encode(key), encode(value)) for key, value in pairs)
    demand(len({key for key, _ in encoded}) == len(encoded), "a map key twice")
    return cbor_head(5, len(encoded)) + b"".join(key + value for key, value in encoded)


class Reader:
    """Reads CBOR items and varints from bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        """Returns the next bytes."""
        demand(count <= len(self.data) - self.at, "truncated")
        self.at += count
        return self.data[self.at - count:self.at]

    def head(self):
        """Returns the major type, the low five bits and the argument."""
        first = self.take(1)[0]
        code = first & 31
        demand(code < 28, "a length or number of no definite form")
        number = code if code < 24 else int.from_bytes(self.take(1 << code - 24), "big")
        return first >> 5, code, number

    def item(self, levels=16):
        """Returns the next item, with at most so many levels of arrays and maps."""
        major, code, number = self.head()
        if major < 2:
            demand(number < LIMIT_TIME, "an integer beyond 64 bits signed")
            return number if major == 0 else -1 - number
        if major == 2:
            return self.take(number)
        if major == 3:
            return self.text(number)
        if major == 7:
            return self.simple(code, number)
        if major == 6:
            demand(number in (17, 18), "an unknown tag")
            return Tag(number, self.item(levels))
        demand(levels > 0, "over 16 levels")
        demand(number <= len(self.data) - self.at, "truncated")
        if major == 4:
            return [self.item(levels - 1) for _ in range(number)]
        return self.map(number, levels - 1)

    def map(self, count, levels):
        """Returns a map of so many pairs."""
        pairs = Pairs((self.item(levels), self.item(levels)) for _ in range(count))
        plain = all(type(key) in (int, str, bytes) for key, _ in pairs)
        return dict(pairs) if plain else pairs

    def text(self, count):
        """Returns a text of so many bytes."""
        demand(count <= 16384, "a long text")
        try:
            return self.take(count).decode()
        except UnicodeDecodeError as error:
            raise Invalid("a text that is not UTF-8") from error

    def simple(self, code, number):
        """Returns a boolean, null or a float."""
        forms = {25: ">e", 26: ">f", 27: ">d"}
        if code in forms:
            value = struct.unpack(forms[code], number.to_bytes(1 << code - 24, "big"))[0]
            demand(value - value == 0, "a float that is not finite")
            return value
        demand(code in (20, 21, 22), "an unknown simple value")
        return {20: False, 21: True, 22: None}[code]

    def varint(self):
        """Returns an unsigned LEB128 number in its fewest bytes."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        demand(byte or shift == 7, "a varint with a zero at its end")
        demand(value < 1 << 64, "a varint beyond 64 bits")
        return value


def decode(data):
    """Decodes exactly one deterministic CBOR item."""
    reader = Reader(data)
    item = reader.item()
    demand(reader.at == len(data), "bytes behind the item")
    # Only the deterministic form encodes back to the same bytes.
    demand(encode(item) == data, "CBOR that is not deterministic")
    return item


def varint(number):
    """Encodes an unsigned number as LEB128."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"


def to_base32(data, bits):
    """Writes so many bits of a number in big-endian bytes, in five bits a digit."""
    number = int.from_bytes(data, "big")
    return "".join(DIGITS[number >> at & 31] for at in range(bits - 5, -1, -5))


def from_base32(text, size):
    """Reads base32 digits into so many bytes; unused high bits must be zero."""
    number = 0
    for digit in text:
        demand(digit in DIGITS, "a digit that base32 does not have")
        number = number << 5 | DIGITS.index(digit)
    demand(number < 1 << 8 * size, "base32 that is too great")
    return number.to_bytes(size, "big")


def id_text(identifier):
    """Writes an id as 26 digits."""
    return to_base32(identifier, 130)


def id_from(text):
    """Reads an id of 26 digits."""
    demand(len(text) == 26, "an id that has not 26 digits")
    return from_base32(text, 16)


# ---- Shapes: checks of decoded items


def uint(item):
    """Checks an unsigned integer."""
    demand(isinstance(item, int) and not isinstance(item, bool) and item >= 0, "no number")


def positive(item):
    """Checks an integer of at least one."""
    uint(item)
    demand(item > 0, "a zero")


def text(item):
    """Checks a text."""
    demand(isinstance(item, str), "no text")


def blob(item):
    """Checks a byte string."""
    demand(isinstance(item, bytes), "no byte string")


def size(count):
    """Returns a check of a byte string of exactly so many bytes."""
    def check(item):
        demand(isinstance(item, bytes) and len(item) == count, f"not {count} bytes")
    return check


ident, digest, signature = size(16), size(32), size(64)


def one_of(*values):
    """Returns a check that an item is one of these values, of the same type."""
    def check(item):
        known = any(type(item) is type(value) and item == value for value in values)
        demand(known, f"none of {values}")
    return check


def tuple_of(*checks):
    """Returns a check of an array with one check for each item."""
    def check(item):
        demand(isinstance(item, list) and len(item) == len(checks), "an array of another length")
        for each, rule in zip(item, checks):
            rule(each)
    return check


def list_of(rule, least=1):
    """Returns a check of an array of at least so many alike items."""
    def check(item):
        demand(isinstance(item, list) and len(item) >= least, "no list, or too short")
        for each in item:
            rule(each)
    return check


def either(*rules):
    """Returns a check that one of these checks passes."""
    def check(item):
        for rule in rules:
            try:
                return rule(item)
            except Invalid:
                continue
        raise Invalid("none of the forms")
    return check


def check_map(item, needed, optional, reserved=0):
    """Checks a map with integer keys.

    Unknown keys below `reserved` are rejected; others are skipped.
    """
    demand(isinstance(item, dict), "no map")
    for key in item:
        uint(key)
        demand(key >= reserved or key in needed or key in optional, f"key {key}")
    for key, rule in {**optional, **needed}.items():
        demand(key in item or key in optional, f"key {key} is missing")
        if key in item:
            rule(item[key])
    return item


keypair = tuple_of(digest, digest)
card_kind = one_of("device", "recovery")
card_shape = tuple_of(keypair, ident, card_kind, signature)
vouch_shape = tuple_of(keypair, card_kind, signature)
wrap_shape = tuple_of(ident, digest, size(48))
result_shape = either(tuple_of(one_of(0), uint, one_of(0, 1, 2), text),
                      tuple_of(one_of(1), text, uint))


# ---- Cryptography


def sha(data):
    """Returns the SHA-256 of bytes."""
    return hashlib.sha256(data).digest()


def identify(*preimage):
    """Returns the id that follows from a preimage."""
    return sha(encode(list(preimage)))[:16]


def derive(secret, salt, info):
    """Derives 32 bytes with HKDF-SHA-256."""
    return HKDF(hashes.SHA256(), 32, salt, info).derive(secret)


def e8(epoch):
    """Writes an epoch in 8 bytes."""
    return epoch.to_bytes(8, "big")


def hmac256(key, data):
    """Returns the HMAC-SHA-256 of bytes."""
    return hmac.digest(key, data, "sha256")


def signed_by(key, signed, message):
    """Tells whether a public key signed a message."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signed, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def agree(private, public):
    """Returns the X25519 shared secret; all zeros are rejected."""
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(public))
    except ValueError as error:
        raise Invalid("a shared secret of zeros") from error


def decrypt(key, nonce, data, additional):
    """Decrypts AES-256-GCM."""
    try:
        return AESGCM(key).decrypt(nonce, data, additional)
    except InvalidTag as error:
        raise Invalid("a ciphertext that does not verify") from error


def decompress(data, limit):
    """Decompresses exactly one zstd frame that states its size."""
    try:
        demand(data[:4] == b"\x28\xb5\x2f\xfd", "no zstd frame")
        stated = zstandard.get_frame_parameters(data).content_size
        demand(stated <= limit, "too large, or of no stated size")
        frame = zstandard.ZstdDecompressor().decompressobj()
        content = frame.decompress(data)
        demand(frame.eof and not frame.unused_data, "not exactly one frame")
        demand(len(content) == stated, "another size than stated")
        return content
    except zstandard.ZstdError as error:
        raise Invalid("a broken zstd frame") from error


# ---- Section 2: identities and links


class Keys:
    """The two key pairs of a device, a recovery code or an invitation."""

    def __init__(self, seed=None, agreement=None, label="wake/1/device-id"):
        self.agreement_secret = agreement or os.urandom(32)
        self.signer = Ed25519PrivateKey.from_private_bytes(seed or os.urandom(32))
        secret = X25519PrivateKey.from_private_bytes(self.agreement_secret)
        self.public = [self.signer.public_key().public_bytes_raw(),
                       secret.public_key().public_bytes_raw()]
        self.id = identify(label, *self.public)

    def sign(self, *preimage):
        """Signs a preimage."""
        return self.signer.sign(encode(list(preimage)))

    def card(self, user, kind="device"):
        """Returns the card of these keys."""
        return [self.public, user, kind, self.sign("wake/1/card", user, kind, *self.public)]


def keys_of_link(secret):
    """Derives an invitation's keys from the secret of a device's link."""
    return Keys(derive(secret, None, b"wake/1/link-sign"),
                derive(secret, None, b"wake/1/link-agree"), "wake/1/invite")


def device_of(public):
    """Returns the id of the device with these keys."""
    return identify("wake/1/device-id", *public)


def check_card(card):
    """Checks a card and its own signature."""
    card_shape(card)
    keys, user, kind, signed = card
    preimage = encode(["wake/1/card", user, kind, *keys])
    demand(signed_by(keys[0], signed, preimage), "a card that its key did not sign")


def vouched(signed, card, key):
    """Tells whether a signing key vouches for a card."""
    keys, user, kind, _ = card
    return signed_by(key, signed, encode(["wake/1/vouch", user, kind, *keys]))


def check_proof_shape(proof):
    """Checks the shape of a user proof."""
    demand(isinstance(proof, list), "a user proof that is no list")
    if proof:
        digest(proof[0])
        list_of(vouch_shape, 0)(proof[1:])


def check_user_proof(proof, card):
    """Checks that a user proof leads to a card."""
    check_proof_shape(proof)
    keys, user, kind, _ = card
    founder = proof[0] if proof else keys[0]
    demand(identify("wake/1/user", founder) == user, "a key that does not found the user")
    demand(len(proof) != 1, "a user proof without a vouch")
    demand(len(proof) <= 65, "a user proof of more than 64 vouches")
    key = founder
    for voucher_keys, voucher_kind, signed in proof[1:]:
        demand(vouched(signed, [voucher_keys, user, voucher_kind, b""], key), "a wrong vouch")
        key = voucher_keys[0]
    demand(not proof or proof[-1][:2] == [keys, kind], "a vouch for another card")


LINK = re.compile(r"wake://(\[[0-9A-Za-z:.]+\]|[^:\[\]/?#@\\]+):([1-9][0-9]{0,4})/#([^.]*)"
                  r"(?:\.([^.]*)(?:\.([^.]*)\.([^.]*))?)?", re.ASCII)
BYTE = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
LOOPBACK = re.compile(rf"127(\.{BYTE}){{3}}|\[::1\]|localhost", re.ASCII)


class Link:
    """A link of a server or of a device."""

    def __init__(self, written):
        found = LINK.fullmatch(written)
        demand(found, "no link")
        host, port, secret, trust, space, anchor = found.groups()
        demand(int(port) < 65536 and all("!" <= each <= "~" for each in host), "no address")
        self.authority = f"{host}:{port}"
        self.secret = id_from(secret)
        self.trust, self.space = read_trust(trust, host, space), space and id_from(space)
        demand(space != "", "an empty space")
        if space:
            demand(len(anchor) == 32, "an anchor that has not 32 digits")
            raw = from_base32(anchor, 20)
            self.index, self.hash = int.from_bytes(raw[:4], "big"), raw[4:]


def read_trust(trust, host, space):
    """Returns the trust of a link: `ca`, the digest of a public key, or `plain`."""
    if not trust:
        demand(trust is None or space is not None, "an empty trust without a space")
        demand(LOOPBACK.fullmatch(host), "plain HTTP to another machine")
        return "plain"
    if trust == "ca":
        return trust
    demand(len(trust) == 52, "a trust that has not 52 digits")
    return (id_from(trust[:26]) + id_from(trust[26:])).hex()


def device_link(authority, secret, space, index, newest, trust=""):
    """Writes the link of a device; no trust means plain HTTP."""
    anchor = to_base32(index.to_bytes(4, "big") + newest[:16], 160)
    return f"wake://{authority}/#{id_text(secret)}.{trust}.{id_text(space)}.{anchor}"


def recovery_secret(typed):
    """Reads a recovery code as a person typed it."""
    # The vectors have this limit; PROTOCOL.md does not.
    demand(len(typed.encode()) <= 256, "over 256 bytes")
    digits = "".join(each for each in typed.lower() if each.isalnum())
    digits = digits.translate(str.maketrans("oil", "011"))
    demand(len(digits) == 32, "a recovery code that has not 32 digits")
    raw = from_base32(digits, 20)
    demand(sha(raw[:16])[:4] == raw[16:], "a recovery code with a wrong check")
    return raw[:16]


def recovery_text(secret):
    """Writes a recovery code."""
    digits = to_base32(secret + sha(secret)[:4], 160)
    return "-".join(digits[at:at + 4] for at in range(0, 32, 4))


# ---- Section 3: change sets

header_needed = {
    0: one_of(1), 1: ident, 2: ident, 3: ident, 4: positive, 5: digest,
    6: tuple_of(uint, uint), 7: uint, 8: tuple_of(digest, uint, uint),
    9: tuple_of(ident, uint, digest, uint)}
header_optional = {
    10: list_of(tuple_of(digest, uint)), 11: one_of(1), 12: one_of(True),
    13: list_of(uint), 14: tuple_of(uint, digest)}


def read_header(data):
    """Decodes a header and checks the rules for each key."""
    demand(len(data) <= 4096, "a header of over 4096 bytes")
    header = check_map(decode(data), header_needed, header_optional, 32)
    demand((header[4] == 1) == (header[5] == NO_HASH), "a wrong hash before")
    demand(header[6][0] <= header[6][1], "low beyond high")
    demand(header[7] <= 32768 and max(header[8][1:]) <= 1 << 20, "too many cells or bytes")
    epoch, position, link, _ = header[9]
    demand(position or link == NO_HASH, "a link without a position")
    demand(position or epoch == NO_ID, "a log epoch without a position")
    chunks = header.get(10, [])
    demand(len({each[0] for each in chunks}) == len(chunks), "a chunk twice")
    check_control_keys(header)
    return header


def check_control_keys(header):
    """Checks what a header with key 14 must have."""
    if 14 not in header:
        return
    index, before = header[14]
    demand((index == 0) == (before == NO_HASH), "a wrong control set before")
    demand(header[6] == [index + 1, index + 1] and header[7] == 0, "stamps or cells")
    demand(header[9][3] == index and 11 not in header and 12 not in header, "controls")


def understood(header):
    """Tells whether a reader of this version may merge the set."""
    known = (set(header_needed) | set(header_optional)) - {12}
    return 12 not in header and known.issuperset(header.get(13, []))


def mac_of(key, protected, purpose, payload):
    """Returns the MAC of a COSE_Mac0."""
    return hmac256(key, encode(["MAC0", protected, purpose, payload]))


def seal(key, epoch, purpose, payload):
    """Writes a COSE_Mac0."""
    protected = encode({1: 5, 4: e8(epoch)})
    return encode(Tag(17, [protected, {}, payload, mac_of(key, protected, purpose, payload)]))


def read_cose(data, number, last):
    """Decodes a COSE structure with a tag; returns its protected bytes, payload and last item."""
    item = decode(data)
    demand(isinstance(item, Tag) and item.number == number, "another tag")
    tuple_of(blob, one_of({}), blob, size(last))(item.item)
    protected, _, payload, proof = item.item
    return protected, payload, proof


def read_mac0(data):
    """Decodes a COSE_Mac0; returns its protected bytes, epoch, payload and MAC."""
    protected, payload, mac = read_cose(data, 17, 32)
    fields = decode(protected)
    tuple_of(one_of(5), size(8))([fields[1], fields[4]] if exact(fields, {1, 4}) else None)
    return protected, int.from_bytes(fields[4], "big"), payload, mac


def exact(item, keys):
    """Tells whether an item is a map with exactly these integer keys."""
    return isinstance(item, dict) and set(item) == keys


def open_mac0(data, secrets, owner, label):
    """Verifies a COSE_Mac0 with the secret of its epoch; returns its payload."""
    protected, epoch, payload, mac = read_mac0(data)
    demand(epoch in secrets, "an unknown key epoch")
    key = derive(secrets[epoch], owner, b"wake/1/" + label + b"-mac" + e8(epoch))
    demand(hmac.compare_digest(mac, mac_of(key, protected, b"wake/1/" + label, payload)),
           "a wrong MAC")
    return payload


class Set:
    """A parsed upload of either kind: its header and its hash."""

    def __init__(self, upload):
        self.upload = upload
        self.is_control = upload[:1] == b"\xd2"
        if self.is_control:
            self.protected, self.payload, self.signature = read_cose(upload, 18, 64)
            self.hash = sha(upload)
        else:
            self.sealed = read_mac0(upload)[2]
            self.payload = read_mac0(self.sealed)[2]
            self.hash = sha(self.sealed)
        self.header = read_header(self.payload)
        self.space, self.device, self.replica = (self.header[key] for key in (1, 2, 3))
        self.sequence, self.controls = self.header[4], self.header[9][3]
        demand(self.is_control == (14 in self.header), "key 14 in a set of the other kind")

    @property
    def name(self):
        """The replica, the sequence and the hash."""
        return [self.replica, self.sequence, self.hash]


def order(item):
    """Returns the key that sorts texts and rows: ids before texts, texts by their encoding."""
    return (isinstance(item, str), encode(item))


class Cell:
    """A value with its place and its stamp."""

    def __init__(self, collection, row, field, stamp, replica, value):
        self.place = (collection, encode(row), field)
        self.collection, self.row, self.field = collection, row, field
        self.stamp, self.replica, self.value = stamp, replica, value

    def rank(self):
        """Returns the key by which the last writer wins."""
        return (self.stamp, self.replica, encode(self.value))

    def encoded(self):
        """Returns the bytes that the fingerprint hashes."""
        return encode([self.collection, self.row, self.field, self.stamp, self.replica,
                       self.value])

    def sorted_by(self):
        """Returns the key of the order of cells in a body: by stamp time, row, then field."""
        return (self.stamp, order(self.collection), order(self.row), order(self.field))


def read_cell(data):
    """Decodes a cell as the fingerprint hashes it."""
    item = decode(data)
    tuple_of(text, either(ident, text), text, uint, ident, check_value)(item)
    return Cell(*item)


def check_value(value):
    """Checks that an item is a value of a cell."""
    demand(not isinstance(value, (Tag, Pairs)), "a tag, or a key that is no text")
    if isinstance(value, list):
        for each in value:
            check_value(each)
    if isinstance(value, dict):
        for key, each in value.items():
            text(key)
            check_value(each)


def merge(cells, more):
    """Merges cells into a dictionary by place: the last writer wins."""
    for cell in more:
        old = cells.get(cell.place)
        if old is None or cell.rank() > old.rank():
            cells[cell.place] = cell


def fingerprint(cells):
    """Returns the fingerprint of the cells that won."""
    total = sum(int.from_bytes(sha(cell.encoded()), "big") for cell in cells)
    return (total % (1 << 256)).to_bytes(32, "big")


def planes(numbers, count):
    """Writes indices below a count: no byte, one byte or two planes."""
    if count == 1:
        return b""
    low = bytes(number & 255 for number in numbers)
    return low if count <= 256 else bytes(number >> 8 for number in numbers) + low


def from_planes(data, count, cells):
    """Reads the indices of so many cells."""
    width = 0 if count == 1 else 1 if count <= 256 else 2
    size(width * cells)(data)
    numbers = [0] * cells
    for plane in range(width):
        part = data[plane * cells:(plane + 1) * cells]
        numbers = [number << 8 | byte for number, byte in zip(numbers, part)]
    demand(max(numbers) < count, "an index without a row or field")
    return numbers


def write_groups(rows):
    """Writes the groups of rows, which are in order."""
    groups = {}
    for collection, row in rows:
        groups.setdefault(collection, ([], []))[isinstance(row, str)].append(row)
    return [[collection, b"".join(bytes(each[at] for each in ids) for at in range(16)), texts]
            for collection, (ids, texts) in groups.items()]


def encode_body(cells, low):
    """Writes the one body of these cells."""
    cells = sorted(cells, key=Cell.sorted_by)
    rows = sorted({(cell.collection, cell.row) for cell in cells},
                  key=lambda row: (order(row[0]), order(row[1])))
    fields = sorted({cell.field for cell in cells}, key=order)
    row_at = {row: at for at, row in enumerate(rows)}
    field_at = {field: at for at, field in enumerate(fields)}
    stamps = [low] + [cell.stamp for cell in cells]
    times = b"".join(varint(later - earlier) for earlier, later in zip(stamps, stamps[1:]))
    return encode([
        write_groups(rows), fields, times,
        planes([row_at[cell.collection, cell.row] for cell in cells], len(rows)),
        planes([field_at[cell.field] for cell in cells], len(fields)),
        [[cell.value for cell in cells if cell.field == field] for field in fields]])


def read_rows(groups):
    """Returns the rows of the groups, in their order."""
    rows = []
    for collection, ids, texts in groups:
        count, rest = divmod(len(ids), 16)
        demand(rest == 0 and count + len(texts) > 0, "a group without rows")
        rows += [(collection, bytes(ids[at::count])) for at in range(count)]
        rows += [(collection, each) for each in texts]
    return rows


def read_values(columns, field_of):
    """Returns the value of each cell from the lists of the fields."""
    queues = [iter(column) for column in columns]
    demand([len(column) for column in columns]
           == [field_of.count(at) for at in range(len(columns))], "another number of values")
    return [next(queues[at]) for at in field_of]


body_shape = tuple_of(
    list_of(tuple_of(text, blob, list_of(text, 0))), list_of(text), blob, blob, blob,
    list_of(list_of(check_value)))


def decode_body(data, replica, low, high, count):
    """Decodes a body of so many cells; the stamp times lie from low to high."""
    item = decode(data)
    body_shape(item)
    groups, fields, times, row_plane, field_plane, columns = item
    demand(count > 0 and len(fields) == len(columns), "a field without values")
    rows = read_rows(groups)
    row_of = from_planes(row_plane, len(rows), count)
    field_of = from_planes(field_plane, len(fields), count)
    reader, stamp, cells = Reader(times), low, []
    for row, field, value in zip(row_of, field_of, read_values(columns, field_of)):
        stamp += reader.varint()
        cells.append(Cell(*rows[row], fields[field], stamp, replica, value))
    demand(reader.at == len(times), "times behind the last cell")
    demand(stamp <= high, "a stamp time beyond the header's")
    demand(len({cell.place for cell in cells}) == count, "a place twice")
    demand(encode_body(cells, low) == data, "a body that is not the one of its cells")
    return cells


def is_reference(value):
    """Tells whether a value refers to a chunk."""
    try:
        tuple_of(digest, positive, positive)(value[:3] if isinstance(value, list) else None)
        return len(value) < 5 and value[1] <= 262144 and value[2] <= 15
    except Invalid:
        return False


def references(cells):
    """Returns `[hash, bytes]` of the chunks that cells refer to, in their order."""
    ordered = sorted(cells, key=lambda cell: cell.sorted_by()[1:])
    found = {cell.value[0]: cell.value[:2] for cell in reversed(ordered)
             if is_reference(cell.value)}
    return list(reversed(found.values()))


def read_body(header, body):
    """Checks a body against its header; returns its cells."""
    stated, sent, plain = header[8]
    demand(len(body) == sent and sha(body) == stated, "another body")
    if header.get(11):
        body = decompress(body, 1 << 20)
    demand(len(body) == plain, "another length when decompressed")
    cells = decode_body(body, header[3], *header[6], header[7])
    demand(references(cells) == header.get(10, []), "chunks other than the header's")
    return cells


# ---- Section 4: control sets

ROLES = ("viewer", "contributor", "editor", "admin", "owner")
CUTS = list_of(tuple_of(ident, positive, digest), 0)
HELD = list_of(tuple_of(ident, positive, digest))
# The most held sets that one control set decides on.
DECISION_LIMIT = 64

ACTIONS = {
    "found": (one_of("own", "shared"), ident, uint, card_shape, check_proof_shape),
    "epoch": (positive, digest, either(size(60), one_of(None)), digest),
    "invite": (keypair, one_of("device", *ROLES), uint, uint, wrap_shape),
    "close": (list_of(ident),),
    "join": (card_shape, check_proof_shape, ident, signature, list_of(wrap_shape, 0)),
    "card": (card_shape, ident, signature, list_of(wrap_shape, 0)),
    "revoke": (list_of(ident), CUTS, one_of(False, True)),
    "role": (ident, one_of(*ROLES), CUTS, one_of(False, True)),
    "remove": (ident, CUTS, one_of(False, True)),
    "leave": (CUTS,),
    "adopt": (HELD,),
    "decline": (HELD,),
    "server": (ident, list_of(tuple_of(ident, uint, digest), 0)),
    "wrap": (positive, list_of(wrap_shape)),
}


def read_control(item, body):
    """Checks a control set by itself; returns its time and actions."""
    demand(item.is_control and body is not None, "no control set with its body")
    stated, sent, plain = item.header[8]
    demand(sent == plain, "a compressed control set")
    demand(len(body) == sent and sha(body) == stated, "another body")
    content = decode(body)
    tuple_of(uint, list_of(list_of(lambda _: None)))(content)
    for action in content[1]:
        demand(isinstance(action[0], str) and action[0] in ACTIONS, "an unknown action")
        tuple_of(text, *ACTIONS[action[0]])(action)
        demand(action[0] != "epoch" or (action[3] is None) == (action[1] == 1), "earlier")
    return content


def control_signed(item, key):
    """Tells whether a key signed a control set that names its author."""
    if item.protected != encode({1: -8, 4: item.device}):
        return False
    message = encode(["Signature1", item.protected, b"wake/1/control", item.payload])
    return signed_by(key, item.signature, message)


# The most cards of a user at a time, and the most recipients of a secret.
CARD_LIMIT, WRAP_LIMIT = 64, 3500


class Card:
    """A card in a control chain, and the spans of indices in which it was in the space."""

    def __init__(self, card, spans=()):
        self.keys, self.user, self.kind, _ = card
        self.spans, self.is_revoked = list(spans), False

    def is_live(self):
        """Tells whether the card is in the space."""
        return self.spans[-1].end is None


class Span:
    """From the index that let a card in to the one that ended that, with the cuts."""

    def __init__(self, start):
        self.start, self.end, self.cuts = start, None, {}


class Invitation:
    """An invitation in a control chain."""

    def __init__(self, keys, role, uses, expiry, maker):
        self.keys, self.role, self.uses = keys, role, uses
        self.left, self.expiry, self.maker = uses, expiry, maker


def governs(role, other):
    """Tells whether a member of one role may change the role of one of another."""
    return role == "owner" or role == "admin" and other not in ("owner", "admin")


class Chain:
    """The state that the control chain of one space leads to."""

    def __init__(self, space):
        self.space, self.user, self.founder, self.kind = space, None, None, None
        self.sets, self.hashes, self.epochs = [], [], []
        self.cards, self.open, self.invited, self.wraps = {}, {}, set(), []
        # Of each user that ever was a member: (index, role or None, cuts or None).
        self.members = {}
        # What was decided on held sets: (replica, sequence, hash) => adopt or decline.
        self.decisions = {}
        self.needs_epoch = False

    def copy(self):
        """Returns a copy that can be changed without changing this state."""
        other = copy.copy(self)
        for name in ("sets", "hashes", "epochs", "wraps"):
            setattr(other, name, getattr(self, name).copy())
        other.decisions = dict(self.decisions)
        for name in ("cards", "open", "members"):
            setattr(other, name, copy.deepcopy(getattr(self, name)))
        return other

    def last(self):
        """Returns the hash of the last control set."""
        return self.hashes[-1] if self.hashes else NO_HASH

    def live(self):
        """Returns the ids of the cards that are live."""
        return {key for key, card in self.cards.items() if card.is_live()}

    def role(self, user):
        """Returns the role of a user; None for one who is no member."""
        return self.members[user][-1][1] if user in self.members else None

    def roles(self):
        """Returns the members with their roles."""
        return {user: self.role(user) for user in self.members if self.role(user)}

    def demand_owner(self):
        """Demands that a live card of an owner remains."""
        demand(any(self.role(self.cards[key].user) == "owner" for key in self.live()), "no owner")

    def devices(self, user):
        """Returns all devices that a user ever had in the space."""
        return [key for key, card in self.cards.items()
                if card.user == user and card.kind == "device"]

    def apply(self, item, body, chunk=None, now=None, logged=()):
        """Applies one control set as a whole, or raises Invalid and changes nothing."""
        demand(item.space == self.space, "another space")
        actions = read_control(item, body)[1]
        index, before = item.header[14]
        demand(index == len(self.sets) and before == self.last(), "stale")
        state = self.copy()
        demand(control_signed(item, state.author_key(item.device, actions)), "bad-signature")
        state.sets.append(item)
        state.hashes.append(item.hash)
        for at, action in enumerate(actions):
            rule = getattr(state, "apply_" + action[0])
            rule(item, action, Context(at, actions, chunk, now, logged))
        self.__dict__ = state.__dict__

    def author_key(self, author, actions):
        """Returns the signing key of the author: a live card, or the one that comes in."""
        if author in self.live():
            return self.cards[author].keys[0]
        first = actions[0]
        place = {"found": 4, "join": 1, "card": 1}.get(first[0])
        demand(place and device_of(first[place][0]) == author, "an author without a live card")
        demand(first[place][2] == "device", "an author that is no device")
        return first[place][0][0]

    def admit(self, card, index):
        """Lets a card in: a new one, or one that left with its user."""
        check_card(card)
        key = device_of(card[0])
        known = self.cards.get(key)
        demand(known is None or not known.is_live() and not known.is_revoked, "a known card")
        demand(known or all(each.keys[0] != card[0][0] for each in self.cards.values()),
               "the signing key of another card")
        of_user = [each for each in self.live() if self.cards[each].user == card[1]]
        demand(len(of_user) < CARD_LIMIT and self.has_room(), "more cards than a user may have")
        self.cards[key] = Card(card, [*(known.spans if known else ()), Span(index)])
        return key

    def has_room(self):
        """Tells whether a key epoch can have one recipient more."""
        return len(self.live()) + len(self.open) < WRAP_LIMIT

    def enrol(self, user, role, index):
        """Makes a user a member."""
        self.members.setdefault(user, []).append((index, role, None))

    def by(self, item, least="viewer"):
        """Demands that the author is a live device of a role, or a higher one; returns it."""
        demand(item.device in self.live() and self.cards[item.device].kind == "device",
               "an author that is no live device")
        role = self.role(self.cards[item.device].user)
        demand(role and ROLES.index(role) >= ROLES.index(least), "an author of a lower role")
        return role

    def check_wraps(self, entries):
        """Demands that wrap entries are to live cards or open invitations."""
        demand(all(each[0] in self.live() | set(self.open) for each in entries),
               "a wrap to a stranger")
        self.wraps += entries

    def apply_found(self, item, action, context):
        """Applies `found`."""
        _, kind, nonce, policy, card, proof = action
        demand(item.header[14][0] == 0 and context.at == 0, "a founding that is not the first")
        demand(policy == 1 and card[2] == "device", "founding")
        demand(kind == "shared" or proof == [], "an own space that a later device founds")
        key = card[0][0]
        demand(identify("wake/1/space", kind, key, nonce) == self.space, "another space")
        demand(any(each[0] == "epoch" for each in context.actions), "no key epoch")
        check_user_proof(proof, card)
        self.user, self.founder, self.kind = card[1], proof[0] if proof else key, kind
        self.enrol(card[1], "owner", 0)
        demand(self.admit(card, 0) == item.device, "a founding by another")

    def apply_epoch(self, item, action, context):
        """Applies `epoch`."""
        _, number, secret_hash, earlier, chunk_hash = action
        self.by(item, "admin")
        demand(number == len(self.epochs) + 1, "a wrong number of a key epoch")
        named = [each[0] for each in item.header.get(10, [])]
        demand(chunk_hash in named, "a chunk of wraps that the header does not name")
        if context.chunk is not None:
            demand(sha(context.chunk) == chunk_hash, "another chunk of wraps")
            epoch, _, wraps = read_wraps(context.chunk)
            demand(epoch == number, "wraps of another key epoch")
            demand({each[0] for each in wraps} == self.live() | set(self.open), "recipients")
        self.epochs.append((secret_hash, earlier, chunk_hash))
        self.wraps, self.needs_epoch = [], False

    def apply_invite(self, item, action, _):
        """Applies `invite`."""
        _, keys, role, uses, expiry, wrap = action
        author = self.by(item, "admin")
        key = identify("wake/1/invite", *keys)
        demand(uses > 0 and key not in self.invited and self.has_room(), "an invitation")
        if self.kind == "own":
            demand(role == "device" and uses == 1, "an invitation of another kind")
        else:
            demand(role not in ("device", "owner") and governs(author, role), "an invitation")
        demand(wrap[0] == key, "a wrap to another")
        self.open[key] = Invitation(keys, role, uses, expiry, item.device)
        self.invited = self.invited | {key}
        self.check_wraps([wrap])

    def apply_close(self, item, action, _):
        """Applies `close`."""
        self.by(item, "admin")
        for key in action[1]:
            demand(self.open.pop(key, None), "an invitation that is not open")
        self.needs_epoch = True

    def apply_join(self, item, action, context):
        """Applies `join`."""
        _, card, proof, key, permit, wraps = action
        invitation = self.open.get(key)
        demand(invitation, "an invitation that is not open")
        demand(context.now is None or context.now < invitation.expiry * 1000, "expired")
        demand(card[2] == "device" and device_of(card[0]) == item.device, "a join for another")
        message = encode(["wake/1/join", self.space, key, card[1], *card[0]])
        demand(signed_by(invitation.keys[0], permit, message), "a wrong permit")
        index = item.header[14][0]
        if self.kind == "own":
            demand(proof == [self.founder], "a user proof with vouches")
            demand(card[1] == self.user, "a card of another user")
        else:
            demand(self.role(card[1]) is None, "a join of a member")
            check_user_proof(proof, card)
            self.check_vouchers(proof)
            self.enrol(card[1], invitation.role, index)
        self.admit(card, index)
        invitation.left -= 1
        if not invitation.left:
            del self.open[key]
        self.check_wraps(wraps)

    def check_vouchers(self, proof):
        """Demands that cards that were revoked here vouch only for cards that were here."""
        revoked = {card.keys[0] for card in self.cards.values() if card.is_revoked}
        key = proof[0] if proof else None
        for keys, _, _ in proof[1:]:
            demand(key not in revoked or device_of(keys) in self.cards, "a revoked voucher")
            key = keys[0]

    def apply_card(self, item, action, _):
        """Applies `card`."""
        _, card, voucher, signed, wraps = action
        demand(voucher in self.live(), "a voucher that is not live")
        own = card[2] == "device" and device_of(card[0]) == item.device
        own = own and item.device not in self.cards
        demand(own or item.device == voucher, "a card by a third")
        demand(card[1] == self.cards[voucher].user, "a voucher of another user")
        demand(vouched(signed, card, self.cards[voucher].keys[0]), "a wrong vouch")
        self.admit(card, item.header[14][0])
        self.check_wraps(wraps)

    def apply_revoke(self, item, action, context):
        """Applies `revoke`."""
        _, revoked, cuts, retroactive = action
        demand(item.device in self.live(), "an author that is not live")
        demand(len(set(revoked)) == len(revoked), "a card twice")
        demand(all(key in self.live() and self.may_revoke(item.device, key) for key in revoked),
               "a card that is not live, or of another")
        self.end(revoked, cuts, retroactive, item, context)
        for key in revoked:
            self.cards[key].is_revoked = True
        self.demand_owner()
        self.needs_epoch = True

    def may_revoke(self, author, target):
        """Tells whether a card may revoke another one."""
        by, card = self.cards[author], self.cards[target]
        if author == target:
            return True
        if by.kind == "recovery":
            return False
        role = self.role(by.user)
        if card.kind == "recovery":
            return self.kind == "shared" and role == "owner"
        return by.user == card.user or governs(role, self.role(card.user))

    def end(self, keys, cuts, retroactive, item, context):
        """Takes cards out of the space."""
        demand(retroactive or not below_log(keys, cuts, context.logged), "stale cuts")
        for key in keys:
            span = self.cards[key].spans[-1]
            span.end, span.cuts = item.header[14][0], first_cuts(cuts)
        self.close_links(keys)

    def close_links(self, makers):
        """Closes the invitations of these devices, and those for several uses."""
        kept = {key: each for key, each in self.open.items()
                if each.maker not in makers and each.uses == 1}
        self.needs_epoch = self.needs_epoch or len(kept) < len(self.open)
        self.open = kept

    def apply_role(self, item, action, context):
        """Applies `role`."""
        _, user, role, cuts, retroactive = action
        author, before = self.by(item, "admin"), self.role(user)
        demand(self.kind == "shared" and before not in (None, role), "no change of a role")
        demand(governs(author, before) and governs(author, role), "roles above the author's")
        is_lower = ROLES.index(role) < ROLES.index(before)
        demand(is_lower or cuts == [], "cuts of a rise")
        if is_lower:
            devices = self.devices(user)
            demand(retroactive or not below_log(devices, cuts, context.logged), "stale cuts")
            self.close_links(devices)
        kept = first_cuts(cuts) if is_lower else None
        self.members[user].append((item.header[14][0], role, kept))
        self.demand_owner()

    def apply_remove(self, item, action, context):
        """Applies `remove`."""
        _, user, cuts, retroactive = action
        author, role = self.by(item, "admin"), self.role(user)
        demand(role and governs(author, role), "a removal of a higher role, or of no member")
        self.end_membership(user, cuts, retroactive, item, context)

    def apply_leave(self, item, action, context):
        """Applies `leave`."""
        self.by(item)
        self.end_membership(self.cards[item.device].user, action[1], False, item, context)

    def end_membership(self, user, cuts, retroactive, item, context):
        """Ends what a user has in the space."""
        stale = below_log(self.devices(user), cuts, context.logged)
        demand(retroactive or not stale, "stale cuts")
        keys = [key for key in self.live() if self.cards[key].user == user]
        self.end(keys, cuts, True, item, context)
        self.members[user].append((item.header[14][0], None, first_cuts(cuts)))
        self.demand_owner()
        self.needs_epoch = True

    def apply_adopt(self, item, action, context):
        """Applies `adopt`."""
        self.decide(item, action, context)

    def apply_decline(self, item, action, context):
        """Applies `decline`."""
        self.decide(item, action, context)

    def decide(self, item, action, context):
        """Decides on held sets, for ever."""
        self.by(item, "admin")
        count = sum(len(each[1]) for each in context.actions if each[0] in ("adopt", "decline"))
        demand(count <= DECISION_LIMIT, "more decisions than a server can check at once")
        for name in map(tuple, action[1]):
            demand(name not in self.decisions, "a second decision")
            self.decisions[name] = action[0]

    def apply_server(self, item, _, __):
        """Applies `server`."""
        self.by(item, "owner")

    def apply_wrap(self, item, action, _):
        """Applies `wrap`."""
        demand(item.device in self.live(), "an author that is not live")
        demand(action[1] == len(self.epochs), "wraps of another key epoch")
        self.check_wraps(action[2])

    def answer(self, item):
        """Tells which change sets count: pending, void, held or valid."""
        found = self.answer_before_adoption(item)
        name = (item.replica, item.sequence, item.hash)
        return "valid" if found == "held" and self.decisions.get(name) == "adopt" else found

    def answer_before_adoption(self, item):
        """Tells which change sets count if nobody adopts any."""
        if item.controls > len(self.sets):
            return "pending"
        card = self.cards.get(item.device)
        spans = [each for each in card.spans if each.start < item.controls] if card else []
        if not spans or card.kind != "device":
            return "void"
        if spans[-1].end is not None and item.controls > spans[-1].end:
            return "held"
        later = [cuts for index, _, cuts in self.members[card.user] if index >= item.controls]
        later += [each.cuts for each in card.spans
                  if each.end is not None and each.end >= item.controls]
        is_cut = any(cuts is not None and not within_cut(item, cuts) for cuts in later)
        return "held" if is_cut else "valid"


def within_cut(item, cuts):
    """Tells whether a change set lies within the cut of its replica."""
    cut = cuts.get(item.replica)
    return cut is not None and (item.sequence < cut[1]
                                or item.sequence == cut[1] and item.hash == cut[2])


class Context:
    """What an action is judged with, besides the state."""

    def __init__(self, at, actions, chunk, now, logged):
        self.at, self.actions, self.chunk, self.now, self.logged = at, actions, chunk, now, logged


def first_cuts(cuts):
    """Returns the first cut of each replica."""
    return {cut[0]: cut for cut in reversed(cuts)}


def below_log(revoked, cuts, logged):
    """Tells whether a cut of a revoked device lies below the log."""
    found = first_cuts(cuts)
    return any(device in revoked and (replica not in found or found[replica][1] < sequence)
               for sequence, device, replica in logged)


# ---- Section 4: wraps of a space's secret


def wrap_key(shared, space, epoch, recipient, ephemeral, agreement):
    """Derives the key of a wrap."""
    return derive(shared, space, encode(
        ["wake/1/wrap", space, epoch, recipient, ephemeral, agreement]))


def wrap(secret, space, epoch, recipient, agreement, ephemeral):
    """Wraps a secret to an agreement key; returns the 48 bytes."""
    key = wrap_key(agree(ephemeral.agreement_secret, agreement), space, epoch, recipient,
                   ephemeral.public[1], agreement)
    return AESGCM(key).encrypt(bytes(12), secret, None)


def unwrap(entry, keys, space, epoch):
    """Decrypts a wrap entry with the keys of its recipient."""
    recipient, ephemeral, wrapped = entry
    key = wrap_key(agree(keys.agreement_secret, ephemeral), space, epoch, recipient, ephemeral,
                   keys.public[1])
    return decrypt(key, bytes(12), wrapped, None)


def secret_hash(space, epoch, secret):
    """Returns the secret hash of a key epoch."""
    return sha(encode(["wake/1/secret", space, epoch, secret]))


def earlier_key(secret, space, epoch):
    """Derives the key under which an epoch keeps the secret before."""
    return derive(secret, space, b"wake/1/earlier" + e8(epoch))


def write_earlier(secret, before, space, epoch):
    """Encrypts the secret of the epoch before."""
    nonce = os.urandom(12)
    return nonce + AESGCM(earlier_key(secret, space, epoch)).encrypt(
        nonce, before, space + e8(epoch - 1))


def read_earlier(data, secret, space, epoch):
    """Decrypts the secret of the epoch before."""
    return decrypt(earlier_key(secret, space, epoch), data[:12], data[12:],
                   space + e8(epoch - 1))


def write_wraps(secret, space, epoch, recipients):
    """Writes the chunk of wraps to agreement keys by recipient."""
    once = Keys()
    wraps = [[key, wrap(secret, space, epoch, key, recipients[key], once)]
             for key in sorted(recipients)]
    return b"\x20" + encode([epoch, once.public[1], wraps])


def read_wraps(chunk):
    """Decodes a chunk of wraps."""
    kind, content = read_chunk(chunk)
    demand(kind == 2, "no chunk of wraps")
    item = decode(content)
    tuple_of(positive, digest, list_of(tuple_of(ident, size(48))))(item)
    recipients = [each[0] for each in item[2]]
    demand(len(recipients) <= 3500, "too many wraps")
    demand(recipients == sorted(set(recipients)), "wraps out of order")
    return item


def read_chunk(chunk):
    """Returns the kind and the content of a chunk; None for a kind that is not read."""
    demand(0 < len(chunk) <= 262144, "a chunk of a wrong length")
    kind, encoding = divmod(chunk[0], 16)
    demand(kind, "a chunk of kind 0")
    if kind > 5:
        return kind, None
    demand(encoding < 2, "an unknown encoding of a chunk")
    content = decompress(chunk[1:], 1 << 20) if encoding else chunk[1:]
    return kind, content


# ---- Sections 5 to 9: what travels around a set


def judgement(space, name, verdict):
    """Returns the bytes of a judgement."""
    return encode([space, *name, verdict])


def next_link(link, judged):
    """Returns the next link of the log."""
    return sha(link + judged)


def head_message(item, control):
    """Returns what a head signature signs."""
    return encode(["wake/1/head", item.space, item.device, item.replica, item.sequence,
                   item.hash, control])


def read_push_item(data):
    """Decodes a push item."""
    return check_map(decode(data), {1: blob}, {2: blob, 3: list_of(blob), 8: signature}, 32)


def read_refill_item(data):
    """Decodes a refill item."""
    return check_map(decode(data), {0: blob}, {1: one_of(0, 1, 2), 2: digest, 4: text})


def read_entry(data):
    """Decodes a log entry."""
    item = decode(data)
    shared = {2: blob, 8: signature, 40: text}
    if isinstance(item, dict) and not item.keys() & {1, 4, 5}:
        return check_map(item, {0: uint}, {}, 32)
    return check_map(item, {0: uint, 1: blob, 4: one_of(0, 1, 2), 5: digest}, shared, 32)


def check_challenge(item):
    """Checks the shape of a challenge."""
    demand(isinstance(item, str) and re.fullmatch(r"[A-Za-z0-9_-]{64}", item), "a challenge")


def short_name(item):
    """Checks a device's name."""
    text(item)
    demand(len(item.encode()) <= 200, "a long name")


def read_enrol_request(data):
    """Decodes the request of an enrolment."""
    item = check_map(decode(data), {}, {
        0: text, 1: digest, 2: list_of(tuple_of(ident, signature)), 3: ident,
        4: positive, 5: list_of(blob), 6: short_name, 7: ident, 8: positive})
    for each in item.get(5, []):
        read_refill_item(each)
    return item


def read_enrol_reply(data):
    """Decodes the reply of an enrolment."""
    item = check_map(decode(data), {0: text}, {
        1: ident, 2: list_of(blob), 3: blob, 4: list_of(result_shape),
        5: tuple_of(uint, digest)})
    for each in item.get(2, []):
        read_entry(each)
    return item


def signature_base(method, authority, path, query, fields, components, parameters):
    """Returns the text that a request signature covers."""
    values = {"@method": method, "@authority": authority.lower(), "@path": path,
              "@query": "?" + query, **fields}
    lines = [f'"{each}": {values[each]}' for each in components]
    listed = " ".join(f'"{each}"' for each in components)
    return "\n".join(lines + [f'"@signature-params": ({listed}){parameters}'])


COMPONENTS = ["@method", "@authority", "@path", "@query", "content-digest"]


def in_base64(data):
    """Writes base64 with padding."""
    return base64.b64encode(data).decode()


def digest_field(body):
    """Returns `content-digest` (RFC 9530)."""
    return f"sha-256=:{in_base64(sha(body))}:"


def request_fields(key, method, authority, path, body, created, nonce, name):
    """Returns the three header fields that sign a request."""
    checked = digest_field(body)
    parameters = (f';created={created};nonce="{nonce}";keyid="{name}"'
                  ';alg="hmac-sha256";tag="wake"')
    base = signature_base(method, authority, path, "", {"content-digest": checked}, COMPONENTS,
                          parameters)
    listed = base.rpartition('"@signature-params": ')[2]
    return {"content-digest": checked, "signature-input": "wake=" + listed,
            "signature": f"wake=:{in_base64(hmac256(key, base.encode()))}:"}


# ---- Section 10: what chunks contain

CHANNELS = """segment time latitude longitude altitude speed course heading-true heading-magnetic
    variation heel pitch heart-rate cadence power temperature depth wind-speed-true
    wind-angle-true wind-speed-apparent wind-angle-apparent accuracy dilution satellites
    water-speed water-temperature rudder pressure wind-direction-true rollover""".split()


def signed64(number):
    """Returns a number modulo 2^64, as a signed one."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def predict(readings, order_of):
    """Returns what an order predicts from the readings before."""
    if order_of == 0 or not readings:
        return 0
    last = readings[-1]
    return 2 * last - readings[-2] if order_of == 2 and len(readings) > 1 else last


def zigzags(readings, order_of):
    """Returns the zigzag numbers of the residuals under an order of prediction."""
    numbers = []
    for at, reading in enumerate(readings):
        residual = signed64(reading - predict(readings[max(at - 2, 0):at], order_of))
        numbers.append(residual << 1 if residual >= 0 else -1 - (residual << 1))
    return numbers


def best_order(readings):
    """Returns the order whose zigzag numbers have the fewest significant bits."""
    return min(range(3), key=lambda each: sum(
        number.bit_length() for number in zigzags(readings, each)))


def varint_planes(numbers):
    """Writes varints in planes: the first byte of each, then the second bytes, and so on."""
    encoded = [varint(number) for number in numbers]
    return b"".join(bytes(each[at] for each in encoded if at < len(each)) for at in range(10))


def read_planes(data, count):
    """Reads so many varints from planes."""
    reader, encoded = Reader(data), [b""] * count
    open_at = list(range(count))
    while open_at:
        for at, byte in zip(open_at, reader.take(len(open_at))):
            encoded[at] += bytes([byte])
        open_at = [at for at in open_at if encoded[at][-1] > 127]
    demand(reader.at == len(data), "bytes behind the planes")
    return [Reader(each).varint() for each in encoded]


def read_column(reader, samples):
    """Reads a column of samples; returns its channel and its readings by sample."""
    channel, form = reader.varint(), reader.take(1)[0]
    demand(channel < 65536 and form & 3 < 3 and form < 8, "a channel or a form")
    present = list(range(samples))
    if form & 4:
        bits = int.from_bytes(reader.take((samples + 7) // 8), "little")
        present = [at for at in present if bits >> at & 1]
        demand(bits >> samples == 0 and 0 < len(present) < samples, "a bitmap")
    planes = reader.take(reader.varint())
    readings = []
    for number in read_planes(planes, len(present)):
        residual = number >> 1 if number % 2 == 0 else -1 - (number >> 1)
        readings.append(signed64(residual + predict(readings[-2:], form & 3)))
    demand(best_order(readings) == form & 3, "another order of prediction")
    return channel, dict(zip(present, readings))


def read_samples(content):
    """Decodes samples; returns the readings of each by channel."""
    reader = Reader(content)
    samples, columns = reader.varint(), reader.varint()
    demand(0 < samples <= 4096, "no samples, or too many")
    rows, before = [{} for _ in range(samples)], -1
    for _ in range(columns):
        channel, readings = read_column(reader, samples)
        demand(channel > before, "columns out of order")
        before = channel
        for at, reading in readings.items():
            rows[at][channel] = reading
    demand(reader.at == len(content), "bytes behind the columns")
    return rows


def read_manifest(content):
    """Decodes a manifest."""
    item = decode(content)
    tuple_of(positive, list_of(tuple_of(digest, positive)))(item)
    kind, chunks = item
    demand(1 < kind < 16 and len(chunks) <= 4096, "a kind, or too many chunks")
    demand(len({each[0] for each in chunks}) == len(chunks), "a chunk twice")
    demand(max(each[1] for each in chunks) <= 262144, "a chunk that is too long")
    return item


def read_rows_chunk(content):
    """Decodes a chunk of rows; returns its groups."""
    groups = decode(content)
    list_of(tuple_of(ident, positive, uint, blob))(groups)
    replicas = [each[0] for each in groups]
    demand(replicas == sorted(set(replicas)), "replicas out of order")
    demand(sum(each[1] for each in groups) <= 32768, "too many cells")
    for replica, count, low, body in groups:
        cells = decode_body(body, replica, low, LIMIT_TIME - 1, count)
        demand(cells[0].stamp == low, "another least stamp time")
    return groups


def number64(item):
    """Checks an integer."""
    demand(type(item) is int, "no integer")


def within(low, high):
    """Returns a check of an integer from low to high."""
    def check(item):
        demand(type(item) is int and low <= item <= high, f"not {low} to {high}")
    return check


def check_span(item):
    """Checks a time and a duration that does not end before it begins."""
    tuple_of(number64, number64)(item)
    demand(signed64(sum(item)) >= item[0], "an end before the beginning")


HALF, TURN = 900_000_000, 3_600_000_000
nothing = one_of(None)


def check_box(item):
    """Checks a box."""
    tuple_of(within(-HALF, HALF), within(-TURN // 2, TURN // 2), within(0, TURN // 2),
             within(0, TURN))(item)
    demand(item[0] + item[2] <= HALF, "a box beyond the pole")


def check_filtered(item, south, points):
    """Checks what the outlier filter found."""
    def limit(each):
        demand(type(each) in (int, float) and each > 0, "no speed limit")
    fix = either(nothing, tuple_of(either(nothing, number64), within(-HALF - south, HALF - south),
                                   within(0, TURN), number64))
    tuple_of(one_of(1), either(nothing, limit), within(0, points), uint, either(nothing, uint),
             either(nothing, check_span), fix, fix)(item)
    demand((item[6] is None) == (item[7] is None), "one fix of two")


def read_summary(item):
    """Returns a summary of samples, without its last part if that is not valid; else None."""
    try:
        tuple_of(within(1, 4096), within(0, 4096), either(nothing, check_span),
                 either(nothing, check_box), lambda _: None)(item)
        samples, points, _, box, found = item
        demand(points <= samples, "more points than samples")
        # More flagged fixes than points make the whole summary invalid.
        flagged = found[2] if isinstance(found, list) and len(found) == 8 else 0
        demand(type(flagged) is not int or flagged <= points, "more flagged fixes than points")
    except Invalid:
        return None
    try:
        check_filtered(found, box[0] if box else 0, points)
        return item
    except Invalid:
        return item[:4] + [None]


# ---- The vectors


class Case:
    """One case of a vector file."""

    def __init__(self, lines):
        self.kind, _, self.title = lines[0].partition(": ")
        self.given, self.expected, target = {}, {}, "given"
        for line in lines[1:]:
            key, _, value = line.partition(":")
            if key == "expect":
                self.verdict, target = value.strip(), "expected"
            else:
                getattr(self, target).setdefault(key, []).append(value.removeprefix(" "))

    def all(self, key):
        """Returns the values of a key in the input."""
        return self.given.get(key, [])

    def text(self, key):
        """Returns the only value of a key in the input."""
        return self.given[key][0]

    def number(self, key):
        """Returns a number of the input."""
        return int(self.text(key))

    def bytes(self, key):
        """Returns bytes of the input."""
        return from_hex(self.text(key))


def from_hex(written):
    """Reads hexadecimal digits, with comments and `XX*N` for repeated bytes."""
    out = b""
    for line in written.split("\n"):
        for word in line.partition("#")[0].split():
            digits, _, times = word.partition("*")
            out += bytes.fromhex(digits[:-2]) + bytes.fromhex(digits[-2:]) * int(times or 1)
    return out


def read_cases(path):
    """Reads the cases of a vector file."""
    for block in path.read_text().split("\n\n"):
        lines = []
        for line in block.split("\n"):
            if line.startswith(" "):
                lines[-1] += "\n" + line.strip()
            elif line and not line.startswith("#"):
                lines.append(line)
        if lines:
            yield Case(lines)


def judge_value(case):
    """Judges a value in CBOR."""
    value = decode(case.bytes("input"))
    check_value(value)
    return {"decoded": decoded_text(value)} if "decoded" in case.expected else {}


def decoded_text(value):
    """Writes a value in the notation of the vectors."""
    if isinstance(value, float):
        return f"double'{struct.pack('>d', value).hex()}'"
    if isinstance(value, bytes):
        return f"h'{value.hex()}'"
    if isinstance(value, list):
        return f"[{', '.join(decoded_text(each) for each in value)}]"
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: order(pair[0]))
        return "{%s}" % ", ".join(f"{decoded_text(key)}: {decoded_text(each)}"
                                  for key, each in pairs)
    return json.dumps(value, ensure_ascii=False).replace("\\n", "\\u000a")


def judge_body(case):
    """Judges a body under a header."""
    cells = decode_body(case.bytes("input"), case.bytes("replica"), case.number("low"),
                        case.number("high"), case.number("cells"))
    chunks = [[from_hex(each.split()[1]), int(each.split()[0])] for each in case.all("chunk")]
    demand(references(cells) == chunks, "other chunks")
    return {"cell": in_order_of_places(cells)}


def in_order_of_places(cells):
    """Returns cells as the vectors list them: by row, then field."""
    return [cell.encoded() for cell in sorted(cells, key=lambda cell: cell.sorted_by()[1:])]


def judge_header(case):
    """Judges a header."""
    header = read_header(case.bytes("input"))
    known = {key: value for key, value in header.items() if key < 32}
    log, position, link, controls = header[9]
    index, before = header.get(14, ["none", None])
    return {"space": header[1], "device": header[2], "replica": header[3], "sequence": header[4],
            "previous": header[5], "low": header[6][0], "high": header[6][1],
            "cells": header[7], "log": log, "position": position, "link": link,
            "controls": controls, "index": index, "before": before,
            "chunk": [f"{length} {key.hex()}" for key, length in header.get(10, [])],
            "encoding": header.get(11, 0), "encodes": encode(known)}


def judge_upload(case):
    """Judges an upload with both MACs and, where it is given, its body."""
    item_secrets = {key: {int(each.split()[0]): from_hex(each.split()[1])
                          for each in case.all(key)} for key in ("space-secret", "device-secret")}
    sealed = open_mac0(case.bytes("input"), item_secrets["device-secret"], case.bytes("device"),
                       b"device")
    open_mac0(sealed, item_secrets["space-secret"], case.bytes("space"), b"space")
    item = Set(case.bytes("input"))
    demand(understood(item.header) or not case.all("body"), "a critical key")
    cells = read_body(item.header, case.bytes("body")) if case.all("body") else []
    return {"hash": item.hash, "cell": in_order_of_places(cells)}


def judge_fingerprint(case):
    """Judges the fingerprint of cells."""
    cells = {}
    merge(cells, [read_cell(from_hex(each)) for each in case.all("cell")])
    return {"fingerprint": fingerprint(cells.values())}


def judge_id(case):
    """Judges an id."""
    middle = {"space": "space-kind"}.get(case.text("purpose"))
    label = {"device": "device-id"}.get(case.text("purpose"), case.text("purpose"))
    items = [case.text(middle)] if middle else []
    keys = ("signing", "agreement", "space", "user", "nonce", "salt")
    items += [case.bytes(key) for key in keys if case.all(key)]
    return {"id": identify("wake/1/" + label, *items)}


def judge_card(case):
    """Judges a card."""
    card = decode(case.bytes("input"))
    check_card(card)
    return {"device": device_of(card[0]), "user": card[1], "card-kind": card[2]}


def judge_vouch(case):
    """Judges the signature of a vouch."""
    signature(case.bytes("input"))
    card = decode(case.bytes("card"))
    demand(vouched(case.bytes("input"), card, case.bytes("key")), "a wrong vouch")
    return {}


def judge_proof(case):
    """Judges a user proof."""
    proof, card = decode(case.bytes("input")), decode(case.bytes("card"))
    check_user_proof(proof, card)
    return {"vouches": max(len(proof) - 1, 0)}


def judge_head(case):
    """Judges a head signature."""
    names = ("space", "device", "replica")
    signed = encode(["wake/1/head", *(case.bytes(key) for key in names),
                     case.number("sequence"), case.bytes("hash"), case.bytes("control")])
    demand(signed_by(case.bytes("key"), case.bytes("input"), signed), "a wrong head signature")
    return {"signed": signed}


def judge_recovery(case):
    """Judges a recovery code."""
    secret = recovery_secret(case.text("text"))
    keys = Keys(derive(secret, None, b"wake/1/recovery-sign"),
                derive(secret, None, b"wake/1/recovery-agree"))
    return {"secret": secret, "signing": keys.public[0], "agreement": keys.public[1],
            "written": recovery_text(secret)}


def judge_wrap(case):
    """Judges a wrap entry."""
    entry = decode(case.bytes("input"))
    wrap_shape(entry)
    keys = Keys(agreement=case.bytes("agreement"))
    opened = unwrap(entry, keys, case.bytes("space"), case.number("epoch"))
    return {"to": entry[0], "opened": opened,
            "secret-hash": secret_hash(case.bytes("space"), case.number("epoch"), opened)}


def judge_earlier(case):
    """Judges the secret of the epoch before."""
    epoch, space = case.number("epoch"), case.bytes("space")
    size(60)(case.bytes("input"))
    demand(epoch > 1, "an epoch without one before")
    opened = read_earlier(case.bytes("input"), case.bytes("secret"), space, epoch)
    return {"opened": opened, "secret-hash": secret_hash(space, epoch - 1, opened)}


def judge_control_set(case):
    """Judges a control set by itself."""
    item = Set(case.bytes("input"))
    moment, actions = read_control(item, case.bytes("body"))
    demand(control_signed(item, case.bytes("key")), "a wrong signature")
    return {"author": item.device, "index": item.header[14][0], "hash": item.hash,
            "time": moment, "action": [action[0] for action in actions]}


def apply_push_item(chain, data, now=None, logged=()):
    """Applies a push item with a control set to a chain."""
    item = read_push_item(data)
    chunk = item[3][0] if item.get(3) and now is not None else None
    chain.apply(Set(item[1]), item.get(2), chunk, now, logged)


def judge_chain_of_controls(case):
    """Judges a control chain; the words of a refusal are not compared."""
    chain, results = Chain(case.bytes("space")), []
    now = case.number("now") if case.all("now") else None
    logged = [(int(each[0]), from_hex(each[1]), from_hex(each[2]))
              for each in (line.split() for line in case.all("logged"))]
    for data in case.all("item"):
        try:
            apply_push_item(chain, from_hex(data), now, logged)
            results.append("accepted")
        except Invalid:
            results.append("refused")
    case.expected["result"] = ["accepted" if each == "accepted" else "refused"
                               for each in case.expected["result"]]
    case.verdict = "ok"
    return {"result": results, "controls": len(chain.sets), "head": chain.last(),
            "live": sorted(chain.live()) or "none", "open": sorted(chain.open) or "none",
            "member": sorted(f"{user.hex()} {role}" for user, role in chain.roles().items()),
            "epochs": len(chain.epochs), "needs-epoch": str(chain.needs_epoch).lower(),
            "adopted": decided(chain, "adopt"), "declined": decided(chain, "decline")}


def decided(chain, decision):
    """Returns the hashes of the sets with a decision."""
    return sorted(name[2] for name, each in chain.decisions.items() if each == decision)


def judge_answer(case):
    """Judges whether a change set counts."""
    chain = Chain(case.bytes("space"))
    for data in case.all("item"):
        apply_push_item(chain, from_hex(data))
    return {"answer": chain.answer(Set(case.bytes("input")))}


class Ledger:
    """Judges push items as a server does, for one space and the device that asks."""

    def __init__(self, case):
        self.space, self.device = case.bytes("space"), case.bytes("device")
        self.master, self.now = case.bytes("master"), case.number("now")
        self.chain, self.link, self.names = Chain(self.space), NO_HASH, {}
        self.last, self.owners, self.greatest = {}, {}, 0

    def push(self, data):
        """Returns the problem of an item, or the word of its verdict."""
        try:
            fields = read_push_item(data)
            item = Set(fields[1])
            self.check_form(item, fields)
        except Invalid:
            return "bad-encoding"
        if not item.is_control and not self.authentic(item):
            return "bad-mac"
        if tuple(item.name) in self.names:
            return self.names[tuple(item.name)]
        return self.problem(item) or self.judged(item, fields)

    def check_form(self, item, fields):
        """Demands what else gets `bad-encoding`."""
        known = self.device == item.device or item.device in self.chain.cards
        entering = item.is_control and item.header[14][0] > 0
        demand(item.space == self.space and (known or entering), "another space or device")
        stated, sent, _ = item.header[8]
        body = fields.get(2)
        demand(body is not None and [sha(body), len(body)] == [stated, sent], "another body")
        named = item.header.get(10, [])
        demand(all([sha(each), len(each)] in named for each in fields.get(3, [])), "a chunk")

    def authentic(self, item):
        """Verifies the outer MAC with the device secret that the master key gives."""
        epoch = read_mac0(item.upload)[1]
        secret = derive(self.master, item.device, b"wake/1/device-key" + e8(epoch))
        try:
            return bool(open_mac0(item.upload, {epoch: secret}, item.device, b"device"))
        except Invalid:
            return False

    def problem(self, item):
        """Returns why an authentic item changes nothing, if so."""
        sequence, before = self.last.get(item.replica, (0, NO_HASH))
        if self.owners.get(item.replica, item.device) != item.device:
            return "fork"
        is_ahead = not item.is_control and item.controls > len(self.chain.sets)
        if is_ahead or item.sequence > sequence + 1:
            return "sequence-gap"
        follows = item.sequence == sequence + 1 and item.header[5] == before
        return None if follows else "fork"

    def judged(self, item, fields):
        """Returns the verdict of a set and appends it to the log."""
        verdict = self.control(item, fields) if item.is_control else self.change(item, fields)
        brought = {sha(each) for each in fields.get(3, [])}
        if verdict != "refused" and any(each[0] not in brought
                                        for each in item.header.get(10, [])):
            return "chunks-missing"
        if item.is_control and verdict == "accepted":
            self.apply(self.chain, item, fields)
        self.last[item.replica] = (item.sequence, item.hash)
        self.owners[item.replica], self.names[tuple(item.name)] = item.device, verdict
        number = ("accepted", "held", "refused").index(verdict)
        self.link = next_link(self.link, judgement(self.space, item.name, number))
        return verdict

    def apply(self, chain, item, fields):
        """Applies a control set to a chain."""
        logged = [(sequence, self.owners[replica], replica)
                  for replica, (sequence, _) in self.last.items()]
        chain.apply(item, fields.get(2), fields.get(3, [None])[0], self.now, logged)

    def control(self, item, fields):
        """Returns the verdict of a control set."""
        try:
            self.apply(self.chain.copy(), item, fields)
            return "accepted"
        except Invalid:
            return "refused"

    def change(self, item, fields):
        """Returns the verdict of a change set."""
        high, cells = item.header[6][1], item.header[7]
        limit = max(self.now + 300000 << 16, self.greatest + cells)
        answer = self.chain.answer(item)
        try:
            read_body(item.header, fields[2])
        except Invalid:
            return "refused"
        if answer == "void" or high > limit:
            return "refused"
        if answer == "held" or not understood(item.header):
            return "held"
        self.greatest = max(self.greatest, high)
        return "accepted"


def judge_log(case):
    """Judges push items as a server does, and the link to which they lead."""
    ledger = Ledger(case)
    results = [ledger.push(from_hex(each)) for each in case.all("item")]
    case.verdict = "ok"
    return {"result": results, "link": ledger.link}


def judge_entry(case):
    """Judges a log entry."""
    item = read_entry(case.bytes("input"))
    known = {key: value for key, value in item.items()
             if key < 32 or key == 40 and value and 5 in item}
    return {"position": item[0], "verdict": item.get(4), "receipt": item.get(5),
            "encodes": encode(known), "signature": item.get(8), "reason": item.get(40)}


def judge_push_item(case):
    """Judges a push item."""
    item = read_push_item(case.bytes("input"))
    return {"encodes": encode({key: value for key, value in item.items() if key < 32})}


def judge_refill_item(case):
    """Judges a refill item."""
    item = read_refill_item(case.bytes("input"))
    return {"encodes": encode({key: value for key, value in item.items()
                               if key < 4 or key == 4 and value})}


def judge_enrol_request(case):
    """Judges the request of an enrolment."""
    item = read_enrol_request(case.bytes("input"))
    return {"known": item.get(4, 0), "items": len(item.get(5, [])),
            "key-epoch": item.get(8, 0), "challenge": item.get(0), "token": item.get(1),
            "signer": [each[0] for each in item.get(2, [])], "space": item.get(3),
            "name": item.get(6), "device": item.get(7),
            "encodes": encode({key: value for key, value in item.items() if key < 9})}


def judge_enrol_reply(case):
    """Judges the reply of an enrolment."""
    item = read_enrol_reply(case.bytes("input"))
    epoch, secret = item.get(5, [None, None])
    return {"challenge": item[0], "controls": len(item.get(2, [])), "space": item.get(1),
            "wraps": item.get(3), "key-epoch": epoch, "device-secret": secret,
            "result": [" ".join(str(part) for part in each if part != "")
                       for each in item.get(4, [])],
            "encodes": encode({key: value for key, value in item.items() if key < 6})}


def judge_enrol_proof(case):
    """Judges a signature over a challenge."""
    signed = encode(["wake/1/enrol", case.text("authority"), case.text("challenge").encode(),
                     case.bytes("signer")])
    demand(signed_by(case.bytes("key"), case.bytes("input"), signed), "a wrong signature")
    return {}


def judge_key(case):
    """Judges a key derivation."""
    salt = case.bytes("id") if case.all("id") else None
    info = b"wake/1/" + case.text("purpose").encode()
    info += e8(case.number("epoch")) if case.all("epoch") else b""
    return {"key": derive(case.bytes("secret"), salt, info)}


def judge_receipt(case):
    """Judges a receipt, with the server's key."""
    verdict = case.number("verdict")
    name = [case.bytes("replica"), case.number("sequence"), case.bytes("hash")]
    signed = judgement(case.bytes("space"), name, verdict)
    demand(hmac256(case.bytes("key"), signed) == case.bytes("input"), "a wrong receipt")
    return {"signed": signed}


def judge_challenge(case):
    """Judges a challenge, with the server's master key."""
    check_challenge(case.text("text"))
    raw = base64.urlsafe_b64decode(case.text("text"))
    made, random = int.from_bytes(raw[:8], "big"), raw[8:16]
    key = derive(case.bytes("master"), None, b"wake/1/challenge")
    demand(made < LIMIT_TIME and abs(made - case.number("now")) <= 300000, "an old challenge")
    signed = encode(["wake/1/challenge", made, random])
    demand(hmac256(key, signed) == raw[16:], "a challenge of another")
    return {"made": made, "random": random}


def judge_signature_base(case):
    """Judges the text that a request signature covers."""
    fields = dict(each.split(": ", 1) for each in case.all("header"))
    query = case.text("query") if case.all("query") else ""
    base = signature_base(case.text("method"), case.text("authority"), case.text("path"), query,
                          fields, case.text("component").split(), case.text("parameters"))
    return {"base": base.split("\n"),
            "signature": in_base64(hmac256(case.bytes("key"), base.encode()))}


INPUT = re.compile(r'wake=\("@method" "@authority" "@path" "@query" "content-digest"\)'
                   r'(;created=(0|[1-9][0-9]{0,14});nonce="([A-Za-z0-9_-]{1,64})"'
                   r';keyid="([A-Za-z0-9_-]{1,64})";alg="hmac-sha256";tag="wake")', re.ASCII)


def judge_request(case):
    """Judges a signed request as a server does."""
    fields = {}
    for each in case.all("header"):
        name, _, value = each.partition(":")
        demand(name not in fields, "a field twice")
        fields[name] = value.removeprefix(" ")
    found = INPUT.fullmatch(fields.get("signature-input", ""))
    demand(found, "another form of signature-input")
    parameters, created, nonce, name = found.groups()
    body = case.bytes("body")
    demand(fields.get("content-digest") == f"sha-256=:{in_base64(sha(body))}:", "a digest")
    query = case.text("query") if case.all("query") else ""
    base = signature_base(case.text("method"), case.text("authority"), case.text("path"),
                          query, fields, COMPONENTS, parameters)
    proof = f"wake=:{in_base64(hmac256(case.bytes('key'), base.encode()))}:"
    demand(fields.get("signature") == proof, "a wrong signature")
    demand(abs(int(created) - case.number("now")) <= 300, "a wrong clock")
    return {"created": created, "nonce": nonce, "keyid": name}


# What a paste adds to a link: PROTOCOL.md names some of it, the comments in link.txt the rest.
AROUND = " \t\u202f\u00a0<>(){}\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a.,;"
WITHIN = "\r\n\u200b\u200c\u200d\u2060\ufeff\u00ad"


def judge_link(case):
    """Judges a link as a person pasted it."""
    pasted = case.text("text") if case.all("text") else from_hex(case.text("input")).decode()
    demand(len(pasted.encode()) <= 1024, "over 1024 bytes")
    link = Link("".join(each for each in pasted if each not in WITHIN).strip(AROUND))
    came = {"authority": link.authority, "secret": link.secret, "trust": link.trust}
    trust = {"plain": "", "ca": "ca"}.get(link.trust)
    if trust is None:
        trust = "".join(id_text(bytes.fromhex(each)) for each in (link.trust[:32],
                                                                  link.trust[32:]))
    if link.space:
        written = device_link(link.authority, link.secret, link.space, link.index, link.hash,
                              trust)
        return {**came, "space": link.space, "index": link.index, "hash": link.hash,
                "written": written}
    written = f"wake://{link.authority}/#{id_text(link.secret)}" + (trust and "." + trust)
    return {**came, "written": written}


def judge_chunk(case):
    """Judges a chunk of any kind."""
    kind, content = read_chunk(case.bytes("input"))
    if kind == 1:
        of, chunks = read_manifest(content)
        return {"lists": f"{of} {len(chunks)}"}
    if kind == 2:
        epoch, _, wraps = read_wraps(case.bytes("input"))
        return {"wraps": f"{epoch} {len(wraps)}"}
    if kind == 3:
        return {"group": [f"{each[0].hex()} {each[1]}" for each in read_rows_chunk(content)]}
    if kind == 4:
        return samples_text(read_samples(content), content)
    if kind > 5:
        return {"kind": kind}
    demand(content, "an empty piece")
    return {"file": sha(content)}


def samples_text(rows, content):
    """Writes samples as the vectors do."""
    def name(channel):
        return CHANNELS[channel] if channel < len(CHANNELS) else f"channel-{channel}"
    lines = [" ".join(f"{name(channel)}={row[channel]}" for channel in sorted(row))
             for row in rows]
    return {"sample": lines, "samples": len(rows), "digest": sha(content)}


def judge_reference(case):
    """Judges a value as a reference to a chunk."""
    value = decode(case.bytes("input"))
    if not is_reference(value):
        return {"names": "none"}
    names = {"names": f"{value[1]} {value[2]} {value[0].hex()}", "summary": "none"}
    summary = read_summary(value[3]) if value[2] == 4 and len(value) == 4 else None
    if summary:
        found = summary[4]
        last = f"{found[2]} {found[3]}" if found else "unfiltered"
        names["summary"] = f"{summary[0]} {summary[1]} {last}"
    return names


JUDGES = {
    "chunk": judge_chunk, "reference": judge_reference,
    "value": judge_value, "body": judge_body, "header": judge_header, "upload": judge_upload,
    "fingerprint": judge_fingerprint, "id": judge_id, "card": judge_card, "vouch": judge_vouch,
    "user-proof": judge_proof, "head": judge_head, "recovery-code": judge_recovery,
    "wrap": judge_wrap, "earlier": judge_earlier, "control-set": judge_control_set,
    "control-chain": judge_chain_of_controls, "answer": judge_answer, "chain": judge_log,
    "log-entry": judge_entry, "push-item": judge_push_item, "refill-item": judge_refill_item,
    "enrol-request": judge_enrol_request, "enrol-reply": judge_enrol_reply,
    "enrol-proof": judge_enrol_proof, "key": judge_key, "server-key": judge_key,
    "receipt": judge_receipt, "challenge": judge_challenge,
    "signature-base": judge_signature_base, "request": judge_request,
    "link": judge_link,
}


def same(expected, came):
    """Tells whether a judge's output is what the vector has."""
    came = came if isinstance(came, list) else [came]
    if len(expected) != len(came):
        return False
    for written, value in zip(expected, came):
        written = from_hex(written) if isinstance(value, bytes) else written
        if written != (value if isinstance(value, bytes) else str(value)):
            return False
    return True


def disagreement(case):
    """Judges a case; returns what differs from the vector, or None."""
    try:
        came = JUDGES[case.kind](case)
    except Invalid as error:
        return f"expected ok, came: {error}" if case.verdict == "ok" else None
    if case.verdict != "ok":
        return f"expected {case.verdict}, came ok"
    for key, values in case.expected.items():
        if key == "live":
            values = sorted(values)
        if key not in came or not same(values, came[key]):
            return f"{key}: expected {values}, came {came.get(key)}"
    return None


def judge_vectors(folder):
    """Judges all vectors in a folder; prints a line for each file."""
    wrong = 0
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        cases = [case for case in read_cases(path)]
        judged = [case for case in cases if case.kind in JUDGES]
        for case in judged:
            difference = disagreement(case)
            if difference:
                wrong += 1
                print(f"  {path.name}: {case.kind}: {case.title}: {difference}")
        state = f"{len(judged)} of {len(cases)} judged" if judged else "not judged"
        print(f"vectors {path.name}: {state}")
    if wrong:
        raise Failed(f"expected no disagreement with the vectors, came {wrong}")


# ---- Sections 6 to 8: a device and its server


class Problem(Exception):
    """An error reply of the server."""

    def __init__(self, status, document):
        self.status, self.kind, self.document = status, document["type"], document
        super().__init__(f"{status} {self.kind}")


class Server:
    """Speaks plain HTTP with one authority."""

    def __init__(self, authority):
        self.authority, self.challenge = authority, None
        self.connection = http.client.HTTPConnection(authority, timeout=60)

    def send(self, method, path, body=b"", media="application/cbor", fields=None):
        """Sends a request; returns the body of the reply, or raises Problem."""
        fields = {**(fields or {}), **({"content-type": media} if body else {})}
        self.connection.request(method, path, body, fields)
        reply = self.connection.getresponse()
        content = reply.read()
        if reply.getheader("content-type") != "application/octet-stream" and content:
            demand(reply.getheader("content-digest") == digest_field(content), "a damaged reply")
        self.challenge = reply.getheader("wake-challenge")
        if reply.status >= 400:
            raise Problem(reply.status, json.loads(content))
        return content

    def enrol(self, request, signers):
        """Gets a challenge and sends the request of an enrolment with it."""
        asked = read_enrol_reply(self.send("POST", "/v1/enrol", encode({})))
        demand(set(asked) == {0}, "more than a challenge")
        proofs = [[keys.id, keys.sign("wake/1/enrol", self.authority, asked[0].encode(),
                                      keys.id)] for keys in signers]
        request = {0: asked[0], 2: proofs, **request}
        return read_enrol_reply(self.send("POST", "/v1/enrol", encode(request)))


sync_reply = {0: ident}
sync_optional = {
    1: text, 2: list_of(result_shape), 4: ident, 5: list_of(blob, 0), 6: uint, 7: digest,
    3: either(tuple_of(uint, digest), tuple_of(uint, digest, signature, uint)), 8: uint,
    9: digest, 10: list_of(digest), 11: tuple_of(uint, uint), 12: uint,
    13: list_of(tuple_of(ident, uint, digest))}


class Replica:
    """The sets that one replica sealed."""

    def __init__(self):
        self.id, self.sequence, self.hash = os.urandom(16), 0, NO_HASH


class Device:
    """A device with one replica of its user's own space."""

    def __init__(self, authority, name):
        self.server, self.name = Server(authority), name
        self.keys, self.replica = Keys(), Replica()
        self.space = self.user = self.chain = self.epoch = self.secret = None
        self.secrets, self.cells, self.clock = {}, {}, 0
        self.log, self.position, self.link = NO_ID, 0, NO_HASH
        self.links = [NO_HASH]
        self.newest, self.waiting, self.verified, self.receipts = {}, [], {}, []

    # Requests

    def request(self, method, path, body=b"", media="application/cbor", created=None,
                nonce=None):
        """Sends a signed request."""
        key = derive(self.secret, self.keys.id, b"wake/1/device-request" + e8(self.epoch))
        fields = request_fields(key, method, self.server.authority, path, body,
                                created or int(time.time()), nonce or os.urandom(12).hex(),
                                id_text(self.keys.id))
        return self.server.send(method, path, body, media, fields)

    def sync(self, items=(), limit=None, again=False):
        """Sends one request of `sync`; returns the part of the reply for the space.

        `limit` is the most bytes of entries. With `again` the log is read from its beginning.
        """
        log, position = (NO_ID, 0) if again else (self.log, self.position)
        asked = {0: self.space, 1: self.replica.id, 2: log, 3: position, 4: list(items),
                 5: limit}
        reply = decode(self.request("POST", "/v1/sync", encode(
            {1: [{key: value for key, value in asked.items() if value or key < 4}]})))
        check_map(reply, {0: uint, 1: list_of(lambda _: None, 0)}, {})
        part = check_map(reply[1][0], sync_reply, sync_optional)
        demand(part[0] == self.space, "another space")
        if 1 in part:
            raise Problem(200, {"type": part[1]})
        return part

    # Sealing

    def seen(self):
        """Returns what the replica had merged."""
        return [self.log, self.position, self.link, len(self.chain.sets)]

    def header(self, stamps, count, body, plain, chunks, seen):
        """Returns a header for the next set of the replica."""
        header = {0: 1, 1: self.space, 2: self.keys.id, 3: self.replica.id,
                  4: self.replica.sequence + 1, 5: self.replica.hash, 6: stamps, 7: count,
                  8: [sha(body), len(body), plain], 9: seen}
        return {**header, 10: chunks} if chunks else header

    def took(self, upload):
        """Advances the replica to a set that it sealed."""
        item = Set(upload)
        self.replica.sequence, self.replica.hash = item.sequence, item.hash

    def stamp(self):
        """Issues a stamp time."""
        self.clock = max(self.clock + 1, int(time.time() * 1000) << 16)
        return self.clock

    def write(self, *values):
        """Makes cells of (collection, row, field, value) and merges them."""
        cells = [Cell(*place, self.stamp(), self.replica.id, value)
                 for *place, value in values]
        merge(self.cells, cells)
        return cells

    def seal_set(self, cells, compress=False):
        """Seals cells as a change set; returns its upload and its body."""
        low, high = min(c.stamp for c in cells), max(c.stamp for c in cells)
        plain = encode_body(cells, low)
        body = zstandard.ZstdCompressor().compress(plain) if compress else plain
        header = self.header([low, high], len(cells), body, len(plain), references(cells),
                             self.seen())
        if compress:
            header[11] = 1
        epoch = max(self.secrets)
        inner = derive(self.secrets[epoch], self.space, b"wake/1/space-mac" + e8(epoch))
        outer = derive(self.secret, self.keys.id, b"wake/1/device-mac" + e8(self.epoch))
        sealed = seal(inner, epoch, b"wake/1/space", encode(header))
        upload = seal(outer, self.epoch, b"wake/1/device", sealed)
        self.took(upload)
        return upload, body

    def seal_control(self, actions, chunks=(), seen=None):
        """Seals a control set; returns its upload and its body."""
        index = len(self.chain.sets)
        body = encode([int(time.time() * 1000), actions])
        named = [[sha(chunk), len(chunk)] for chunk in chunks]
        header = self.header([index + 1, index + 1], 0, body, len(body), named,
                             seen or self.seen())
        header[14] = [index, self.chain.last()]
        protected, payload = encode({1: -8, 4: self.keys.id}), encode(header)
        signed = self.keys.sign("Signature1", protected, b"wake/1/control", payload)
        upload = encode(Tag(18, [protected, {}, payload, signed]))
        self.took(upload)
        return upload, body

    def head_signature(self, item):
        """Signs the head of a replica."""
        control = self.chain.hashes[item.controls - 1] if item.controls else NO_HASH
        return self.keys.signer.sign(head_message(item, control))

    def push_item(self, upload, body, chunks=(), signed=True):
        """Writes a push item, with a head signature if it is a change set."""
        fields = {1: upload, 2: body}
        if chunks:
            fields[3] = list(chunks)
        item = Set(upload)
        if signed and not item.is_control:
            fields[8] = self.head_signature(item)
        return encode(fields)

    def push(self, *items):
        """Pushes items; returns their results and merges nothing."""
        return self.sync(items)[2]

    # Enrolment

    def found(self, link):
        """Founds the user's own space at a server."""
        nonce, key = os.urandom(16), self.keys.public[0]
        self.user = identify("wake/1/user", key)
        self.space = identify("wake/1/space", "own", key, nonce)
        self.chain, secret = Chain(self.space), os.urandom(32)
        recipients = {self.keys.id: self.keys.public[1]}
        chunk = write_wraps(secret, self.space, 1, recipients)
        upload, body = self.seal_control([
            ["found", "own", nonce, 1, self.keys.card(self.user), []],
            ["epoch", 1, secret_hash(self.space, 1, secret), None, sha(chunk)]], [chunk])
        token = derive(link.secret, None, b"wake/1/link-token")
        item = encode({0: self.push_item(upload, body, [chunk])})
        reply = self.server.enrol({1: token, 3: self.space, 5: [item], 6: self.name,
                                   7: self.keys.id}, [self.keys])
        self.take_reply(reply)
        self.secrets = self.find_secrets(self.keys, reply[3])
        return reply

    def take_reply(self, reply):
        """Evaluates the control sets of an enrolment and keeps the device secret."""
        for each in reply.get(2, [])[len(self.chain.sets):]:
            entry = read_entry(each)
            demand(entry[4] == 0, "a control set that is not accepted")
            self.chain.apply(Set(entry[1]), entry.get(2))
        if 5 in reply:
            self.epoch, self.secret = reply[5]

    def find_secrets(self, keys, chunk):
        """Decrypts the secrets of all key epochs with the keys of a recipient."""
        epoch = len(self.chain.epochs)
        demand(sha(chunk) == self.chain.epochs[-1][2], "another chunk of wraps")
        number, ephemeral, wraps = read_wraps(chunk)
        demand(number == epoch, "wraps of another key epoch")
        entries = self.chain.wraps + [[key, ephemeral, each] for key, each in wraps]
        own = [each for each in entries if each[0] == keys.id]
        demand(own, "no wrap to this recipient")
        secrets = {epoch: unwrap(own[0], keys, self.space, epoch)}
        for number in range(epoch, 0, -1):
            stated, earlier, _ = self.chain.epochs[number - 1]
            demand(secret_hash(self.space, number, secrets[number]) == stated, "another secret")
            if number > 1:
                secrets[number - 1] = read_earlier(earlier, secrets[number], self.space, number)
        return secrets

    def invite(self):
        """Makes a device's link and pushes its invitation."""
        secret = os.urandom(16)
        keys, once, epoch = keys_of_link(secret), Keys(), max(self.secrets)
        wrapped = wrap(self.secrets[epoch], self.space, epoch, keys.id, keys.public[1], once)
        index, last = len(self.chain.sets) - 1, self.chain.last()
        upload, body = self.seal_control([["invite", keys.public, "device", 1,
                                           int(time.time()) + 3600,
                                           [keys.id, once.public[1], wrapped]]])
        accepted(self.push(self.push_item(upload, body)))
        self.pull()
        return device_link(self.server.authority, secret, self.space, index, last)

    def join(self, link):
        """Joins a space with the link of a device."""
        invitation = keys_of_link(link.secret)
        self.space, self.chain = link.space, Chain(link.space)
        first = self.server.enrol({3: self.space}, [invitation])
        self.take_reply(first)
        demand(link.index < len(self.chain.sets), "a chain without the anchor")
        demand(self.chain.hashes[link.index][:16] == link.hash, "another anchor")
        self.user = self.chain.user
        self.secrets = self.find_secrets(invitation, first[3])
        upload, body = self.seal_control([self.join_action(invitation)],
                                         seen=[NO_ID, 0, NO_HASH, len(self.chain.sets)])
        item = encode({0: self.push_item(upload, body)})
        second = self.server.enrol({3: self.space, 5: [item], 6: self.name, 7: self.keys.id},
                                   [invitation, self.keys])
        accepted(second[4])
        self.take_reply(second)

    def join_action(self, invitation):
        """Returns the action by which this device enters."""
        permit = invitation.sign("wake/1/join", self.space, invitation.id, self.user,
                                 *self.keys.public)
        epoch, entries = max(self.secrets), []
        codes = {key: card.keys[1] for key, card in self.chain.cards.items()
                 if card.kind == "recovery" and card.is_live()}
        for key, agreement in {self.keys.id: self.keys.public[1], **codes}.items():
            once = Keys()
            entries.append([key, once.public[1], wrap(self.secrets[epoch], self.space, epoch,
                                                      key, agreement, once)])
        return ["join", self.keys.card(self.user), [self.chain.founder], invitation.id, permit,
                entries]

    def revoke(self, *devices):
        """Revokes devices at the last sets merged, and begins a key epoch."""
        epoch, secret = max(self.secrets) + 1, os.urandom(32)
        cuts = [item.name for item in self.newest.values() if item.device in devices]
        invited = {key: each.keys[1] for key, each in self.chain.open.items()
                   if each.maker not in devices}
        recipients = {key: self.chain.cards[key].keys[1]
                      for key in self.chain.live() - set(devices)}
        chunk = write_wraps(secret, self.space, epoch, {**recipients, **invited})
        earlier = write_earlier(secret, self.secrets[epoch - 1], self.space, epoch)
        upload, body = self.seal_control([
            ["revoke", list(devices), cuts, False],
            ["epoch", epoch, secret_hash(self.space, epoch, secret), earlier, sha(chunk)]],
            [chunk])
        accepted(self.push(self.push_item(upload, body, [chunk])))
        self.pull()
        self.secrets[epoch] = secret

    # Pulling

    def pull(self, limit=None):
        """Pulls and verifies the log to its end; returns the last page."""
        while True:
            page = self.sync(limit=limit)
            self.take_page(page)
            if page[6] == page[8]:
                self.check_end(page)
                return page

    def copy(self):
        """Returns a copy that can merge without changing this device."""
        other = copy.copy(self)
        other.chain, other.cells = self.chain.copy(), dict(self.cells)
        other.newest, other.verified = dict(self.newest), dict(self.verified)
        other.links = list(self.links)
        other.waiting, other.receipts = list(self.waiting), list(self.receipts)
        return other

    def take_last_page(self, page):
        """Merges the page that ends the log."""
        self.take_page(page)
        self.check_end(page)

    def take_page(self, page):
        """Verifies a page and merges it."""
        demand(self.position == 0 or page[4] == self.log, "another log epoch")
        self.log = page[4]
        position, link = self.position, self.link
        for each in page[5]:
            entry = read_entry(each)
            position += 1
            demand(entry[0] == position, "another position")
            link = self.take_entry(entry, link)
            self.links.append(link)
        demand((position, link) == (page[6], page[7]), "links that do not lead to the page's")
        self.position, self.link = position, link

    def take_entry(self, entry, link):
        """Merges one log entry; returns the next link."""
        demand(1 in entry, "a lost entry")
        item, body = Set(entry[1]), entry.get(2)
        demand(item.space == self.space, "a set of another space")
        self.follow(item)
        if entry[4] == 0:
            self.check_seen(item)
        if entry[4] == 0 and item.is_control:
            if item.hash not in self.chain.hashes:
                self.chain.apply(item, body)
        elif entry[4] == 0 or body is not None:
            # A held set with its body is one that an admin adopted.
            self.waiting.append((item, body))
        self.newest[item.replica] = item
        self.receipts.append(entry[5])
        self.verified[item.replica] = self.covered(item, entry.get(8))
        self.merge_waiting()
        return next_link(link, judgement(self.space, item.name, entry[4]))

    def follow(self, item):
        """Checks that a set follows the last one of its replica in the log."""
        before = self.newest.get(item.replica)
        sequence, key = (before.sequence, before.hash) if before else (0, NO_HASH)
        demand([item.sequence, item.header[5]] == [sequence + 1, key], "a gap in a replica")

    def check_seen(self, item):
        """Checks that the author of a set was shown the same log."""
        log, position, link, _ = item.header[9]
        demand(log in (NO_ID, self.log), "a log that nobody accepts")
        if position:
            demand(position < len(self.links), "entries that the author has seen are withheld")
            demand(self.links[position] == link, "the author was shown another log")

    def covered(self, item, signed):
        """Tells whether a signature covers the last change set of the set's replica."""
        card = self.chain.cards.get(item.device)
        if item.is_control:
            # A refused control set may be one that its author never signed.
            good = card and control_signed(item, card.keys[0])
            return bool(good or self.verified.get(item.replica, True))
        if signed is None:
            return False
        demand(card and item.controls <= len(self.chain.sets), "a head of a stranger")
        control = self.chain.hashes[item.controls - 1] if item.controls else NO_HASH
        demand(signed_by(card.keys[0], signed, head_message(item, control)), "a forged head")
        return True

    def merge_waiting(self):
        """Merges the sets that count by now."""
        left = []
        for item, body in self.waiting:
            if self.chain.answer(item) != "valid" or not understood(item.header):
                left.append((item, body))
                continue
            self.check_macs(item)
            cells = read_body(item.header, body)
            self.clock = max(self.clock, item.header[6][1])
            merge(self.cells, cells)
        self.waiting = left

    def check_macs(self, item):
        """Verifies the inner MAC, and the outer one of the device's own sets."""
        open_mac0(item.sealed, self.secrets, self.space, b"space")
        if item.device == self.keys.id:
            open_mac0(item.upload, {self.epoch: self.secret}, self.keys.id, b"device")

    def check_end(self, page):
        """Checks what must hold at the last position of the log."""
        demand(all(self.verified.values()), "sets that nobody signed")
        demand(page[12] == len(self.chain.sets), "another number of control sets")
        self.check_head(page)
        if 9 in page and not self.waiting:
            demand(page[9] == fingerprint(self.cells.values()), "another fingerprint")

    def check_head(self, page):
        """Checks that the log has the last set that this replica sealed."""
        if 3 not in page:
            demand(self.replica.sequence == 0, "no head of this replica")
            return
        demand(page[3][:2] == [self.replica.sequence, self.replica.hash], "another head")
        if len(page[3]) == 4:
            item = self.newest[self.replica.id]
            demand(page[3][3] == item.controls and self.covered(item, page[3][2]), "a head")


def accepted(results):
    """Demands that every result is an accepted verdict."""
    demand(all(each[0] == 0 and each[2] == 0 for each in results), f"not accepted: {results}")


# ---- The steps


def need(condition, expected, came):
    """Raises Failed unless the condition holds."""
    if not condition:
        raise Failed(f"expected {expected}, came {came}")


def refused(call, *arguments):
    """Returns the problem with which the server refuses a call."""
    try:
        came = call(*arguments)
    except Problem as problem:
        return problem
    raise Failed(f"expected a problem, came {came}")


class Run:
    """Runs the steps against a server."""

    def __init__(self, link, vectors, program):
        self.link, self.vectors, self.program = link, vectors, program
        self.first = Device(link.authority, "first")
        self.second = Device(link.authority, "second")
        self.folder = tempfile.TemporaryDirectory()
        self.row, self.piece = os.urandom(16), b"\x50" + os.urandom(50000)

    def steps(self):
        """Returns the steps in their order."""
        steps = [self.found, self.push_sets, self.fetch_chunk, self.join, self.converge,
                 self.wrong_clock, self.flip_change_set, self.flip_control_set,
                 self.flip_entries, self.revoke, self.push_again]
        steps += [self.wake_joins, self.wake_invites] if self.program else []
        return steps + ([self.judge] if self.vectors else [])

    def found(self):
        """found a space: enrolment with the link of a server"""
        self.first.found(self.link)
        page = self.first.pull()
        need(page[8] == 1 and page[12] == 1, "one control set", page)
        return f"space {id_text(self.first.space)}"

    def push_sets(self):
        """push two change sets and a chunk, pull and verify the log"""
        one, row = self.first, self.row
        cells = one.write(("device", one.keys.id, "name", "first"),
                          ("track", row, "name", "Morning"), ("track", row, "notes", None))
        more = one.write(
            ("track", row, "name", "Evening"), ("track", os.urandom(16), "name", "x" * 300),
            ("original", row, "0000000000000000/0", [sha(self.piece), len(self.piece), 5]))
        items = [one.push_item(*one.seal_set(cells), signed=False),
                 one.push_item(*one.seal_set(more, compress=True), [self.piece])]
        results = one.push(*items)
        accepted(results)
        page = one.pull()
        need(9 in page, "a fingerprint of the server's view", page)
        need(one.push(*items) == results, "the same verdicts again", "others")
        receipts = [read_entry(each)[5] for each in one.sync(again=True)[5]]
        need(receipts == one.receipts, "the same receipts again", "others")
        return f"{page[8]} positions, {len(one.cells)} cells, fingerprint {page[9].hex()[:16]}"

    def fetch_chunk(self):
        """fetch the chunk and compare it"""
        path = f"/v1/spaces/{id_text(self.first.space)}/chunks/{sha(self.piece).hex()}"
        chunk = self.first.request("GET", path)
        need(chunk == self.piece, "the chunk that was pushed", f"{len(chunk)} other bytes")
        return f"{len(chunk)} bytes"

    def join(self):
        """join a second device with a link that the first made"""
        one, two = self.first, self.second
        two.join(Link(one.invite()))
        page = two.pull(limit=1)
        need(two.secrets == one.secrets, "the same secrets", two.secrets.keys())
        need(9 in page and fingerprint(two.cells.values()) == fingerprint(one.cells.values()),
             "the same cells", page)
        return f"{page[8]} positions on as many pages, {len(two.cells)} cells"

    def converge(self):
        """edit one field on both devices at once and converge"""
        one, two = self.first, self.second
        ours = one.write(("track", self.row, "name", "from the first"))
        theirs = two.write(("track", self.row, "name", "from the second"),
                           ("track", self.row, "notes", "only here"))
        accepted(two.push(two.push_item(*two.seal_set(theirs))))
        accepted(one.push(one.push_item(*one.seal_set(ours))))
        one.pull()
        two.pull()
        values = [device.cells["track", encode(self.row), "name"].value for device in (one, two)]
        winner = max(ours[0], theirs[0], key=Cell.rank).value
        need(values == [winner] * 2, f"{winner} on both", values)
        need(fingerprint(one.cells.values()) == fingerprint(two.cells.values()), "convergence",
             "other cells")
        return f"both have {values[0]!r}"

    def wrong_clock(self):
        """sign with a false date, then with the server's challenge"""
        problem = refused(self.first.request, "GET", "/v1/spaces", b"", "", int(time.time()) - 999)
        need(problem.kind == "clock-skew", "clock-skew", problem)
        moment, challenge = (problem.document[key] for key in ("server_time", "challenge"))
        moment //= 1000
        reply = json.loads(self.first.request("GET", "/v1/spaces", b"", "", moment, challenge))
        spaces = [each["id"] for each in reply["spaces"]]
        need(spaces == [id_text(self.first.space)], "the space", reply)
        following = self.first.server.challenge
        again = refused(self.first.request, "GET", "/v1/spaces", b"", "", moment, challenge)
        need(again.kind == "unauthorized", "a challenge that is good once", again)
        self.first.request("GET", "/v1/spaces", b"", "", moment, following)
        return "each challenge was good once"

    def flip_change_set(self):
        """push a change set with each bit of its upload flipped"""
        one = self.first
        upload, body = one.seal_set(one.write(("track", self.row, "sport", "sail")))
        items = [encode({1: each, 2: body}) for each in flips(upload)]
        words = {}
        for at in range(0, len(items), 500):
            for result in one.push(*items[at:at + 500]):
                need(result[0] == 1, "a set that changes nothing", result)
                words[result[1]] = words.get(result[1], 0) + 1
        accepted(one.push(one.push_item(upload, body)))
        one.pull()
        return f"{len(items)} bits: {words}"

    def flip_control_set(self):
        """read a control set with each bit flipped, and push a sample of them"""
        one, words = self.first, {}
        before, one.replica = one.replica, Replica()
        upload, body = one.seal_control([["server", os.urandom(16), []]])
        changed = flips(upload)
        for each in changed:
            rejected(lambda: one.chain.copy().apply(Set(each), body), "a flipped control set")
        sample = range(0, len(changed), 41)
        for at in sample:
            # A refused control set takes its sequence, so each trial needs a replica of its own.
            one.replica = Replica()
            upload, body = one.seal_control([["server", os.urandom(16), []]])
            result = one.push(encode({1: flips(upload)[at], 2: body}))[0]
            need(result[0] == 1 or result[2] == REFUSED, "no accepted set", result)
            word = result[1] if result[0] else "refused: " + result[3]
            words[word] = words.get(word, 0) + 1
        one.replica = before
        one.pull()
        return f"{len(changed)} bits read, {len(sample)} pushed: {words}"

    def flip_entries(self):
        """read log entries with each bit of the uploads and head signatures flipped"""
        one, two = self.first, self.second
        two.pull()
        sealed = one.seal_set(one.write(("track", self.row, "sport", "row")))
        accepted(one.push(one.push_item(*sealed)))
        own, others = (wrong_entries(device, device.sync()) for device in (one, two))
        one.pull()
        two.pull()
        need(not own[1], "a reader of its own set to reject each", own)
        need(others[1] == 320, "320 bits that only the server can judge", others)
        one.invite()
        controls = wrong_entries(two, two.sync())
        two.pull()
        need(not controls[1], "a reader to reject each", controls)
        return (f"{own[0] + controls[0]} bits rejected; of {others[0]} bits of another device's "
                f"set all but the {others[1]} of the outer epoch and MAC")

    def revoke(self):
        """revoke the second device with a cut and a new key epoch"""
        one, two = self.first, self.second
        one.revoke(two.keys.id)
        problems = [refused(two.sync), refused(two.server.enrol, {
            3: two.space, 7: two.keys.id}, [two.keys])]
        need([each.status for each in problems] == [401, 401], "401 twice", problems)
        need(one.chain.cards[two.keys.id].is_revoked, "a revoked card", "a live one")
        return f"the server answers {problems[0]} and {problems[1]}"

    def push_again(self):
        """push under the new key epoch"""
        one = self.first
        upload, body = one.seal_set(one.write(("track", self.row, "name", "after")))
        need(read_mac0(Set(upload).sealed)[1] == 2, "key epoch 2", "another")
        accepted(one.push(one.push_item(upload, body)))
        page = one.pull()
        need(9 in page, "a fingerprint", page)
        rejected(lambda: open_mac0(Set(upload).sealed, self.second.secrets, one.space, b"space"),
                 "a set under a secret that the revoked device lacks")
        return f"{page[8]} positions"

    def wake(self, *words):
        """Runs the real program on its own data folder; returns what it prints."""
        command = [self.program, "--data", self.folder.name + "/wake", *words]
        done = subprocess.run(command, env={**os.environ, "HOME": self.folder.name},
                              capture_output=True, text=True, timeout=120, check=False)
        need(done.returncode == 0, f"{words} to exit with 0", done.stdout + done.stderr)
        return done.stdout

    def agree_with_wake(self):
        """Compares cells with the real program; returns their fingerprint."""
        self.wake("sync")
        page = self.first.pull()
        need(9 in page and not self.first.waiting, "every set merged", page)
        theirs = json.loads(self.wake("fingerprint", "--json"))["spaces"][0]
        need(theirs["fingerprint"] == page[9].hex(), page[9].hex(), theirs)
        faults = json.loads(self.wake("verify", "--json"))["faults"]
        need(faults == [], "no fault", faults)
        return page[9].hex()[:16]

    def wake_joins(self):
        """let the real program join with a link of this client, and edit on both sides"""
        one = self.first
        self.wake("init", "--name", "real")
        self.wake("join", one.invite())
        self.wake("sync")
        self.wake("places", "add", "Harbour", "52.85,5.31")
        accepted(one.push(one.push_item(*one.seal_set(
            one.write(("track", self.row, "name", "seen by wake"))))))
        same_print = self.agree_with_wake()
        need(any(cell.value == "Harbour" for cell in one.cells.values()), "Harbour", "no place")
        need("seen by wake" in self.wake("rows", "track"), "this client's edit", "none")
        return f"both have fingerprint {same_print}"

    def wake_invites(self):
        """join with a link of the real program"""
        link = json.loads(self.wake("devices", "link", "--json"))["link"]
        third = Device(self.link.authority, "third")
        third.join(Link(link))
        third.pull()
        accepted(third.push(third.push_item(*third.seal_set(
            third.write(("device", third.keys.id, "name", "third"))))))
        third.pull()
        same_print = self.agree_with_wake()
        need("third" in self.wake("devices", "list"), "the third device", "none")
        return f"three devices have fingerprint {same_print}"

    def judge(self):
        """judge the vectors"""
        judge_vectors(self.vectors)
        return "all agree"


def flips(data):
    """Returns the data with each of its bits flipped."""
    number = int.from_bytes(data, "big")
    return [(number ^ 1 << at).to_bytes(len(data), "big") for at in range(8 * len(data))]


def wrong_entries(device, page):
    """Reads the page with each bit of its last entry's upload and head signature flipped.

    Returns the number of pages and the number of those with the same sealed set that passed.
    """
    entry, passed = read_entry(page[5][-1]), 0
    changed = [{**entry, key: each} for key in (1, 8) if key in entry
               for each in flips(entry[key])]
    for each in changed:
        trial = {**page, 5: page[5][:-1] + [encode(each)]}
        try:
            device.copy().take_last_page(trial)
        except Invalid:
            continue
        same_set = Set(each[1]).hash == Set(entry[1]).hash and entry.get(8) == each.get(8)
        need(same_set, "to reject a flipped entry", "no fault")
        passed += 1
    return len(changed), passed


def rejected(call, what):
    """Demands that a call raises Invalid."""
    try:
        call()
    except Invalid:
        return
    raise Failed(f"expected to reject {what}, came no fault")


def main():
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    vectors = commands.add_parser("vectors", help="judge the vectors in a folder")
    vectors.add_argument("vectors", metavar="FOLDER")
    run = commands.add_parser("run", help="run every step against a fresh server")
    run.add_argument("link", metavar="LINK", type=Link)
    run.add_argument("vectors", metavar="FOLDER", nargs="?")
    run.add_argument("--wake", metavar="PROGRAM", help="the real `wake`, for interoperation")
    given = parser.parse_args()
    name = "judge the vectors"
    try:
        if given.command == "vectors":
            judge_vectors(given.vectors)
            return
        for step in Run(given.link, given.vectors, given.wake).steps():
            name = step.__doc__
            print(f"{name}: {step()}", flush=True)
    except (Failed, Invalid, Problem, OSError, LookupError) as fault:
        sys.exit(f"{name}: {fault!r}")


if __name__ == "__main__":
    main()
