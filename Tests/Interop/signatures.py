"""Signatures of requests (RFC 9421) by PyPI's http-message-signatures, and Wake's profile of it."""

import base64
import datetime
import hashlib
import re

import http_message_signatures as http
from codec import Refused, require

WINDOW_SECONDS = 300
WORD = "[A-Za-z0-9_-]{1,64}"
INPUT = re.compile(
    r'wake=\("@method" "@authority" "@path" "@query" "content-digest"\)'
    rf';created=(0|[1-9][0-9]*);nonce="({WORD})";keyid="({WORD})";alg="hmac-sha256";tag="wake"',
    re.ASCII,
)
SIGNATURE = re.compile(r"wake=:([A-Za-z0-9+/]*={0,2}):", re.ASCII)


class Message:
    """A request in the form that http-message-signatures asks for."""

    def __init__(self, vector):
        authority = vector.text("authority")
        query = vector.text("query")
        self.method = vector.text("method")
        self.url = f"http://{authority}{vector.text('path')}"
        self.url += "" if query is None else "?" + query
        self.headers = {}
        for field in vector.texts("header"):
            name, _, value = field.partition(":")
            value = value.removeprefix(" ")
            before = self.headers.get(name)
            self.headers[name] = value if before is None else f"{before}, {value}"


class Keys(http.HTTPSignatureKeyResolver):
    """The one key, whatever it is called."""

    def __init__(self, key):
        self.key = key

    def resolve_public_key(self, key_id):
        return self.key

    def resolve_private_key(self, key_id):
        return self.key


class Verifier(http.HTTPMessageVerifier):
    """Judges nothing by the clock of this machine."""

    def validate_created_and_expires(self, sig_input, max_age=None):
        pass


def base(vector):
    """The lines of the signature base of any components, and its tag in base64."""
    key = vector.bytes("key")
    handler = http.HTTPMessageSigner(
        signature_algorithm=http.algorithms.HMAC_SHA256, key_resolver=Keys(key)
    )
    names = vector.text("component").split(" ")
    inner = "(" + " ".join(f'"{name}"' for name in names) + ")" + vector.text("parameters")
    parsed = handler._parse_signature_dictionary("x=" + inner)["x"]
    text, _, _ = handler._build_signature_base(
        Message(vector), covered_component_ids=list(parsed), signature_params=parsed.params
    )
    tag = http.algorithms.HMAC_SHA256(private_key=key).sign(text.encode())
    return text.split("\n"), base64.b64encode(tag).decode()


def strict_base64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise Refused("malformed") from None
    require(base64.b64encode(data).decode() == text, "malformed")
    return data


def read_request(vector):
    """What the signature of a request says of itself, once it is verified."""
    message = Message(vector)
    fields = ("content-digest", "signature-input", "signature")
    require(all(field in message.headers for field in fields), "missing")
    said = INPUT.fullmatch(message.headers["signature-input"])
    tag = SIGNATURE.fullmatch(message.headers["signature"])
    require(said and tag and len(said[1]) <= 15, "malformed")
    require(len(strict_base64(tag[1])) == 32, "malformed")
    verifier = Verifier(
        signature_algorithm=http.algorithms.HMAC_SHA256, key_resolver=Keys(vector.bytes("key"))
    )
    try:
        results = verifier.verify(message, expect_tag="wake", max_age=None)
    except http.HTTPMessageSignaturesException:
        raise Refused("bad-signature") from None
    require(len(results) == 1, "bad-signature")
    digest = base64.b64encode(hashlib.sha256(vector.bytes("body")).digest()).decode()
    require(message.headers["content-digest"] == f"sha-256=:{digest}:", "bad-digest")
    age = int(vector.text("now")) - int(said[1])
    require(abs(age) <= WINDOW_SECONDS, "skewed")
    return said[1], said[2], said[3]
