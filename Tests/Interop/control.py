"""Control sets, and who is in an own space and which keys count by a chain of them."""

import copy
import dataclasses

import chunks
from codec import SCHEMA_BYTES, conform, decode, require
from identity import (
    EARLIER_BYTES,
    Card,
    flag,
    invitation_id,
    is_signed,
    many,
    preimage,
    proves,
    read_card,
    read_hash,
    read_id,
    read_keys,
    read_proof,
    read_signature,
    read_wrap,
    row,
    sha256,
    sized,
    space_id,
    uint,
    word,
)

POLICY = 1
NOTHING = bytes(32)
ROLES = ("device", "owner", "admin", "editor", "contributor", "viewer")
CUT = row(read_id, uint, read_hash)


def read_earlier(value):
    return None if value is None else sized(EARLIER_BYTES)(value)


ACTIONS = {
    "found": row(word("found"), word("own", "shared"), read_id, uint, read_card, read_proof),
    "epoch": row(word("epoch"), uint, read_hash, read_earlier, read_hash),
    "invite": row(word("invite"), read_keys, word(*ROLES), uint, uint, read_wrap),
    "close": row(word("close"), many(read_id, 1)),
    "join": row(word("join"), read_card, read_proof, read_id, read_signature, many(read_wrap)),
    "card": row(word("card"), read_card, read_id, read_signature, many(read_wrap)),
    "revoke": row(word("revoke"), many(read_id, 1), many(CUT), flag),
    "server": row(word("server"), read_id, many(CUT)),
    "wrap": row(word("wrap"), uint, many(read_wrap, 1)),
}


def read_body(data):
    """The author's time and the actions, each a tuple that begins with its name."""
    time, items = row(uint, many(lambda item: item, 1))(decode(data))
    actions = []
    for item in items:
        require(type(item) is list and item and type(item[0]) is str, "unexpected")
        require(item[0] in ACTIONS, "unknown-action")
        actions.append(ACTIONS[item[0]](item))
        if item[0] == "epoch":
            require(item[1] > 0 and (item[1] == 1) == (item[3] is None), "unexpected")
    if len(data) <= SCHEMA_BYTES:
        conform(decode(data), "control-body")
    return time, actions


class ControlSet:
    """An upload and its body, which the header names; the signature is not verified yet."""

    def __init__(self, upload, body):
        header = upload.header
        require(header.get(14) is not None, "stale")
        size = len(body)
        require(header[8] == [sha256(body), size, size], "wrong-body")
        self.upload, self.header, self.hash = upload, header, upload.hash
        self.author, (self.index, self.before) = header[2], header[14]
        self.time, self.actions = read_body(body)

    @property
    def newcomer(self):
        """The card that the first action brings in."""
        name, *parts = self.actions[0]
        return {"found": parts[3:4], "join": parts[:1], "card": parts[:1]}.get(name, [None])[0]

    def verify(self, card):
        """Refuses a signature by another key than that of the author's card."""
        require(card is not None and card.device == self.author, "bad-signature")
        self.upload.verify_signature(card.signing)


@dataclasses.dataclass
class Member:
    """A card, the index that admitted it, and the index and the cuts of its revocation."""

    card: Card
    admitted: int
    end: int = None
    cuts: dict = None

    @property
    def is_live(self):
        return self.end is None


@dataclasses.dataclass
class Link:
    keys: tuple
    maker: bytes
    expires: int
    is_open: bool = True


@dataclasses.dataclass
class Judge:
    """What a server knows besides the chain; a reader takes its word for it."""

    now: int = None
    chunks: dict = dataclasses.field(default_factory=dict)
    heads: dict = dataclasses.field(default_factory=dict)


