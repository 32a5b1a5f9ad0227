"""Checks what a device of Wake sealed, with no code of Wake: PyPI's pycose, cbor2, zstandard.

    python verify.py SEALED KEYS

SEALED is what `wake export --sealed` writes, a CBOR sequence of push-items; KEYS is what
`wake export --keys` writes. Everything that wire-format.cddl asks of them is recomputed: both MACs,
hashes and lengths, the cells, the chunks, the order, the deterministic encoding, and the chain.
Prints a count and ends with 0, or the first difference and 1.
"""

import hashlib
import json
import sys

import cbor2
import zstandard
from pycose.algorithms import HMAC256
from pycose.headers import KID, Algorithm
from pycose.keys import SymmetricKey
from pycose.messages import Mac0Message

HEADER_BYTES, BODY_BYTES, DECODED_BYTES, CELLS = 4096, 256 * 1024, 1024 * 1024, 4096
REQUIRED, OPTIONAL = set(range(10)), {10, 11, 12, 13}


class Difference(Exception):
    """Something is not as it must be."""


def require(is_so, what):
    if not is_so:
        raise Difference(what)


def encode(value):
    return cbor2.dumps(value, canonical=True)


def decode(data, what):
    """One item and nothing after it, in the one encoding that is allowed."""
    value = cbor2.loads(data)
    require(encode(value) == data, f"{what}: not the deterministic encoding")
    return value


def items(data):
    """The push-items of a CBOR sequence."""
    while data:
        item = cbor2.loads(data)
        length = len(encode(item))
        require(encode(item) == data[:length], "push-item: not the deterministic encoding")
        yield item
        data = data[length:]


def verify(data, aad, keys, what):
    """The payload of a COSE_Mac0 whose tag is right."""
    structure = decode(data, what)
    require(isinstance(structure, cbor2.CBORTag) and structure.tag == 17, f"{what}: not tag 17")
    require(len(structure.value) == 4 and structure.value[1] == {}, f"{what}: unprotected")
    protected = decode(structure.value[0], f"{what}: protected")
    require(set(protected) == {1, 4}, f"{what}: protected has other keys")
    message = Mac0Message.decode(data)
    require(message.phdr[Algorithm] is HMAC256, f"{what}: another algorithm")
    epoch = message.phdr[KID].hex()
    require(len(epoch) == 16 and epoch in keys, f"{what}: no key of epoch {epoch}")
    message.key = SymmetricKey(k=bytes.fromhex(keys[epoch]))
    message.external_aad = aad
    require(len(message.auth_tag) == 32 and message.verify_tag(), f"{what}: the tag is wrong")
    return message.payload


def plain(body, header, what):
    _, length, decoded_length = header[8]
    require(len(body) == length <= BODY_BYTES, f"{what}: the body has another length")
    require(hashlib.sha256(body).digest() == header[8][0], f"{what}: the body has another hash")
    if header.get(11, 0) == 1:
        body = zstandard.ZstdDecompressor().decompress(body, max_output_size=DECODED_BYTES)
    require(len(body) == decoded_length, f"{what}: the decoded body has another length")
    return body


def cells(body, header, what):
    """Collection, row, field and value of each cell, in order."""
    low, high = header[6]
    before = b""
    for collection, row, fields in decode(body, f"{what}: body"):
        require(isinstance(row, str) or len(row) == 16, f"{what}: a row is no id")
        name = encode(collection) + encode(row)
        require(name > before, f"{what}: groups are not ascending")
        before = name
        require(len(fields) > 0, f"{what}: a group is empty")
        for field, (delta, value) in fields.items():
            require(0 <= delta <= high - low, f"{what}: a stamp is out of range")
            yield collection, row, field, value


def check_body(body, header, what):
    """The number of cells; the chunks of the header are those that the cells name."""
    names, count = [], 0
    for collection, _, _, value in cells(body, header, what):
        count += 1
        if collection == "points" and [value[0], value[1]] not in names:
            names.append([value[0], value[1]])
    require(count == header[7] <= CELLS, f"{what}: the header counts other cells")
    require(names == header.get(10, []), f"{what}: the header names other chunks")
    return count


def check_chunks(chunks, header, what):
    """Chunks need not come along; those that do are named."""
    names = [[hashlib.sha256(chunk).digest(), len(chunk)] for chunk in chunks]
    require(all(name in header.get(10, []) for name in names), f"{what}: a chunk is not named")


def check_header(header, what):
    require(REQUIRED <= set(header), f"{what}: a field is missing")
    unknown = set(header) - REQUIRED - OPTIONAL
    require(all(key >= 32 for key in unknown), f"{what}: unknown keys {unknown}")
    require(header[0] == 1, f"{what}: another format")
    require(all(len(header[key]) == 16 for key in (1, 2, 3)), f"{what}: an id has another length")
    require(0 <= header[6][0] <= header[6][1] < 2**63, f"{what}: the stamps")
    require(10 not in header or header[10], f"{what}: an empty list of chunks")
    require(not header.get(12, False) and 13 not in header, f"{what}: not for this reader")


def main(sealed_path, keys_path):
    with open(sealed_path, "rb") as file:
        data = file.read()
    with open(keys_path, encoding="utf-8") as file:
        keys = json.load(file)
    chains = {}
    counts = {"sets": 0, "cells": 0, "chunks": 0}
    for number, item in enumerate(items(data)):
        what = f"set {number}"
        require(set(item) <= {1, 2, 3} and {1, 2} <= set(item), f"{what}: other keys")
        inner = verify(item[1], b"wake/1/device", keys["device"], f"{what}: outer")
        space_keys = [
            verify(inner, b"wake/1/space", spaces, f"{what}: inner")
            for space, spaces in keys["spaces"].items()
            if space == decode(cbor2.loads(inner).value[2], what)[1].hex()
        ]
        require(len(space_keys) == 1, f"{what}: no key of its space")
        require(len(space_keys[0]) <= HEADER_BYTES, f"{what}: the header is too long")
        header = decode(space_keys[0], f"{what}: header")
        check_header(header, what)
        sequence, previous = chains.get((header[1], header[3]), (0, bytes(32)))
        require(header[4] == sequence + 1, f"{what}: sequence {header[4]} after {sequence}")
        require(header[5] == previous, f"{what}: another predecessor")
        chains[header[1], header[3]] = (header[4], hashlib.sha256(inner).digest())
        counts["sets"] += 1
        counts["cells"] += check_body(plain(item[2], header, what), header, what)
        check_chunks(item.get(3, []), header, what)
        counts["chunks"] += len(item.get(3, []))
    require(counts["sets"] > 0, "there is no set")
    print(json.dumps(counts | {"chains": len(chains)}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:  # Bytes that were tampered with may fail in any of the libraries.
        print(f"refused: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
