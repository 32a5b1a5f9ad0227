"""Who is who: ids, cards, vouches, signatures over heads, wrapped secrets and recovery codes."""

import dataclasses
import hashlib
import unicodedata

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from codec import Refused, encode, is_bytes, is_list, is_uint, require

EARLIER_BYTES, CODE_BYTES = 60, 256
DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
LOOKALIKES = str.maketrans("oil", "011")


def sha256(data):
    return hashlib.sha256(data).digest()


def expand(secret, info, salt=b""):
    return HKDF(algorithm=SHA256(), length=32, salt=salt or None, info=info).derive(secret)


def derive(purpose, secret, salt=b"", epoch=None):
    info = b"wake/1/" + purpose.encode() + (b"" if epoch is None else e8(epoch))
    return expand(secret, info, salt)


def device_mac_keys(master, device):
    """The MAC key of a device in epoch 1, by the master key of a server that has raised none."""
    secret = derive("device-key", master, device, 1)
    return {1: derive("device-mac", secret, device, 1)}


def e8(epoch):
    return epoch.to_bytes(8, "big")


def preimage(purpose, *parts):
    return encode(["wake/1/" + purpose, *parts])


def identifier(purpose, *parts):
    return sha256(preimage(purpose, *parts))[:16]


def device_id(keys):
    return identifier("device-id", *keys)


def invitation_id(keys):
    return identifier("invite", *keys)


def user_id(signing):
    return identifier("user", signing)


def space_id(kind, founder, nonce):
    return identifier("space", kind, founder, nonce)


def row_id(space, user, salt):
    return identifier("row", space, user, salt)


def is_signed(key, signature, signed):
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except InvalidSignature:
        return False
    return True


# Readers of what cbor2 made of an item: each returns what it read, or refuses it.


def sized(count):
    def read(value):
        require(is_bytes(value, count), "unexpected")
        return value

    return read


def word(*words):
    def read(value):
        require(type(value) is str and value in words, "unexpected")
        return value

    return read


def uint(value):
    require(is_uint(value), "unexpected")
    return value


def flag(value):
    require(type(value) is bool, "unexpected")
    return value


def row(*parts):
    """An array with an item for each of these readers."""

    def read(value):
        require(is_list(value, len(parts)), "unexpected")
        return tuple(part(item) for part, item in zip(parts, value))

    return read


def many(part, least=0):
    """An array of at least so many items of one kind."""

    def read(value):
        require(type(value) is list and len(value) >= least, "unexpected")
        return [part(item) for item in value]

    return read


read_id, read_hash, read_key, read_signature = sized(16), sized(32), sized(32), sized(64)
read_keys = row(read_key, read_key)
read_kind = word("device", "recovery")
read_vouch = row(read_keys, read_kind, read_signature)
read_wrap = row(read_id, read_key, sized(48))


@dataclasses.dataclass(frozen=True)
class Card:
    """The statement of a device or of a recovery code whose it is."""

    keys: tuple
    user: bytes
    kind: str
    signature: bytes

    @property
    def signing(self):
        return self.keys[0]

    @property
    def device(self):
        return device_id(self.keys)

    def is_signed(self):
        return is_signed(self.signing, self.signature, statement("card", self))

    def is_vouched(self, key, signature):
        return is_signed(key, signature, statement("vouch", self))


def statement(purpose, card):
    return preimage(purpose, card.user, card.kind, *card.keys)


def read_card(value):
    return Card(*row(read_keys, read_id, read_kind, read_signature)(value))


def read_proof(value):
    """The key that founds the user, or None, and the vouches that follow it."""
    require(type(value) is list, "unexpected")
    if not value:
        return None, []
    return read_key(value[0]), many(read_vouch)(value[1:])


def proves(proof, card):
    """Whether the card founds its user, or a whole line of vouches leads to it."""
    key, vouches = proof
    if key is None:
        return user_id(card.signing) == card.user
    if user_id(key) != card.user or not vouches or vouches[-1][:2] != (card.keys, card.kind):
        return False
    for keys, kind, signature in vouches:
        if not Card(keys, card.user, kind, b"").is_vouched(key, signature):
            return False
        key = keys[0]
    return True


def head(space, device, replica, sequence, digest, control):
    """What a device signs of the newest set of a replica."""
    return preimage("head", space, device, replica, sequence, digest, control)


def secret_hash(space, epoch, secret):
    return sha256(preimage("secret", space, epoch, secret))


def unwrap(space, epoch, wrap, agreement):
    """The secret that was encrypted to the owner of a private X25519 key."""
    to, ephemeral, sealed = wrap
    own = X25519PrivateKey.from_private_bytes(agreement)
    try:
        shared = own.exchange(X25519PublicKey.from_public_bytes(ephemeral))
    except ValueError:
        raise Refused("wrong-wrap") from None
    public = own.public_key().public_bytes_raw()
    key = expand(shared, preimage("wrap", space, epoch, to, ephemeral, public), space)
    return decrypt(key, bytes(12), sealed, None)


def unwrap_earlier(space, epoch, secret, wrapped):
    """The secret of the epoch before."""
    require(len(wrapped) == EARLIER_BYTES and epoch > 1, "wrong-wrap")
    key = derive("earlier", secret, space, epoch)
    return decrypt(key, wrapped[:12], wrapped[12:], space + e8(epoch - 1))


def decrypt(key, nonce, sealed, additional):
    try:
        secret = AESGCM(key).decrypt(nonce, sealed, additional)
    except InvalidTag:
        raise Refused("wrong-wrap") from None
    require(len(secret) == 32, "wrong-wrap")
    return secret


def derived_keys(purpose, secret):
    """The two public keys that follow from the secret of a link or of a recovery code."""
    signing = Ed25519PrivateKey.from_private_bytes(derive(purpose + "-sign", secret))
    agreement = X25519PrivateKey.from_private_bytes(derive(purpose + "-agree", secret))
    return tuple(key.public_key().public_bytes_raw() for key in (signing, agreement))


def read_code(typed):
    """The secret of a recovery code as a person typed it."""
    letters = "".join(filter(counts, typed)).lower().translate(LOOKALIKES)
    require(len(typed.encode()) <= CODE_BYTES and len(letters) == 32, "malformed")
    require(set(letters) <= set(DIGITS), "malformed")
    data = from_digits(letters).to_bytes(20, "big")
    require(sha256(data[:16])[:4] == data[16:], "malformed")
    return data[:16]


def counts(character):
    category = unicodedata.category(character)
    return category[0] == "L" or category == "Nl" or character in "0123456789"


def write_code(secret):
    letters = to_digits(int.from_bytes(secret + sha256(secret)[:4], "big"), 32)
    return "-".join(letters[place : place + 4] for place in range(0, 32, 4))


def from_digits(letters):
    number = 0
    for letter in letters:
        number = number << 5 | DIGITS.index(letter)
    return number


def to_digits(number, count):
    return "".join(DIGITS[number >> 5 * place & 31] for place in reversed(range(count)))
