"""Lets schemathesis ask a server as one of its devices, with no code of Wake.

    SCHEMATHESIS_HOOKS=sign WAKE_LINK=wake://… schemathesis run http://…/v1/openapi.json

With WAKE_LINK, a link for a new person's first device, it founds a space and enters it (PyPI's
cryptography), puts a chunk there, and signs every request by RFC 9421 with hmac-sha256 as
docs/PROTOCOL.md has it. Of what is generated to be right, most is then made to be about things that
are there, or every answer would be 404. Without WAKE_LINK it signs nothing: a stranger asks.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
import time
import zlib

import cbor2
import requests
import schemathesis
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation

BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
RANGES = ["bytes=0-3", "bytes=-2", "bytes=5-", "bytes=999-", "bytes=9-1"]


def derive(secret, info, salt=None):
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def encode(value):
    return cbor2.dumps(value, canonical=True)


def sha256(data):
    return hashlib.sha256(data).digest()


def named(*parts):
    """The id that follows from what it names."""
    return sha256(encode(parts))[:16]


def identifier(data):
    number = int.from_bytes(data, "big")
    return "".join(BASE32[number >> 5 * place & 31] for place in reversed(range(26)))


def from_identifier(text):
    number = 0
    for character in text:
        number = number << 5 | BASE32.index(character)
    return number.to_bytes(16, "big")


def zigzag_varint(number):
    number, data = number << 1, b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def chunk(milliseconds):
    """A chunk of one sample that has a time and nothing else."""
    residual = zigzag_varint(milliseconds)
    return bytes([0x40, 1, 1, 1, 0, len(residual)]) + residual


class Signature(requests.auth.AuthBase):
    """Signs the bytes that are sent, after everything else is done to them."""

    def __init__(self, authority, device, key):
        self.authority, self.device, self.key = authority, device, key

    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        path, _, query = request.path_url.partition("?")
        parameters = (
            '("@method" "@authority" "@path" "@query" "content-digest")'
            f';created={int(time.time())};nonce="{secrets.token_urlsafe(16)}"'
            f';keyid="{self.device}";alg="hmac-sha256";tag="wake"'
        )
        request.headers["content-digest"] = f"sha-256=:{digest}:"
        base = "\n".join([
            f'"@method": {request.method}',
            f'"@authority": {self.authority}',
            f'"@path": {path}',
            f'"@query": ?{query}',
            f'"content-digest": {request.headers["content-digest"]}',
            f'"@signature-params": {parameters}',
        ])
        tag = hmac.new(self.key, base.encode(), hashlib.sha256).digest()
        request.headers["signature-input"] = f"wake={parameters}"
        request.headers["signature"] = f"wake=:{base64.b64encode(tag).decode()}:"
        return request


class Founding:
    """New keys, and the control set by which they found a space of their own."""

    def __init__(self):
        self.signing, self.agreement = Ed25519PrivateKey.generate(), X25519PrivateKey.generate()
        self.keys = [
            self.signing.public_key().public_bytes_raw(),
            self.agreement.public_key().public_bytes_raw(),
        ]
        self.device = named("wake/1/device-id", *self.keys)
        self.user = named("wake/1/user", self.keys[0])
        self.nonce = secrets.token_bytes(16)
        self.space = named("wake/1/space", "own", self.keys[0], self.nonce)
        self.item = encode({0: encode(self.push_item())})

    def sign(self, *parts):
        return self.signing.sign(encode(parts))

    def push_item(self):
        secret = secrets.token_bytes(32)
        digest = sha256(encode(["wake/1/secret", self.space, 1, secret]))
        wraps = b"\x20" + encode(self.wraps(secret))
        card = [self.keys, self.user, "device"]
        card.append(self.sign("wake/1/card", self.user, "device", *self.keys))
        actions = [
            ["found", "own", self.nonce, 1, card, []],
            ["epoch", 1, digest, None, sha256(wraps)],
        ]
        body = encode([int(time.time() * 1000), actions])
        return {1: self.upload(body, wraps), 2: body, 3: [wraps]}

    def wraps(self, secret):
        ephemeral = X25519PrivateKey.generate()
        key = ephemeral.public_key().public_bytes_raw()
        shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(self.keys[1]))
        info = encode(["wake/1/wrap", self.space, 1, self.device, key, self.keys[1]])
        sealed = AESGCM(derive(shared, info, self.space)).encrypt(bytes(12), secret, None)
        return [1, key, [[self.device, sealed]]]

    def upload(self, body, wraps):
        header = {
            0: 1,
            1: self.space,
            2: self.device,
            3: secrets.token_bytes(16),
            4: 1,
            5: bytes(32),
            6: [1, 1],
            7: 0,
            8: [sha256(body), len(body), len(body)],
            9: [bytes(16), 0, bytes(32), 0],
            10: [[sha256(wraps), len(wraps)]],
            14: [0, bytes(32)],
        }
        protected, payload = encode({1: -8, 4: self.device}), encode(header)
        signature = self.sign("Signature1", protected, b"wake/1/control", payload)
        return encode(cbor2.CBORTag(18, [protected, {}, payload, signature]))


class Device:
    """An enrolled device and what it made."""

    def __init__(self, url, authority, token):
        self.url, self.authority, self.token = url, authority, token
        self.founding = Founding()
        answer = cbor2.loads(self.ask("POST", "/v1/enrol", data=self.request(), auth=None).content)
        epoch, secret = answer[5]
        info = b"wake/1/device-request" + epoch.to_bytes(8, "big")
        key = derive(secret, info, salt=self.founding.device)
        self.signature = Signature(authority, identifier(self.founding.device), key)
        self.space = identifier(self.founding.space)
        self.chunk = chunk(1_777_000_000_000)
        self.hash = hashlib.sha256(self.chunk).hexdigest()
        headers = {"content-type": "application/octet-stream"}
        path = f"/v1/spaces/{self.space}/chunks/{self.hash}"
        self.ask("PUT", path, data=self.chunk, headers=headers)

    def request(self):
        """What enrols this device, as often as it is asked."""
        reply = self.ask("POST", "/v1/enrol", data=encode({}), auth=None)
        challenge, founding = cbor2.loads(reply.content)[0], self.founding
        signed = ("wake/1/enrol", self.authority, challenge.encode(), founding.device)
        return encode({
            0: challenge,
            1: self.token,
            2: [[founding.device, founding.sign(*signed)]],
            3: founding.space,
            5: [founding.item],
            6: "schemathesis",
            7: founding.device,
        })

    def ask(self, method, path, **arguments):
        arguments.setdefault("auth", getattr(self, "signature", None))
        arguments.setdefault("headers", {"content-type": "application/cbor"})
        reply = requests.request(method, self.url + path, timeout=10, **arguments)
        reply.raise_for_status()
        return reply


def enrolled():
    """The device that a link lets in; None for a stranger."""
    link = os.environ.get("WAKE_LINK")
    if link is None:
        return None
    authority, secret = re.match(r"wake://([^/]+)/#([0-9a-z]{26})", link).groups()
    token = derive(from_identifier(secret), b"wake/1/link-token")
    return Device(f"http://{authority}", authority, token)


DEVICE = enrolled()
if DEVICE is not None:
    schemathesis.auth.set_from_requests(DEVICE.signature)


def is_right(case, location):
    part = case.meta.components.get(location) if case.meta else None
    return part is None or part.mode is GenerationMode.POSITIVE


def ask_for_what_is_there(case, choice):
    names = case.path_parameters
    here = {"space": DEVICE.space, "hash": DEVICE.hash}
    for name in set(names) & set(here):
        names[name] = here[name]
    if case.method == "PUT" and "hash" in names and isinstance(case.body, bytes):
        names["hash"] = hashlib.sha256(case.body).hexdigest()
    if case.method == "GET" and "hash" in names:
        case.headers["range"] = RANGES[choice % len(RANGES)]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes three of four right requests be about what is there."""
    choice = zlib.crc32(repr((case.path_parameters, case.body)).encode())
    if DEVICE is None or choice % 4 == 0:
        return
    if case.path_parameters and is_right(case, ParameterLocation.PATH):
        ask_for_what_is_there(case, choice)