class Chain:
    """The control sets of an own space that count, and what follows from them."""

    def __init__(self, space):
        self.space, self.hashes, self.founder = space, [], None
        self.members, self.links, self.epochs, self.needs_epoch = {}, {}, 0, False

    def hash_of(self, controls):
        """The hash of the last of so many control sets; None beyond the chain."""
        if controls > len(self.hashes):
            return None
        return self.hashes[controls - 1] if controls else NOTHING

    def apply(self, control, judge=None):
        """Takes the next set, or refuses it and stays as it is."""
        place = [len(self.hashes), self.hash_of(len(self.hashes))]
        require(control.header[1] == self.space and control.header[14] == place, "stale")
        control.verify(self.author_card(control))
        after = copy.deepcopy(self)
        for number, (name, *parts) in enumerate(control.actions):
            is_first = control.index == 0 and number == 0
            require((name == "found") == is_first, "forbidden-founding")
            PERFORM[name](after, control, judge or Judge(), *parts)
        after.hashes.append(control.hash)
        vars(self).update(vars(after))

    def author_card(self, control):
        member = self.members.get(control.author)
        if member:
            return member.card if member.is_live else None
        return control.newcomer

    def live(self):
        return {device for device, member in self.members.items() if member.is_live}

    def recipients(self):
        """Who may get the secret."""
        return self.live() | {link for link, known in self.links.items() if known.is_open}

    def require_author(self, control, kinds=("device",)):
        member = self.members.get(control.author)
        is_able = member is not None and member.is_live and member.card.kind in kinds
        require(is_able, "forbidden-author")

    def admit(self, card, control):
        is_ours = card.user == self.user and card.device not in self.members
        require(card.is_signed() and is_ours, "forbidden-card")
        self.members[card.device] = Member(card, control.index)

    def check_wraps(self, wraps):
        require(all(to in self.recipients() for to, _, _ in wraps), "forbidden-card")

    def found(self, control, _, kind, nonce, policy, card, proof):
        require(kind == "own" and policy == POLICY, "forbidden-unsupported")
        is_here = space_id(kind, card.signing, nonce) == self.space
        is_author = card.device == control.author and card.kind == "device"
        require(is_here and is_author, "forbidden-founding")
        require(proof == (None, []) and proves(proof, card), "forbidden-proof")
        self.user, self.founder = card.user, card.signing
        self.admit(card, control)
        has_epoch = any(action[0] == "epoch" for action in control.actions)
        require(has_epoch, "forbidden-epoch")

    def begin_epoch(self, control, judge, number, _digest, _earlier, wraps):
        self.require_author(control)
        named = [digest for digest, _ in control.header.get(10, [])]
        require(number == self.epochs + 1 and wraps in named, "forbidden-epoch")
        if wraps in judge.chunks:
            kind, _, content = chunks.read(judge.chunks[wraps])
            require(kind == chunks.WRAPS_KIND and content[0] == number, "forbidden-epoch")
            recipients = [recipient for recipient, _ in content[2]]
            require(recipients == sorted(self.recipients()), "forbidden-epoch")
        self.epochs, self.needs_epoch = number, False

    def invite(self, control, _, keys, role, uses, expires, wrap):
        self.require_author(control)
        link = invitation_id(keys)
        is_new = link not in self.links and wrap[0] == link
        require(role == "device" and uses == 1 and is_new, "forbidden-invitation")
        self.links[link] = Link(keys, control.author, expires)

    def close(self, control, _, links):
        self.require_author(control)
        for link in links:
            require(link in self.links and self.links[link].is_open, "forbidden-invitation")
            self.links[link].is_open = False
        self.needs_epoch = True

    def join(self, control, judge, card, proof, name, permit, wraps):
        link = self.links.get(name)
        require(link is not None and link.is_open, "forbidden-invitation")
        is_late = judge.now is not None and judge.now // 1000 >= link.expires
        require(not is_late, "forbidden-invitation")
        is_author = card.device == control.author and card.kind == "device"
        require(is_author, "forbidden-card")
        require(proof == (self.founder, []), "forbidden-proof")
        permitted = preimage("join", self.space, name, card.user, *card.keys)
        require(is_signed(link.keys[0], permit, permitted), "forbidden-invitation")
        self.admit(card, control)
        link.is_open = False
        self.check_wraps(wraps)

    def add_card(self, control, _, card, voucher, vouch, wraps):
        member = self.members.get(voucher)
        require(member is not None and member.is_live, "forbidden-author")
        require(card.is_vouched(member.card.signing, vouch), "forbidden-author")
        is_newcomer = control.author == card.device and card.kind == "device"
        require(control.author == voucher or is_newcomer, "forbidden-author")
        self.admit(card, control)
        self.check_wraps(wraps)

    def revoke(self, control, judge, devices, cuts, is_retroactive):
        self.require_author(control, ("device", "recovery"))
        last = {}
        for replica, sequence, digest in cuts:
            last.setdefault(replica, (sequence, digest))
        for device in devices:
            member = self.members.get(device)
            is_known = member is not None and member.is_live
            require(is_known and self.may_revoke(control.author, device), "forbidden-revocation")
            heads = judge.heads.get(device, {}).items()
            is_below = any(last.get(replica, (0,))[0] < head for replica, head in heads)
            require(is_retroactive or not is_below, "forbidden-cut")
            member.end, member.cuts = control.index, last
            for link in self.links.values():
                link.is_open = link.is_open and link.maker != device
        require(self.live(), "forbidden-revocation")
        self.needs_epoch = True

    def may_revoke(self, author, device):
        kinds = {self.members[author].card.kind, self.members[device].card.kind}
        return author == device or kinds == {"device"}

    def accept_server(self, control, _, _epoch, _past):
        # The log of a fleet is of one epoch, so nothing here asks for the earlier ones.
        self.require_author(control)

    def add_wraps(self, control, _, number, wraps):
        self.require_author(control, ("device", "recovery"))
        require(number == self.epochs, "forbidden-epoch")
        self.check_wraps(wraps)

    def answer(self, header, digest):
        """Whether a change set counts: `valid`, `pending`, `held` or `void`."""
        controls, member = header[9][3], self.members.get(header[2])
        if controls > len(self.hashes):
            return "pending"
        if member is None or member.card.kind != "device" or member.admitted >= controls:
            return "void"
        if member.is_live:
            return "valid"
        sequence, last = member.cuts.get(header[3], (0, b""))
        is_before = header[4] < sequence or (header[4], digest) == (sequence, last)
        return "valid" if controls <= member.end and is_before else "held"


PERFORM = {
    "found": Chain.found,
    "epoch": Chain.begin_epoch,
    "invite": Chain.invite,
    "close": Chain.close,
    "join": Chain.join,
    "card": Chain.add_card,
    "revoke": Chain.revoke,
    "server": Chain.accept_server,
    "wrap": Chain.add_wraps,
}
