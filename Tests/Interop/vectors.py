"""The vectors of Tests/Vectors, in the form that README.md explains there, and their judge."""

import dataclasses
import struct

import chunks
import references
import sets
import signatures
from codec import Refused, conform, decode, encode


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
    return findings | {"encoding": [str(fields.get(11, 0))], "chunk": chunk_names}


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
        epoch: sets.derive(f"{name}-mac", secret, salt, epoch)
        for epoch, secret in vector.numbered(f"{name}-secret")
    }


def chain(vector):
    """What a server makes of push items in turn, and the last link of its log."""
    log = sets.Log(vector.bytes("space"), vector.integer("now"))
    device, keys = vector.bytes("device"), keys_of(vector, "device")
    results = []
    for data in vector.all_bytes("item"):
        try:
            results.append(log.append(data, device, keys))
        except Refused as refusal:
            results.append(str(refusal))
    refusals = [result for result in results if result not in ("accepted", "refused")]
    return {"outcome": refusals[0] if refusals else "ok", "result": results, "link": [log.link]}


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
    digest = sets.sha256(content)
    return {"sample": written, "samples": [str(len(written))], "digest": [digest]}


def file(piece, _):
    return {"file": [sets.sha256(piece)]}


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
    findings = {"position": [str(entry[0])], "receipt": [entry[5]]}
    if 1 in entry:
        return findings | {"verdict": [str(entry[4])]}
    replica, sequence, digest = entry[6]
    findings |= {"replica": [replica], "sequence": [str(sequence)]}
    return findings | {"hash": [digest], "admin": [entry[7]]}


def push_item(vector):
    sets.read_push_item(vector.bytes("input"))
    return {}


def receipt(vector):
    judgement = vector.integer("verdict")
    signed = sets.judged(
        vector.bytes("space"),
        vector.bytes("replica"),
        vector.integer("sequence"),
        vector.bytes("hash"),
        vector.bytes("admin") if judgement is None else judgement,
    )
    sets.check_receipt(vector.bytes("input"), vector.bytes("key"), signed)
    return {"signed": [signed]}


def fingerprint(vector):
    return {"fingerprint": [sets.fingerprint(vector.all_bytes("cell"))]}


def key(vector):
    derived = sets.derive(
        vector.text("purpose"), vector.bytes("secret"), vector.bytes("id"), vector.integer("epoch")
    )
    return {"key": [derived]}


def wrapped_key(vector):
    epoch, secret = sets.unwrap(
        vector.bytes("input"), vector.bytes("secret"), vector.bytes("space")
    )
    return {"epoch": [str(epoch)], "space-key": [secret]}


def signature_base(vector):
    lines, signature = signatures.base(vector)
    return {"base": lines, "signature": [signature]}


def request(vector):
    created, nonce, key_name = signatures.read_request(vector)
    return {"created": [created], "nonce": [nonce], "keyid": [key_name]}


def link(vector):
    text = vector.text("text")
    authority, secret, trust = signatures.read_link(
        vector.bytes("input").decode() if text is None else text
    )
    written = f"wake://{authority}/#{signatures.base32(secret)}{signatures.written(trust)}"
    findings = {"authority": [authority], "secret": [secret], "trust": [trust]}
    return findings | {"written": [written]}


JUDGES = {
    "value": value,
    "header": header,
    "body": body,
    "upload": upload,
    "chain": chain,
    "chunk": chunk,
    "reference": reference,
    "log-entry": log_entry,
    "push-item": push_item,
    "receipt": receipt,
    "fingerprint": fingerprint,
    "key": key,
    "server-key": key,
    "wrapped-key": wrapped_key,
    "signature-base": signature_base,
    "request": request,
    "link": link,
}
