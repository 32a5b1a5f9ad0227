"""What worlds of the simulation ended as, computed once more from the bytes of their logs.

    python worlds.py FOLDER     the records that `WAKE_RECORDS=FOLDER` made the simulation write

Ends with 0 and a count, or with 1 and what is different.
"""

import json
import pathlib
import sys

import identity
import sets
from codec import Refused, encode, require
from control import Chain, ControlSet

ACCEPTED = 0


class World:
    """The log of one space, and the secrets that verify it."""

    def __init__(self, master, space):
        self.master, self.space = bytes.fromhex(master), bytes.fromhex(space["id"])
        self.keys = {int(epoch, 16): bytes.fromhex(key) for epoch, key in space["keys"].items()}
        self.chain, self.link, self.cells = Chain(self.space), bytes(32), []
        self.uploads, self.signatures = [], []

    def take(self, position, data):
        """Reads the next entry; what was accepted must verify."""
        entry = sets.read_log_entry(data)
        require(entry[0] == position, "another position")
        upload = sets.Upload(entry[1])
        header = upload.header
        require(header[1] == self.space, "another space")
        judged = sets.judged(self.space, header[3], header[4], upload.hash, entry[4])
        self.link = identity.sha256(self.link + judged)
        if 8 in entry:
            self.signatures.append((upload, entry[8]))
        if entry[4] == ACCEPTED:
            require(2 in entry, "no body")
            (self.take_control if upload.is_control else self.take_changes)(upload, entry[2])

    def take_control(self, upload, body):
        self.chain.apply(ControlSet(upload, body))

    def take_changes(self, upload, body):
        upload.verify_device(identity.device_mac_keys(self.master, upload.header[2]))
        upload.verify_space(self.keys)
        self.cells += [encode(list(cell)) for cell in upload.cells(body)]
        self.uploads.append(upload)

    def check_authors(self):
        """What was accepted counts, by the chain of the whole log."""
        for upload in self.uploads:
            answer = self.chain.answer(upload.header, upload.hash)
            require(answer in ("valid", "held"), f"accepted, and {answer}")

    def check_signatures(self):
        for upload, signature in self.signatures:
            header = upload.header
            holder = self.chain.holders.get(header[2])
            last = self.chain.hash_of(header[9][3])
            require(holder is not None and last is not None, "unknown-controls")
            signed = identity.head(*(header[key] for key in (1, 2, 3, 4)), upload.hash, last)
            require(identity.is_signed(holder.card.signing, signature, signed), "bad-signature")


def check_space(master, space):
    """Counts of entries, cells and signatures that are as the record says."""
    world = World(master, space)
    for number, entry in enumerate(space["entries"], start=1):
        try:
            world.take(number, bytes.fromhex(entry))
        except Refused as refusal:
            raise Refused(f"entry {number}: {refusal}") from None
    require(world.link.hex() == space["chain"], "another chain")
    world.check_authors()
    world.check_signatures()
    own = sets.fingerprint(world.cells).hex()
    for name, told in space["fingerprints"].items():
        require(told == own, f"another fingerprint: {name}")
    return len(space["entries"]), len(world.cells), len(world.signatures)


def check_all(folder):
    """Checks every record; all differences, and what was compared."""
    differences, totals, count = [], [0, 0, 0], 0
    for path in sorted(pathlib.Path(folder).glob("world-*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        for space in record["spaces"]:
            try:
                found = check_space(record["master"], space)
                totals = list(map(sum, zip(totals, found)))
                count += 1
            except Refused as refusal:
                differences.append(f"seed {record['seed']}: {refusal}")
    return differences, count, totals


def main(folder):
    differences, count, (entries, cells, signatures) = check_all(folder)
    for difference in differences:
        print(difference, file=sys.stderr)
    if differences or not count:
        sys.exit(f"worlds: {len(differences)} differences in {count} logs")
    print(f"worlds: {count} logs agree: {entries} entries, {cells} cells, {signatures} signatures")


if __name__ == "__main__":
    main(sys.argv[1])
