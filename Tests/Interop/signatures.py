"""Links, challenges, and signatures of requests (RFC 9421) by PyPI's http-message-signatures in
Wake's profile.
"""

import base64
import hashlib
import hmac
import re
import unicodedata

import http_message_signatures as http
from codec import Refused, require
from identity import DIGITS, derive, from_digits, preimage, to_digits

WINDOW_SECONDS = 300
WORD = "[A-Za-z0-9_-]{1,64}"
INPUT = re.compile(
    r'wake=\("@method" "@authority" "@path" "@query" "content-digest"\)'
    rf';created=(0|[1-9][0-9]*);nonce="({WORD})";keyid="({WORD})";alg="hmac-sha256";tag="wake"',
    re.ASCII,
)
SIGNATURE = re.compile(r"wake=:([A-Za-z0-9+/]*={0,2}):", re.ASCII)
CHALLENGE = re.compile(r"[A-Za-z0-9_-]{64}", re.ASCII)
LINK = re.compile(r"wake://([!-~]+):([1-9][0-9]{0,4})/#(.*)", re.ASCII)
PART = "(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])"
LOOPBACK = re.compile(rf"localhost|\[::1\]|127\.{PART}\.{PART}\.{PART}", re.ASCII)
LINK_BYTES = 1024
QUOTES = "\"'«»‘’‚‛“”„‟‹›⹂「」『』〝〞〟﹁﹂﹃﹄＂＇｢｣"
AROUND = QUOTES + "<>()`.,;"


def pasted(text):
    """A link without what mail and messengers put into it and around it."""
    kept = [c for c in text if c not in "\r\n" and unicodedata.category(c) != "Cf"]
    while kept and (kept[0].isspace() or kept[0] in AROUND):
        kept.pop(0)
    while kept and (kept[-1].isspace() or kept[-1] in AROUND):
        kept.pop()
    return "".join(kept)


def read_link(text):
    """Authority and secret of a link, what it trusts, and where it leads.

    It trusts "plain", "ca" or a digest, and leads to a space and an anchor, or to None.
    """
    require(len(text.encode()) <= LINK_BYTES, "malformed")
    said = LINK.fullmatch(pasted(text))
    require(said and not set(said[1]) & set("/?#@\\") and int(said[2]) < 1 << 16, "malformed")
    secret, *rest = said[3].split(".")
    require(len(rest) in (0, 1, 3) and rest != [""], "malformed")
    trust = rest[0] if rest else ""
    if trust == "":
        require(LOOPBACK.fullmatch(said[1]), "malformed")
        trust = "plain"
    elif trust != "ca":
        trust = from_base32(trust[:26]) + from_base32(trust[26:])
    place = (from_base32(rest[1]), from_base32(rest[2], 20)) if rest[1:] else None
    return f"{said[1]}:{said[2]}", from_base32(secret), trust, place


def from_base32(letters, size=16):
    """So many bytes of the digits that they take."""
    is_whole = len(letters) == -(-size * 8 // 5) and set(letters) <= set(DIGITS)
    require(is_whole and from_digits(letters) < 1 << 8 * size, "malformed")
    return from_digits(letters).to_bytes(size, "big")


def base32(data):
    return to_digits(int.from_bytes(data, "big"), -(-len(data) * 8 // 5))


def written(trust, place):
    """How a link says what it trusts and where it leads."""
    if trust == "plain":
        said = "." if place else ""
    else:
        said = ".ca" if trust == "ca" else f".{base32(trust[:16])}{base32(trust[16:])}"
    return said + "".join(f".{base32(part)}" for part in place or ())


def check_challenge(text, master, now_milliseconds):
    """Refuses what is not a challenge of the server with this master key, or not of this time."""
    require(CHALLENGE.fullmatch(text), "malformed")
    data = base64.urlsafe_b64decode(text)
    time, drawn, tag = int.from_bytes(data[:8], "big"), data[8:16], data[16:]
    require(time < 1 << 63, "skewed")
    key = derive("challenge", master)
    expected = hmac.new(key, preimage("challenge", time, drawn), hashlib.sha256).digest()
    require(hmac.compare_digest(expected, tag), "bad-mac")
    require(abs(now_milliseconds - time) <= WINDOW_SECONDS * 1000, "skewed")


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
