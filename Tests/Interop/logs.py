"""The log of one space on a server: what becomes of push items in turn."""

import identity
import sets
from codec import Refused, require
from control import Chain, ControlSet, Judge

DRIFT_MILLISECONDS = 300_000
VERDICTS = ["accepted", "held", "refused"]


class Log:
    """The last set of each replica, every set by its name, and the control chain."""

    def __init__(self, space, now_milliseconds, master):
        self.space, self.now, self.master = space, now_milliseconds, master
        self.link, self.greatest = bytes(32), 0
        self.bound = (now_milliseconds + DRIFT_MILLISECONDS) << 16
        self.chain, self.heads, self.results, self.chunks = Chain(space), {}, {}, {}

    def append(self, data, device):
        """The verdict on an item of a device; what changes nothing is an exception."""
        item = sets.read_push_item(data)
        upload = sets.Upload(item[1])
        header, body = upload.header, item.get(2)
        require(header[1] == self.space and header[2] == device, "bad-encoding")
        require(body is not None and identity.sha256(body) == header[8][0], "bad-encoding")
        if not upload.is_control:
            upload.verify_device(identity.device_mac_keys(self.master, device))
        brought = named_chunks(item, header)
        name = (header[3], header[4], upload.hash)
        if name not in self.results:
            sequence, previous = self.heads.get(header[3], (0, bytes(32)))
            require(header[4] <= sequence + 1, "sequence-gap")
            require(header[4] == sequence + 1 and header[5] == previous, "fork")
            judge = self.judge_control if upload.is_control else self.judge_changes
            verdict = judge(upload, body, self.chunks | brought)
            self.chunks |= brought if verdict != "refused" else {}
            self.enter(name, header, verdict)
        return self.results[name]

    def judge_control(self, upload, body, chunks):
        """A control set is the next one of the chain, or refused; the first one lets in."""
        header = upload.header
        require_whole(header, chunks)
        last = {replica: sequence for replica, (sequence, _) in self.heads.items()}
        try:
            judge = Judge(self.now, chunks, {header[2]: last})
            self.chain.apply(ControlSet(upload, body), judge)
        except Refused:
            require(self.chain.hashes, "forbidden")
            return "refused"
        return "accepted"

    def judge_changes(self, upload, body, chunks):
        verdict = self.verdict(upload, body)
        if verdict != "refused":
            require_whole(upload.header, chunks)
        return verdict

    def verdict(self, upload, body):
        header = upload.header
        answer = self.chain.answer(header, upload.hash)
        require(answer != "pending", "sequence-gap")
        if answer != "valid":
            return "held" if answer == "held" else "refused"
        try:
            upload.cells(body)
        except Refused as refusal:
            return "held" if str(refusal) == "unknown-critical-key" else "refused"
        is_early = header[6][1] <= max(self.bound, self.greatest + header[7])
        return "accepted" if is_early else "refused"

    def enter(self, name, header, verdict):
        self.heads[name[0]] = name[1:]
        self.results[name] = verdict
        self.greatest = max(self.greatest, header[6][1] if verdict == "accepted" else 0)
        judged = sets.judged(self.space, *name, VERDICTS.index(verdict))
        self.link = identity.sha256(self.link + judged)


def require_whole(header, chunks):
    require(all(digest in chunks for digest, _ in header.get(10, [])), "chunks-missing")


def named_chunks(item, header):
    """The chunks of an item by their hashes; the header names each."""
    brought = {identity.sha256(chunk): chunk for chunk in item.get(3, [])}
    named = [list(name) for name in header.get(10, [])]
    require(all([digest, len(chunk)] in named for digest, chunk in brought.items()), "bad-encoding")
    return brought
