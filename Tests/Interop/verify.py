"""Checks what Wake writes with no code of Wake: PyPI's pycose, cbor2, zcbor, cryptography,
zstandard and http-message-signatures, and the strictness that these lack.

    python verify.py sealed SEALED KEYS     what `wake export --sealed` and `--keys` wrote
    python verify.py flipped SEALED KEYS PLACE:MASK,…   the same, one byte flipped at a time
    python verify.py vectors FOLDER         the vectors of Tests/Vectors, each by its verdict
    python verify.py verdicts FILE          vectors without a verdict: prints one a line

Ends with 0 and a count, or with 1 and what is different.
"""

import json
import pathlib
import sys

import chunks
import control
import identity
import references
import sets
import vectors
from codec import Refused, Scanner, require


def items(data):
    """The push-items of a CBOR sequence."""
    while data:
        scanner = Scanner(data, texts_only=False)
        scanner.item()
        yield sets.read_push_item(data[: scanner.at])
        data = data[scanner.at :]


def mac_keys(keys):
    return {int(epoch, 16): bytes.fromhex(key) for epoch, key in keys.items()}


class Chains:
    """The sets of one device, which must follow each other.

    The keys may come with the control chains of the spaces: lists of uploads with their bodies.
    Without them a control set is checked against the card of its device alone.
    """

    def __init__(self, keys):
        self.device = mac_keys(keys["device"])
        self.spaces = {bytes.fromhex(space): mac_keys(of) for space, of in keys["spaces"].items()}
        controls = keys.get("controls", {}).items()
        self.chains = {bytes.fromhex(space): whole_chain(space, sets) for space, sets in controls}
        self.heads, self.cards = {}, {}
        self.counts = {"sets": 0, "controls": 0, "cells": 0, "chunks": 0}

    def take(self, item):
        upload = sets.Upload(item[1])
        header = upload.header
        require(header[1] in self.spaces, "unknown-key-epoch")
        require(2 in item, "wrong-body")
        take = self.take_control if upload.is_control else self.take_changes
        take(upload, item)
        sequence, previous = self.heads.get((header[1], header[3]), (0, bytes(32)))
        require(header[4] == sequence + 1, "sequence-gap")
        require(header[5] == previous, "fork")
        self.heads[header[1], header[3]] = (header[4], upload.hash)
        self.counts["sets"] += 1

    def take_changes(self, upload, item):
        header, chain = upload.header, self.chains.get(upload.header[1])
        upload.verify_device(self.device)
        upload.verify_space(self.spaces[header[1]])
        if chain:
            require(chain.answer(header, upload.hash) in ("valid", "held"), "not-admitted")
        if 8 in item:
            self.check_head(upload, chain, item[8])
        cells = upload.cells(item[2])
        self.counts["cells"] += len(cells)
        self.take_chunks(item.get(3, []), [value for *_, value in cells])

    def take_control(self, upload, item):
        """One that is in no chain is stale, or waits for the server."""
        known = control.ControlSet(upload, item[2])
        card = self.card(known.author, upload.header[1]) or known.newcomer
        require(card is not None and card.is_signed(), "bad-signature")
        known.verify(card)
        self.cards[card.device] = card
        brought = item.get(3, [])
        named = [list(name) for name in upload.header.get(10, [])]
        for chunk in brought:
            require([identity.sha256(chunk), len(chunk)] in named, "wrong-chunks")
            require(chunks.read(chunk)[0] == chunks.WRAPS_KIND, "other-kind")
        self.counts["controls"] += 1
        self.counts["chunks"] += len(brought)

    def card(self, device, space):
        """The card of a device, by a chain or by a control set before."""
        holder = self.chains[space].holders.get(device) if space in self.chains else None
        return holder.card if holder else self.cards.get(device)

    def check_head(self, upload, chain, signature):
        header = upload.header
        last = chain.hash_of(header[9][3]) if chain else None
        card = self.card(header[2], header[1])
        require(last is not None and card is not None, "unknown-controls")
        signed = identity.head(*(header[key] for key in (1, 2, 3, 4)), upload.hash, last)
        require(identity.is_signed(card.signing, signature, signed), "bad-signature")

    def take_chunks(self, brought, values):
        """Chunks need not come along; those that do are what a cell says of them."""
        named = {}
        for value in values:
            if references.chunk_of(value):
                named.setdefault(value[0], value)
        for chunk in brought:
            require(identity.sha256(chunk) in named, "wrong-chunks")
            check_chunk(chunk, named[identity.sha256(chunk)])
        self.counts["chunks"] += len(brought)


def whole_chain(space, listed):
    """The chain of all control sets of a space that count."""
    chain = control.Chain(bytes.fromhex(space))
    for upload, body in listed:
        read_upload = sets.Upload(bytes.fromhex(upload))
        chain.apply(control.ControlSet(read_upload, bytes.fromhex(body)))
    return chain


def check_chunk(chunk, value):
    """Length, kind, and for samples the bounds in the summary."""
    require(len(chunk) == value[1], "wrong-chunks")
    kind, _, content = chunks.read(chunk)
    require(kind == value[2], "other-kind")
    if kind == chunks.SAMPLES_KIND:
        summary = references.summary_of(value)
        require(summary is not None and summary.filtered is not None, "there is no summary")
        require(summary.bounds == references.bounds(content), "wrong-summary")


def check_sealed(data, keys):
    chains = Chains(keys)
    for item in items(data):
        chains.take(item)
    require(chains.counts["sets"] > 0, "there is no set")
    return chains.counts | {"chains": len(chains.heads)}


def read_sealed(sealed_path, keys_path):
    keys = json.loads(pathlib.Path(keys_path).read_text(encoding="utf-8"))
    return pathlib.Path(sealed_path).read_bytes(), keys


def verify_sealed(sealed_path, keys_path):
    print(json.dumps(check_sealed(*read_sealed(sealed_path, keys_path))))


def verify_flipped(sealed_path, keys_path, flips):
    data, keys = read_sealed(sealed_path, keys_path)
    for flip in flips.split(","):
        place, mask = map(int, flip.split(":"))
        flipped = bytearray(data)
        flipped[place] ^= mask
        try:
            check_sealed(bytes(flipped), keys)
            print(flip, "accepted")
        except Refused:
            print(flip, "refused")


def verify_vectors(folder):
    counts, wrong = {}, 0
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        for vector in vectors.read(path):
            counts[path.name] = counts.get(path.name, 0) + 1
            for difference in vectors.differences(vector):
                wrong += 1
                print(f"{path.name}: {vector.name}: {difference[:300]}", file=sys.stderr)
    require(counts and not wrong, f"{wrong} differences")
    print(json.dumps(counts))


def print_verdicts(path):
    for vector in vectors.read(pathlib.Path(path)):
        print(f"{vectors.verdict(vector)[0]}\t{vector.name}")


VERBS = {
    "sealed": verify_sealed,
    "flipped": verify_flipped,
    "vectors": verify_vectors,
    "verdicts": print_verdicts,
}

if __name__ == "__main__":
    try:
        VERBS[sys.argv[1]](*sys.argv[2:])
    except Refused as refusal:
        print(f"refused: {refusal}", file=sys.stderr)
        sys.exit(1)
