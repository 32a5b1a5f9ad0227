"""The vectors of Tests/Vectors, in the form that README.md explains there, and their judge."""

import dataclasses
import struct

import chunks
import control
import enrolment
import identity
import logs
import references
import sets
import signatures
from codec import Refused, conform, decode, encode, require


@dataclasses.dataclass
class Vector:
    kind: str
    name: str
    fields: list = dataclasses.field(default_factory=list)

    def texts(self, name):
        return [text for key, text in self.fields if key == name]

    def text(self, name):
        texts = self.texts(name)
        return texts[0] if texts else None

    def all_bytes(self, name):
        return [unhex(text) for text in self.texts(name)]

    def bytes(self, name):
        text = self.text(name)
        return b"" if text is None else unhex(text)

    def numbered(self, name):
        pairs = [text.split(" ", 1) for text in self.texts(name)]
        return [(int(pair[0]), unhex(pair[1]) if len(pair) > 1 else b"") for pair in pairs]

    def integer(self, name):
        text = self.text(name)
        return None if text is None else int(text)


def unhex(text):
    """Hexadecimal words, each perhaps repeated as in `f6*24`, and comments."""
    data = b""
    for line in text.split("\n"):
        for word in line.split("#")[0].split():
            digits, _, count = word.partition("*")
            data += bytes.fromhex(digits) * (int(count) if count else 1)
    return data


def read(path):
    """The vectors of a file."""
    vectors, is_inside = [], False
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line:
            is_inside = False
        elif line[0] == " ":
            key, text = vectors[-1].fields[-1]
            vectors[-1].fields[-1] = (key, text + "\n" + line)
        elif line[0] != "#":
            key, _, text = line.partition(":")
            if is_inside:
                vectors[-1].fields.append((key, text.lstrip(" ")))
            else:
                vectors.append(Vector(key, text.lstrip(" ")))
                is_inside = True
    return vectors


def verdict(vector):
    """`ok` or the reason, and what came out."""
    try:
        findings = JUDGES[vector.kind](vector)
    except Refused as refusal:
        return str(refusal), {}
    return findings.pop("outcome", "ok"), findings


def differences(vector):
    """What the vector says that came out otherwise."""
    reason, findings = verdict(vector)
    expected = vector.text("expect")
    is_right = reason in expected.split(" or ")
    found = [] if is_right else [f"the verdict is {reason}, not {expected}"]
    for name, values in findings.items():
        said = vector.texts(name)
        if said and values and isinstance(values[0], bytes):
            said = vector.all_bytes(name)
        if said and said != values:
            found.append(f"{name} is {values}")
    return found


