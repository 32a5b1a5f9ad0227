"""The messages by which a device enters a space, and what it signs to do so."""

from codec import decode, is_list, is_uint, require
from identity import is_signed, many, preimage, read_id, read_key, read_signature, row, sized, uint

VERDICTS = 3


def text(value):
    require(type(value) is str, "unexpected")
    return value


def data(value):
    require(type(value) is bytes, "unexpected")
    return value


def result(value):
    """The position, verdict and reason of a set, or its problem and the sequence expected next."""
    require(type(value) is list and value, "unexpected")
    if value[0] == 0 and is_list(value, 4):
        read = row(uint, uint, uint, text)(value)
        require(read[2] < VERDICTS, "unexpected")
        return read
    read = row(uint, text, uint)(value)
    require(read[0] == 1, "unexpected")
    return read


def counted(value):
    """A number whose default, 0, is left out."""
    require(uint(value) > 0, "unexpected")
    return value


REQUEST = {
    0: text,
    1: sized(32),
    2: many(row(read_id, read_signature), 1),
    3: read_id,
    4: counted,
    5: many(data, 1),
    6: text,
    7: read_id,
    8: counted,
}
REPLY = {
    0: text,
    1: read_id,
    2: many(data, 1),
    3: data,
    4: many(result, 1),
    5: row(uint, read_key),
}
REFILL = {0: data, 1: uint, 2: sized(32), 4: text}


def read(encoded, parts, required=()):
    """A map with integers as keys, of which those that nobody knows are read over."""
    message = decode(encoded)
    require(type(message) is dict and all(map(is_uint, message)), "unexpected")
    require(set(required) <= set(message), "unexpected")
    return {key: part(message[key]) for key, part in parts.items() if key in message}


def read_request(encoded):
    return read(encoded, REQUEST)


def read_reply(encoded):
    return read(encoded, REPLY, [0])


def read_refill(encoded):
    item = read(encoded, REFILL, [0])
    require(item.get(1, 0) < VERDICTS, "unexpected")
    return item


def check_proof(signer, signature, key, challenge, authority):
    """Refuses what is not a signature over this challenge, for this server."""
    signed = preimage("enrol", authority, challenge.encode(), signer)
    require(is_signed(key, signature, signed), "bad-signature")
