"""Lets schemathesis ask a server as one of its devices, with no code of Wake.

    SCHEMATHESIS_HOOKS=sign WAKE_LINK=wake://… schemathesis run http://…/v1/openapi.json

With WAKE_LINK, a link for a new person's first device, it enrols (HKDF-SHA-256 of PyPI's
cryptography), makes a space with a chunk, an open invitation and two further devices, and signs
every request by RFC 9421 with hmac-sha256 as docs/PROTOCOL.md has it. Of what is generated to be
right, most is then made to be about things that are there, or every answer would be 404. Without
WAKE_LINK it signs nothing: a stranger asks.
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
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation

BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
NAME_BYTES = 200
RANGES = ["bytes=0-3", "bytes=-2", "bytes=5-", "bytes=999-", "bytes=9-1"]


def derive(secret, info, salt=None):
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


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


class Device:
    """An enrolled device and what it made."""

    def __init__(self, url, authority, token):
        self.url, self.authority = url, authority
        self.id = identifier(secrets.token_bytes(16))
        answer = self.enrol(token, self.id, base64url(secrets.token_bytes(32)))
        epoch = answer["keyEpoch"].to_bytes(8, "big")
        key = derive(
            from_base64url(answer["deviceKey"]),
            b"wake/1/device-request" + epoch,
            salt=from_identifier(self.id),
        )
        self.signature = Signature(authority, self.id, key)
        self.space = identifier(secrets.token_bytes(16))
        self.ask("PUT", f"/v1/spaces/{self.space}")
        self.chunk = chunk(1_777_000_000_000)
        self.hash = hashlib.sha256(self.chunk).hexdigest()
        self.ask("PUT", f"/v1/spaces/{self.space}/chunks/{self.hash}", data=self.chunk)
        self.open_token = self.invite()
        # One is revoked again and again, the other asks for the same enrolment again and again.
        self.revoked = identifier(secrets.token_bytes(16))
        self.enrol(self.invite(), self.revoked, base64url(secrets.token_bytes(32)))
        self.spare = {
            "token": base64url(self.invite()),
            "device": identifier(secrets.token_bytes(16)),
            "key": base64url(secrets.token_bytes(32)),
        }

    def enrol(self, token, device, key):
        body = {"token": base64url(token), "device": device, "name": "schemathesis", "key": key}
        return self.ask("POST", "/v1/enrol", json=body, auth=None).json()

    def invite(self):
        """The token of a new link for this person."""
        token = secrets.token_bytes(32)
        body = {
            "kind": "device",
            "tokenHash": base64url(hashlib.sha256(token).digest()),
            "wrappedKey": base64url(secrets.token_bytes(68)),
            "validSeconds": 3600,
        }
        self.ask("POST", f"/v1/spaces/{self.space}/invitations", json=body)
        return token

    def ask(self, method, path, **arguments):
        arguments.setdefault("auth", getattr(self, "signature", None))
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
    here = {"space": DEVICE.space, "device": DEVICE.revoked, "hash": DEVICE.hash}
    here["token"] = hashlib.sha256(DEVICE.open_token).hexdigest()
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
    if case.path == "/v1/enrol" and is_right(case, ParameterLocation.BODY):
        case.body |= DEVICE.spare


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what JSON Schema cannot say, and what would shut out the device that asks."""
    if case.path == "/v1/devices/{device}" and DEVICE is not None:
        return case.path_parameters.get("device") != DEVICE.id
    name = case.body.get("name") if isinstance(case.body, dict) else None
    # The schema counts characters, the limit bytes.
    return not isinstance(name, str) or len(name) > NAME_BYTES or len(name.encode()) <= NAME_BYTES


def encode(value):
    return cbor2.dumps(value, canonical=True)


NAMES = st.binary(min_size=16, max_size=16)
SPACES = NAMES if DEVICE is None else NAMES | st.just(from_identifier(DEVICE.space))
ITEMS = st.binary(max_size=200) | st.fixed_dictionaries(
    {1: st.binary(max_size=100), 2: st.binary(max_size=100), 3: st.lists(st.binary(max_size=50))}
).map(encode)
QUESTIONS = st.fixed_dictionaries(
    {0: SPACES, 1: NAMES, 2: NAMES | st.just(bytes(16)), 3: st.integers(0, 2**63 - 1)},
    optional={4: st.lists(ITEMS, max_size=5), 5: st.integers(0, 2**31)},
)
SYNCS = st.fixed_dictionaries({1: st.lists(QUESTIONS, max_size=4)}).map(encode)
schemathesis.openapi.media_type("application/cbor", SYNCS | st.binary(max_size=1000))
schemathesis.openapi.media_type(
    "application/octet-stream",
    st.integers(0, 2**41).map(chunk) | st.binary(max_size=1000),
)
