"""Control sets, and who is in a space and which keys count by a chain of them."""

import copy
import dataclasses

import chunks
from codec import SCHEMA_BYTES, conform, decode, require
from identity import (
    EARLIER_BYTES,
    Card,
    device_id,
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
# In ascending order of rights.
ROLES = ("viewer", "contributor", "editor", "admin", "owner")
VOUCHES = 64
# The most cards of a user at a time, and the most recipients of a secret.
CARDS, RECIPIENTS = 64, 3500
CUT = row(read_id, uint, read_hash)
# The most held sets that one control set decides on.
DECISIONS = 64


def read_earlier(value):
    return None if value is None else sized(EARLIER_BYTES)(value)


ACTIONS = {
    "found": row(word("found"), word("own", "shared"), read_id, uint, read_card, read_proof),
    "epoch": row(word("epoch"), uint, read_hash, read_earlier, read_hash),
    "invite": row(word("invite"), read_keys, word("device", *ROLES), uint, uint, read_wrap),
    "close": row(word("close"), many(read_id, 1)),
    "join": row(word("join"), read_card, read_proof, read_id, read_signature, many(read_wrap)),
    "card": row(word("card"), read_card, read_id, read_signature, many(read_wrap)),
    "revoke": row(word("revoke"), many(read_id, 1), many(CUT), flag),
    "role": row(word("role"), read_id, word(*ROLES), many(CUT), flag),
    "remove": row(word("remove"), read_id, many(CUT), flag),
    "leave": row(word("leave"), many(CUT)),
    "adopt": row(word("adopt"), many(CUT, 1)),
    "decline": row(word("decline"), many(CUT, 1)),
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
class Term:
    """A time in the space: the index that began it, and the index and the cuts that ended it."""

    admitted: int
    end: int = None
    cuts: dict = None


@dataclasses.dataclass
class Holder:
    """A card, the times that it was in the space, and whether it was revoked."""

    card: Card
    terms: list
    is_revoked: bool = False

    @property
    def is_live(self):
        return self.terms[-1].end is None


@dataclasses.dataclass
class Member:
    """A user: the key that founds them, and each (index, role or None, cuts or None)."""

    founder: bytes
    changes: list

    @property
    def role(self):
        return self.changes[-1][1]


@dataclasses.dataclass
class Link:
    keys: tuple
    role: str
    uses: int
    maker: bytes
    expires: int
    left: int
    is_closed: bool = False

    @property
    def is_open(self):
        return self.left > 0 and not self.is_closed


def governs(role, other):
    """Whether a member with a role may change those with another one."""
    return role == "owner" or (role == "admin" and rank(other) < rank("admin"))


def rank(role):
    return ROLES.index(role)


def is_within(cuts, header, digest):
    """Whether a set lies within the cut of its replica."""
    sequence, last = cuts.get(header[3], (0, b""))
    return header[4] < sequence or (header[4], digest) == (sequence, last)


@dataclasses.dataclass
class Judge:
    """What a server knows besides the chain; a reader takes its word for it."""

    now: int = None
    chunks: dict = dataclasses.field(default_factory=dict)
    heads: dict = dataclasses.field(default_factory=dict)


class Chain:
    """The control sets of a space that count, and what follows from them."""

    def __init__(self, space):
        self.space, self.hashes, self.kind, self.user = space, [], None, None
        self.members, self.holders, self.links = {}, {}, {}
        self.epochs, self.needs_epoch = 0, False
        # What was decided on held sets, by (replica, sequence, hash).
        self.decisions = {}

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
        holder = self.holders.get(control.author)
        return holder.card if holder and holder.is_live else control.newcomer

    def live(self):
        return {device for device, holder in self.holders.items() if holder.is_live}

    def recipients(self):
        """Who may get the secret."""
        return self.live() | {link for link, known in self.links.items() if known.is_open}

    def has_room(self):
        return len(self.recipients()) < RECIPIENTS

    def require_card(self, control):
        holder = self.holders.get(control.author)
        require(holder is not None and holder.is_live, "forbidden-author")

    def role_of(self, device):
        """The role of a device's user; None unless the device has a live card."""
        holder = self.holders.get(device)
        if holder is None or not holder.is_live or holder.card.kind != "device":
            return None
        member = self.members.get(holder.card.user)
        return member.role if member else None

    def require_role(self, control, least="viewer"):
        role = self.role_of(control.author)
        require(role is not None, "forbidden-author")
        require(rank(role) >= rank(least), "forbidden-role")
        return role

    def has_owner(self):
        owners = {user for user, member in self.members.items() if member.role == "owner"}
        return any(self.holders[device].card.user in owners for device in self.live())

    def admit(self, card, control):
        known = self.holders.get(card.device)
        is_back = known is not None and not known.is_live and not known.is_revoked
        keys = {holder.card.signing for holder in self.holders.values()}
        is_new = known is None and card.signing not in keys
        require(card.is_signed() and (is_new or is_back), "forbidden-card")
        of_user = [device for device in self.live() if self.holders[device].card.user == card.user]
        require(self.has_room() and len(of_user) < CARDS, "forbidden-card")
        terms = (known.terms if known else []) + [Term(control.index)]
        self.holders[card.device] = Holder(card, terms)

    def enrol(self, user, role, founder, control):
        member = self.members.setdefault(user, Member(founder, []))
        member.changes.append((control.index, role, None))

    def check_wraps(self, wraps):
        require(all(to in self.recipients() for to, _, _ in wraps), "forbidden-card")

    def found(self, control, _, kind, nonce, policy, card, proof):
        require(policy == POLICY, "forbidden-unsupported")
        is_here = space_id(kind, card.signing, nonce) == self.space
        is_author = card.device == control.author and card.kind == "device"
        require(is_here and is_author, "forbidden-founding")
        require(kind == "shared" or proof == (None, []), "forbidden-proof")
        require(len(proof[1]) <= VOUCHES and proves(proof, card), "forbidden-proof")
        self.kind, self.user = kind, card.user
        self.admit(card, control)
        self.enrol(card.user, "owner", proof[0] or card.signing, control)
        has_epoch = any(action[0] == "epoch" for action in control.actions)
        require(has_epoch, "forbidden-epoch")

    def begin_epoch(self, control, judge, number, _digest, _earlier, wraps):
        self.require_role(control, "admin")
        named = [digest for digest, _ in control.header.get(10, [])]
        require(number == self.epochs + 1 and wraps in named, "forbidden-epoch")
        if wraps in judge.chunks:
            kind, _, content = chunks.read(judge.chunks[wraps])
            require(kind == chunks.WRAPS_KIND and content[0] == number, "forbidden-epoch")
            recipients = [recipient for recipient, _ in content[2]]
            require(recipients == sorted(self.recipients()), "forbidden-epoch")
        self.epochs, self.needs_epoch = number, False

    def invite(self, control, _, keys, role, uses, expires, wrap):
        link = invitation_id(keys)
        is_new = link not in self.links and wrap[0] == link and uses > 0
        require(is_new and self.has_room(), "forbidden-invitation")
        if self.kind == "own":
            require(role == "device" and uses == 1, "forbidden-invitation")
            self.require_role(control, "owner")
        else:
            require(role != "device", "forbidden-invitation")
            author = self.require_role(control, "admin")
            require(governs(author, role) and role != "owner", "forbidden-role")
        self.links[link] = Link(keys, role, uses, control.author, expires, uses)

    def close(self, control, _, links):
        self.require_role(control, "admin")
        for link in links:
            require(link in self.links and self.links[link].is_open, "forbidden-invitation")
            self.links[link].is_closed = True
        self.needs_epoch = True

    def join(self, control, judge, card, proof, name, permit, wraps):
        link = self.links.get(name)
        require(link is not None and link.is_open, "forbidden-invitation")
        is_late = judge.now is not None and judge.now // 1000 >= link.expires
        require(not is_late, "forbidden-invitation")
        is_author = card.device == control.author and card.kind == "device"
        require(is_author, "forbidden-card")
        permitted = preimage("join", self.space, name, card.user, *card.keys)
        require(is_signed(link.keys[0], permit, permitted), "forbidden-invitation")
        member = self.members.get(card.user)
        if link.role == "device":
            is_ours = card.user == self.user and proof == (member.founder, [])
            require(is_ours, "forbidden-proof")
        else:
            require(member is None or member.role is None, "forbidden-invitation")
            require(len(proof[1]) <= VOUCHES and proves(proof, card), "forbidden-proof")
            require(self.is_trusted(proof), "forbidden-proof")
            self.enrol(card.user, link.role, proof[0] or card.signing, control)
        self.admit(card, control)
        link.left -= 1
        self.check_wraps(wraps)

    def is_trusted(self, proof):
        """Whether no revoked card vouches, but for cards that were in the space before."""
        first, vouches = proof
        revoked = {known.card.signing for known in self.holders.values() if known.is_revoked}
        vouchers = [first] + [vouch[0][0] for vouch in vouches]
        known = [device_id(vouch[0]) in self.holders for vouch in vouches]
        return all(key not in revoked or is_known for key, is_known in zip(vouchers, known))

    def add_card(self, control, _, card, voucher, vouch, wraps):
        holder = self.holders.get(voucher)
        require(holder is not None and holder.is_live, "forbidden-author")
        is_own = holder.card.user == card.user
        require(is_own and card.is_vouched(holder.card.signing, vouch), "forbidden-author")
        is_newcomer = control.author == card.device and card.kind == "device"
        is_newcomer = is_newcomer and card.device not in self.holders
        require(control.author == voucher or is_newcomer, "forbidden-author")
        self.admit(card, control)
        self.check_wraps(wraps)

    def cuts(self, cuts, devices, is_retroactive, judge):
        """The last set that counts of each replica; none may lie below the log."""
        last = {}
        for replica, sequence, digest in cuts:
            last.setdefault(replica, (sequence, digest))
        for device in devices:
            heads = judge.heads.get(device, {}).items()
            is_below = any(last.get(replica, (0,))[0] < head for replica, head in heads)
            require(is_retroactive or not is_below, "forbidden-cut")
        return last

    def end(self, devices, last, control):
        for device in devices:
            term = self.holders[device].terms[-1]
            term.end, term.cuts = control.index, last
        self.close_links(devices)

    def close_links(self, makers):
        for link in self.links.values():
            if link.is_open and (link.maker in makers or link.uses > 1):
                link.is_closed = self.needs_epoch = True

    def devices(self, user, kinds=("device",)):
        return [
            device
            for device, holder in self.holders.items()
            if holder.card.user == user and holder.card.kind in kinds
        ]

    def revoke(self, control, judge, devices, cuts, is_retroactive):
        self.require_card(control)
        for device in devices:
            holder = self.holders.get(device)
            is_known = holder is not None and holder.is_live
            require(is_known and self.may_revoke(control.author, holder), "forbidden-revocation")
        require(len(set(devices)) == len(devices), "forbidden-revocation")
        last = self.cuts(cuts, devices, is_retroactive, judge)
        self.end(devices, last, control)
        for device in devices:
            self.holders[device].is_revoked = True
        require(self.has_owner(), "forbidden-revocation")
        self.needs_epoch = True

    def may_revoke(self, author, target):
        if target.card.device == author:
            return True
        role = self.role_of(author)
        if role is None:
            return False
        if target.card.kind == "recovery":
            return self.kind == "shared" and role == "owner"
        if self.holders[author].card.user == target.card.user:
            return True
        return governs(role, self.members[target.card.user].role)

    def set_role(self, control, judge, user, role, cuts, is_retroactive):
        author, member = self.require_role(control, "admin"), self.members.get(user)
        present = member.role if member else None
        is_change = self.kind == "shared" and present not in (None, role)
        require(is_change, "forbidden-role")
        require(governs(author, present) and governs(author, role), "forbidden-role")
        last = None
        if rank(role) < rank(present):
            last = self.cuts(cuts, self.devices(user), is_retroactive, judge)
            self.close_links(self.devices(user))
        else:
            require(not cuts, "forbidden-cut")
        member.changes.append((control.index, role, last))
        require(self.has_owner(), "forbidden-role")

    def remove(self, control, judge, user, cuts, is_retroactive):
        author, member = self.require_role(control, "admin"), self.members.get(user)
        present = member.role if member else None
        require(present is not None and governs(author, present), "forbidden-role")
        self.end_membership(control, judge, user, cuts, is_retroactive)

    def leave(self, control, judge, cuts):
        self.require_role(control)
        user = self.holders[control.author].card.user
        self.end_membership(control, judge, user, cuts, False)

    def end_membership(self, control, judge, user, cuts, is_retroactive):
        last = self.cuts(cuts, self.devices(user), is_retroactive, judge)
        self.end(self.live() & set(self.devices(user, ("device", "recovery"))), last, control)
        self.members[user].changes.append((control.index, None, last))
        require(self.has_owner(), "forbidden-role")
        self.needs_epoch = True

    def adopt(self, control, _, sets):
        self.decide(control, sets, "adopted")

    def decline(self, control, _, sets):
        self.decide(control, sets, "declined")

    def decide(self, control, sets, decision):
        self.require_role(control, "admin")
        decided = [parts[0] for name, *parts in control.actions if name in ("adopt", "decline")]
        require(sum(map(len, decided)) <= DECISIONS, "forbidden-decision")
        for each in map(tuple, sets):
            require(each not in self.decisions, "forbidden-decision")
            self.decisions[each] = decision

    def accept_server(self, control, _, _epoch, _past):
        # The log of a fleet is of one epoch, so nothing here asks for the earlier ones.
        self.require_role(control, "owner")

    def add_wraps(self, control, _, number, wraps):
        self.require_card(control)
        require(number == self.epochs, "forbidden-epoch")
        self.check_wraps(wraps)

    def answer(self, header, digest):
        """Whether a change set counts: `valid`, `pending`, `held` or `void`."""
        found = self.answer_before_adoption(header, digest)
        adopted = self.decisions.get((header[3], header[4], digest)) == "adopted"
        return "valid" if adopted and found == "held" else found

    def answer_before_adoption(self, header, digest):
        controls, holder = header[9][3], self.holders.get(header[2])
        if controls > len(self.hashes):
            return "pending"
        if holder is None or holder.card.kind != "device":
            return "void"
        terms = [term for term in holder.terms if term.admitted < controls]
        if not terms:
            return "void"
        end = terms[-1].end
        if end is not None and controls > end:
            return "held"
        changes = self.members[holder.card.user].changes
        cut = [last for index, _, last in changes if index >= controls and last is not None]
        cut += [term.cuts for term in holder.terms if term.end is not None and term.end >= controls]
        return "valid" if all(is_within(last, header, digest) for last in cut) else "held"


PERFORM = {
    "found": Chain.found,
    "epoch": Chain.begin_epoch,
    "invite": Chain.invite,
    "close": Chain.close,
    "join": Chain.join,
    "card": Chain.add_card,
    "revoke": Chain.revoke,
    "role": Chain.set_role,
    "remove": Chain.remove,
    "leave": Chain.leave,
    "adopt": Chain.adopt,
    "decline": Chain.decline,
    "server": Chain.accept_server,
    "wrap": Chain.add_wraps,
}