def diagnostic(value):
    """Diagnostic notation (RFC 8949, section 8), with floats by their bits."""
    if isinstance(value, float):
        return f"double'{struct.pack('>d', value).hex()}'"
    if isinstance(value, bytes):
        return f"h'{value.hex()}'"
    if isinstance(value, str):
        return '"' + "".join(map(escaped, value)) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(diagnostic, value)) + "]"
    if isinstance(value, dict):
        pairs = (f"{diagnostic(key)}: {diagnostic(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def escaped(character):
    if character in '"\\':
        return "\\" + character
    return f"\\u{ord(character):04x}" if character < " " else character


def value(vector):
    return {"decoded": [diagnostic(decode(vector.bytes("input"), texts_only=True))]}


def header(vector):
    fields = sets.read_header(vector.bytes("input"))
    names = {1: "space", 2: "device", 3: "replica", 5: "previous"}
    findings = {name: [fields[key]] for key, name in names.items()}
    findings |= {"sequence": [str(fields[4])], "cells": [str(fields[7])]}
    findings |= {"low": [str(fields[6][0])], "high": [str(fields[6][1])]}
    chunk_names = [f"{size} {digest.hex()}" for digest, size in fields.get(10, [])]
    findings |= {"encoding": [str(fields.get(11, 0))], "chunk": chunk_names}
    log, position, link, controls = fields[9]
    findings |= {"log": [log], "position": [str(position)], "link": [link]}
    index, before = fields.get(14, ("none", b""))
    return findings | {"controls": [str(controls)], "index": [str(index)], "before": [before]}


def body(vector):
    fields = {
        3: vector.bytes("replica"),
        6: [vector.integer("low"), vector.integer("high")],
        7: vector.integer("cells"),
        10: [[digest, size] for size, digest in vector.numbered("chunk")],
    }
    return {"cell": [encode(cell) for cell in sets.read_body(vector.bytes("input"), fields)]}


def upload(vector):
    read_upload = sets.Upload(vector.bytes("input"))
    read_upload.verify_device(keys_of(vector, "device"))
    read_upload.verify_space(keys_of(vector, "space"))
    findings = {"hash": [read_upload.hash]}
    if vector.text("body") is not None:
        cells = read_upload.cells(vector.bytes("body"))
        findings["cell"] = [encode(cell) for cell in cells]
    return findings


def keys_of(vector, name):
    salt = vector.bytes(name)
    return {
        epoch: identity.derive(f"{name}-mac", secret, salt, epoch)
        for epoch, secret in vector.numbered(f"{name}-secret")
    }


def results_of(items, judge):
    """What becomes of items in turn, and the first reason for which one changed nothing."""
    results = []
    for item in items:
        try:
            results.append(judge(item))
        except Refused as refusal:
            results.append(str(refusal))
    refusals = [result for result in results if result not in logs.VERDICTS]
    return {"outcome": refusals[0] if refusals else "ok", "result": results}


def chain(vector):
    """What a server makes of push items in turn, and the last link of its log."""
    log = logs.Log(vector.bytes("space"), vector.integer("now"), vector.bytes("master"))
    device = vector.bytes("device")
    findings = results_of(vector.all_bytes("item"), lambda item: log.append(item, device))
    return findings | {"link": [log.link]}


def control_set(vector):
    upload = sets.Upload(vector.bytes("input"))
    read_set = control.ControlSet(upload, vector.bytes("body"))
    key = vector.bytes("key")
    upload.verify_signature(key)
    findings = {"author": [read_set.author], "index": [str(read_set.index)]}
    findings |= {"hash": [read_set.hash], "time": [str(read_set.time)]}
    return findings | {"action": [action[0] for action in read_set.actions]}


def control_chain(vector):
    """What a server makes of control sets in turn, with what it knows besides, or a reader."""
    known = control.Chain(vector.bytes("space"))
    heads = {}
    for sequence, names in vector.numbered("logged"):
        heads.setdefault(names[:16], {})[names[16:]] = sequence

    def judge(data):
        item = sets.read_push_item(data)
        upload = sets.Upload(item[1])
        brought = logs.named_chunks(item, upload.header)
        circumstances = control.Judge(vector.integer("now"), brought, heads)
        known.apply(control.ControlSet(upload, item.get(2, b"")), circumstances)
        return "accepted"

    findings = results_of(vector.all_bytes("item"), judge)
    findings |= {"controls": [str(len(known.hashes))], "head": [known.hash_of(len(known.hashes))]}
    holders, links = known.holders.items(), known.links.items()
    live = sorted(device for device, holder in holders if holder.is_live)
    is_open = sorted(link for link, said in links if said.is_open)
    findings |= {"live": live or ["none"], "open": is_open or ["none"]}
    roles = sorted((user, member.role) for user, member in known.members.items() if member.role)
    findings["member"] = [f"{user.hex()} {role}" for user, role in roles]
    findings["epochs"] = [str(known.epochs)]
    for decision in ("adopted", "declined"):
        findings[decision] = sorted(
            name[2] for name, each in known.decisions.items() if each == decision
        )
    return findings | {"needs-epoch": [str(known.needs_epoch).lower()]}


def answer(vector):
    """Whether a change set counts by a control chain."""
    known = control.Chain(vector.bytes("space"))
    for data in vector.all_bytes("item"):
        item = sets.read_push_item(data)
        known.apply(control.ControlSet(sets.Upload(item[1]), item[2]))
    upload = sets.Upload(vector.bytes("input"))
    return {"answer": [known.answer(upload.header, upload.hash)]}


def chunk(vector):
    kind, content, read_content = chunks.read(vector.bytes("input"))
    if kind not in CHUNK_FINDINGS:
        return {"kind": [str(kind)]}
    return CHUNK_FINDINGS[kind](read_content, content)


def manifest(listed, _):
    kind, names = listed
    return {"lists": [f"{kind} {len(names)}"]}


def wraps(read_wraps, _):
    epoch, _, entries = read_wraps
    return {"wraps": [f"{epoch} {len(entries)}"]}


def rows(groups, _):
    return {"group": [f"{replica.hex()} {len(cells)}" for replica, cells in groups.items()]}


def samples(read_samples, content):
    written = [
        " ".join(f"{chunks.name(channel)}={count}" for channel, count in sample.items())
        for sample in read_samples
    ]
    digest = identity.sha256(content)
    return {"sample": written, "samples": [str(len(written))], "digest": [digest]}


def file(piece, _):
    return {"file": [identity.sha256(piece)]}


CHUNK_FINDINGS = {
    chunks.MANIFEST_KIND: manifest,
    chunks.WRAPS_KIND: wraps,
    chunks.ROWS_KIND: rows,
    chunks.SAMPLES_KIND: samples,
    chunks.FILE_KIND: file,
}


def reference(vector):
    read_value = decode(vector.bytes("input"), texts_only=True)
    named = references.chunk_of(read_value)
    if named is None:
        return {"names": ["none"]}
    conform(read_value, "chunk-reference")
    digest, size, kind = named
    findings = {"names": [f"{size} {kind} {digest.hex()}"], "summary": ["none"]}
    summary = references.summary_of(read_value)
    if summary:
        found = "unfiltered"
        if summary.filtered:
            conform(read_value[3], "summary")
            found = "{flagged} {length}".format(**summary.filtered)
        findings["summary"] = [f"{summary.samples} {summary.points} {found}"]
    return findings


def log_entry(vector):
    entry = sets.read_log_entry(vector.bytes("input"))
    if len(entry) == 1:
        return {"position": [str(entry[0])]}
    findings = {"position": [str(entry[0])], "receipt": [entry[5]]}
    findings |= {"signature": [entry[8]] if 8 in entry else [], "reason": [entry.get(40, "")]}
    return findings | {"verdict": [str(entry[4])]}


def push_item(vector):
    sets.read_push_item(vector.bytes("input"))
    return {}


def receipt(vector):
    signed = sets.judged(
        vector.bytes("space"),
        vector.bytes("replica"),
        vector.integer("sequence"),
        vector.bytes("hash"),
        vector.integer("verdict"),
    )
    sets.check_receipt(vector.bytes("input"), vector.bytes("key"), signed)
    return {"signed": [signed]}


def fingerprint(vector):
    return {"fingerprint": [sets.fingerprint(vector.all_bytes("cell"))]}


def key(vector):
    derived = identity.derive(
        vector.text("purpose"), vector.bytes("secret"), vector.bytes("id"), vector.integer("epoch")
    )
    return {"key": [derived]}


def identifier(vector):
    ids = {
        "device": lambda: identity.device_id((vector.bytes("signing"), vector.bytes("agreement"))),
        "invite": lambda: identity.invitation_id(
            (vector.bytes("signing"), vector.bytes("agreement"))
        ),
        "user": lambda: identity.user_id(vector.bytes("signing")),
        "space": lambda: identity.space_id(
            vector.text("space-kind"), vector.bytes("signing"), vector.bytes("nonce")
        ),
        "row": lambda: identity.row_id(
            vector.bytes("space"), vector.bytes("user"), vector.bytes("salt")
        ),
    }
    return {"id": [ids[vector.text("purpose")]()]}


def card(vector):
    read_card = identity.read_card(decode(vector.bytes("input")))
    conform(decode(vector.bytes("input")), "card")
    require(read_card.is_signed(), "bad-signature")
    findings = {"device": [read_card.device], "user": [read_card.user]}
    return findings | {"card-kind": [read_card.kind]}


def vouch(vector):
    read_card = identity.read_card(decode(vector.bytes("card")))
    signature = vector.bytes("input")
    require(len(signature) == 64, "unexpected")
    require(read_card.is_vouched(vector.bytes("key"), signature), "bad-signature")
    return {}


def user_proof(vector):
    proof = identity.read_proof(decode(vector.bytes("input")))
    conform(decode(vector.bytes("input")), "user-proof")
    read_card = identity.read_card(decode(vector.bytes("card")))
    require(identity.proves(proof, read_card), "forbidden-proof")
    return {"vouches": [str(len(proof[1]))]}


def head(vector):
    names = ("space", "device", "replica")
    signed = identity.head(
        *map(vector.bytes, names),
        vector.integer("sequence"),
        vector.bytes("hash"),
        vector.bytes("control"),
    )
    signature = vector.bytes("input")
    require(len(signature) == 64, "unexpected")
    require(identity.is_signed(vector.bytes("key"), signature, signed), "bad-signature")
    return {"signed": [signed]}


def recovery_code(vector):
    secret = identity.read_code(vector.text("text"))
    signing, agreement = identity.derived_keys("recovery", secret)
    findings = {"secret": [secret], "signing": [signing], "agreement": [agreement]}
    return findings | {"written": [identity.write_code(secret)]}


def wrap(vector):
    read_wrap = identity.read_wrap(decode(vector.bytes("input")))
    conform(decode(vector.bytes("input")), "wrap-entry")
    space, epoch = vector.bytes("space"), vector.integer("epoch")
    secret = identity.unwrap(space, epoch, read_wrap, vector.bytes("agreement"))
    digest = identity.secret_hash(space, epoch, secret)
    return {"to": [read_wrap[0]], "opened": [secret], "secret-hash": [digest]}


def earlier(vector):
    space, epoch = vector.bytes("space"), vector.integer("epoch")
    secret = identity.unwrap_earlier(space, epoch, vector.bytes("secret"), vector.bytes("input"))
    digest = identity.secret_hash(space, epoch - 1, secret)
    return {"opened": [secret], "secret-hash": [digest]}


def signature_base(vector):
    lines, signature = signatures.base(vector)
    return {"base": lines, "signature": [signature]}


def request(vector):
    created, nonce, key_name = signatures.read_request(vector)
    return {"created": [created], "nonce": [nonce], "keyid": [key_name]}


def enrol_request(vector):
    message = enrolment.read_request(vector.bytes("input"))
    conform(decode(vector.bytes("input")), "enrol-request")
    names = {0: "challenge", 1: "token", 3: "space", 6: "name", 7: "device"}
    findings = {name: [message[key]] for key, name in names.items() if key in message}
    findings |= {"signer": [signer for signer, _ in message.get(2, [])]}
    findings |= {"known": [str(message.get(4, 0))], "items": [str(len(message.get(5, [])))]}
    return findings | {"key-epoch": [str(message.get(8, 0))]}


def enrol_reply(vector):
    message = enrolment.read_reply(vector.bytes("input"))
    conform(decode(vector.bytes("input")), "enrol-reply")
    names = {0: "challenge", 1: "space", 3: "wraps"}
    findings = {name: [message[key]] for key, name in names.items() if key in message}
    findings["controls"] = [str(len(message.get(2, [])))]
    findings["result"] = [" ".join(map(str, result)).strip() for result in message.get(4, [])]
    if 5 in message:
        epoch, secret = message[5]
        findings |= {"key-epoch": [str(epoch)], "device-secret": [secret]}
    return findings


def refill_item(vector):
    enrolment.read_refill(vector.bytes("input"))
    conform(decode(vector.bytes("input")), "refill-item")
    return {}


def enrol_proof(vector):
    names = ("signer", "input", "key")
    said = (vector.text("challenge"), vector.text("authority"))
    enrolment.check_proof(*map(vector.bytes, names), *said)
    return {}


def challenge(vector):
    signatures.check_challenge(vector.text("text"), vector.bytes("master"), vector.integer("now"))
    return {}


def link(vector):
    text = vector.text("text")
    authority, secret, trust, place = signatures.read_link(
        vector.bytes("input").decode() if text is None else text
    )
    said = signatures.base32(secret) + signatures.written(trust, place)
    findings = {"authority": [authority], "secret": [secret], "trust": [trust]}
    if place:
        space, anchor = place
        findings |= {"space": [space], "hash": [anchor[4:]]}
        findings["index"] = [str(int.from_bytes(anchor[:4], "big"))]
    return findings | {"written": [f"wake://{authority}/#{said}"]}


JUDGES = {
    "value": value,
    "header": header,
    "body": body,
    "upload": upload,
    "chain": chain,
    "control-set": control_set,
    "control-chain": control_chain,
    "answer": answer,
    "chunk": chunk,
    "reference": reference,
    "log-entry": log_entry,
    "push-item": push_item,
    "receipt": receipt,
    "fingerprint": fingerprint,
    "key": key,
    "server-key": key,
    "signature-base": signature_base,
    "request": request,
    "challenge": challenge,
    "enrol-request": enrol_request,
    "enrol-reply": enrol_reply,
    "refill-item": refill_item,
    "enrol-proof": enrol_proof,
    "link": link,
    "id": identifier,
    "card": card,
    "vouch": vouch,
    "user-proof": user_proof,
    "head": head,
    "recovery-code": recovery_code,
    "wrap": wrap,
    "earlier": earlier,
}