NAMES = st.binary(min_size=16, max_size=16)
SPACES = NAMES if DEVICE is None else NAMES | st.just(from_identifier(DEVICE.space))
ITEMS = st.binary(max_size=200) | st.fixed_dictionaries(
    {1: st.binary(max_size=100), 2: st.binary(max_size=100), 3: st.lists(st.binary(max_size=50))}
).map(encode)
QUESTIONS = st.fixed_dictionaries(
    {0: SPACES, 1: NAMES, 2: NAMES | st.just(bytes(16)), 3: st.integers(0, 2**63 - 1)},
    optional={
        4: st.lists(ITEMS, max_size=5),
        5: st.integers(0, 2**31),
        6: st.integers(0, 2),
    },
)
SYNCS = st.fixed_dictionaries({1: st.lists(QUESTIONS, max_size=4)}).map(encode)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        0: st.text(max_size=80),
        1: st.binary(min_size=32, max_size=32),
        2: st.lists(st.tuples(NAMES, st.binary(min_size=64, max_size=64)), min_size=1, max_size=3),
        3: SPACES,
        4: st.integers(1, 9),
        5: st.lists(ITEMS, min_size=1, max_size=3),
        6: st.text(max_size=80),
        7: NAMES,
        8: st.integers(1, 2**40),
    },
).map(encode)
MESSAGES = SYNCS | ENTRIES | st.binary(max_size=1000)
if DEVICE is not None:
    MESSAGES = st.builds(DEVICE.request) | MESSAGES
schemathesis.openapi.media_type("application/cbor", MESSAGES)
schemathesis.openapi.media_type(
    "application/octet-stream",
    st.integers(0, 2**41).map(chunk) | st.binary(max_size=1000),
)
