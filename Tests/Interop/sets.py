"""Change sets and control sets: headers, bodies, proofs (PyPI's pycose), items and log entries."""

import hmac
import operator

import cbor2
import zstandard
from codec import SCHEMA_BYTES, Refused, conform, decode, encode, is_bytes, is_list, is_uint
from codec import require
from identity import sha256
from pycose.keys import OKPKey, SymmetricKey
from pycose.messages import Mac0Message, Sign1Message
from references import chunk_of

HEADER_BYTES, BODY_BYTES, DECODED_BYTES, CELLS = 4096, 1024 * 1024, 1024 * 1024, 32768
REQUIRED, KNOWN, FUTURE = set(range(10)), set(range(15)), 32
UNDERSTOOD = set(range(12)) | {13, 14}
MAC0, SIGN1 = 17, 18
# Of each tag the algorithm, the bytes of its key's name, and the bytes of its proof.
PROOFS = {MAC0: (5, 8, 32), SIGN1: (-8, 16, 64)}


class Envelope:
    """A COSE_Mac0 or a COSE_Sign1 whose proof was not checked yet."""

    def __init__(self, data, tag=MAC0):
        structure = decode(data, tag=tag)
        require(isinstance(structure, cbor2.CBORTag), "unexpected")
        require(is_list(structure.value, 4), "unexpected")
        protected, unprotected, payload, proof = structure.value
        algorithm, name_bytes, proof_bytes = PROOFS[tag]
        require(type(protected) is bytes and unprotected == {}, "unexpected")
        require(type(payload) is bytes and is_bytes(proof, proof_bytes), "unexpected")
        said = decode(protected)
        require(type(said) is dict and set(said) == {1, 4}, "unexpected")
        require(type(said[1]) is int and said[1] == algorithm, "unexpected")
        require(is_bytes(said[4], name_bytes), "unexpected")
        self.data, self.payload, self.key_name = data, payload, said[4]

    def verify(self, aad, keys):
        epoch = int.from_bytes(self.key_name, "big")
        require(epoch in keys, "unknown-key-epoch")
        message = Mac0Message.decode(self.data)
        message.key = SymmetricKey(k=keys[epoch])
        message.external_aad = aad
        require(message.verify_tag(), "bad-mac")

    def verify_signature(self, aad, device, key):
        require(self.key_name == device, "bad-signature")
        message = Sign1Message.decode(self.data)
        message.key = OKPKey(crv="ED25519", x=key)
        message.external_aad = aad
        require(message.verify_signature(), "bad-signature")


def check_items(header):
    """Each field has the kind that the schema asks for; zcbor alone would let some pass."""
    body, seen, stamps = header[8], header[9], header[6]
    require(all(is_uint(header[key]) for key in (0, 4, 7)), "unexpected")
    require(all(is_bytes(header[key], 16) for key in (1, 2, 3)), "unexpected")
    require(is_bytes(header[5], 32), "unexpected")
    require(is_list(stamps, 2) and all(map(is_uint, stamps)), "unexpected")
    require(stamps[0] <= stamps[1], "unexpected")
    require(is_list(body, 3) and is_bytes(body[0], 32), "unexpected")
    require(is_uint(body[1]) and is_uint(body[2]), "unexpected")
    require(is_list(seen, 4) and is_bytes(seen[0], 16) and is_uint(seen[1]), "unexpected")
    require(is_bytes(seen[2], 32) and is_uint(seen[3]), "unexpected")
    for chunk in listed(header.get(10, [None]), header.get(10)):
        require(is_list(chunk, 2) and is_bytes(chunk[0], 32) and is_uint(chunk[1]), "unexpected")
    require(is_uint(header.get(11, 1)) and header.get(11, 1) > 0, "unexpected")
    require(header.get(12, True) is True, "unexpected")
    for key in listed(header.get(13, [None]), header.get(13)):
        require(is_uint(key), "unexpected")
    if 14 in header:
        require(is_list(header[14], 2) and is_uint(header[14][0]), "unexpected")
        require(is_bytes(header[14][1], 32), "unexpected")
        # The stamp of a control set is its index + 1.
        require(header[14][0] < (1 << 63) - 1, "unexpected")


def listed(value, present):
    """The items of a list that may be absent but not empty."""
    if present is None and value == [None]:
        return []
    require(isinstance(value, list) and value, "unexpected")
    return value


def read_header(data):
    require(len(data) <= HEADER_BYTES, "too-large")
    header = decode(data)
    require(type(header) is dict and all(map(is_uint, header)), "unexpected")
    require(all(key in KNOWN or key >= FUTURE for key in header), "unexpected")
    require(REQUIRED <= set(header), "incomplete")
    check_items(header)
    require(header.get(11, 1) == 1 and header[4] > 0, "incomplete")
    require(header[0] == 1, "unknown-format")
    conform(header, "header")
    require(header[8][1] <= BODY_BYTES and header[8][2] <= DECODED_BYTES, "too-large")
    require(header[7] <= CELLS, "too-many-cells")
    require((header[4] == 1) == (header[5] == bytes(32)), "incomplete")
    require(header[9][1] > 0 or header[9][2] == bytes(32), "incomplete")
    if 14 in header:
        check_control(header)
    return header


def check_control(header):
    """What a control set says twice is the same, and it has no cells."""
    index, before = header[14]
    require((index == 0) == (before == bytes(32)), "incomplete")
    require(header[7] == 0 and not {11, 12} & set(header), "incomplete")
    require(header[6] == [index + 1, index + 1] and header[9][3] == index, "incomplete")


def plain(body, header):
    digest, count, decoded_count = header[8]
    require(len(body) == count and sha256(body) == digest, "wrong-body")
    if header.get(11, 0) == 1:
        body = decompress(body, decoded_count, "wrong-body")
    require(len(body) == decoded_count, "wrong-body")
    return body


def decompress(frame, limit, reason, beyond=None):
    """The content of exactly one frame that states its size, of at most `limit` bytes."""
    try:
        parameters = zstandard.get_frame_parameters(frame)
        stated = zstandard.frame_content_size(frame)
        require(stated >= 0, reason)
        require(stated <= limit, beyond or reason)
        if frame[:4] != zstandard.FRAME_HEADER and frame[1:4] == b"\x2a\x4d\x18":
            require(len(frame) == 8 + int.from_bytes(frame[4:8], "little"), reason)
            return b""
        require(parameters.dict_id == 0, reason)
        decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
        content = decompressor.decompress(frame)
    except zstandard.ZstdError:
        raise Refused(reason) from None
    require(decompressor.eof and not decompressor.unused_data, reason)
    require(len(content) == stated, reason)
    return content


def ascend(names):
    """Names of one kind ascend strictly by their encoding."""
    encoded = list(map(encode, names))
    require(all(map(operator.lt, encoded, encoded[1:])), "keys-not-ascending")


def read_names(texts, count):
    """Texts that ascend, no more of them than cells."""
    require(isinstance(texts, list) and len(texts) <= count, "unexpected")
    require(all(type(text) is str for text in texts), "unexpected")
    ascend(texts)
    return texts


def read_rows(groups, count):
    """Collection and row of each row, by its number."""
    require(isinstance(groups, list) and groups, "unexpected")
    rows = []
    for group in groups:
        require(is_list(group, 3), "unexpected")
        collection, planes, texts = group
        require(type(collection) is str and type(planes) is bytes, "unexpected")
        require(len(planes) % 16 == 0 and len(planes) // 16 <= count, "unexpected")
        ids = [planes[number :: len(planes) // 16] for number in range(len(planes) // 16)]
        ascend(ids)
        names = ids + read_names(texts, count)
        require(names, "unexpected")
        rows += [(collection, name) for name in names]
        require(len(rows) <= count, "unexpected")
    ascend([group[0] for group in groups])
    return rows


def read_varint(data, at):
    """An LEB128 number and where the next one begins."""
    end = at
    while True:
        require(end < len(data), "truncated")
        end += 1
        if data[end - 1] < 0x80:
            break
    number = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data[at:end]))
    require(end == at + 1 or data[end - 1] > 0, "not-shortest")
    require(number < 1 << 64, "too-large")
    return number, end


def read_times(data, header):
    """The stamp time of each cell."""
    (time, high), times, at = header[6], [], 0
    require(type(data) is bytes, "unexpected")
    while at < len(data):
        require(len(times) < header[7], "wrong-cell-count")
        difference, at = read_varint(data, at)
        time += difference
        require(time <= high, "too-large")
        times.append(time)
    require(len(times) == header[7], "wrong-cell-count")
    return times


def read_numbers(data, name_count, count):
    """The number of each cell's row or field; each of these has a cell."""
    width = 0 if name_count == 1 else 1 if name_count <= 256 else 2
    require(is_bytes(data, width * count), "unexpected")
    numbers = [int.from_bytes(data[cell::count], "big") for cell in range(count)]
    require(max(numbers) < name_count, "too-large")
    require(len(set(numbers)) == name_count, "unexpected")
    return numbers


def read_values(lists, field_of, field_count):
    """The value of each cell."""
    require(is_list(lists, field_count), "unexpected")
    cells_of = [[] for _ in lists]
    for cell, number in enumerate(field_of):
        cells_of[number].append(cell)
    values = [None] * len(field_of)
    for cells, items in zip(cells_of, lists):
        require(is_list(items, len(cells)), "unexpected")
        for cell, value in zip(cells, items):
            values[cell] = value
    return values


def read_body(data, header):
    """The cells of a set, whose header names the chunks that they refer to."""
    cells = read_cells(data, header)
    names = chunk_names(cells)
    require(names == [list(name) for name in header.get(10, [])], "wrong-chunks")
    return cells


def read_cells(data, header):
    """Every cell as [collection, row, field, stamp time, replica, value], by its place.

    Reads keys 3, 6 and 7 of the header.
    """
    body = decode(data, texts_only=True)
    require(is_list(body, 6), "unexpected")
    rows, fields = read_rows(body[0], header[7]), read_names(body[1], header[7])
    require(fields, "unexpected")
    times = read_times(body[2], header)
    row_of = read_numbers(body[3], len(rows), header[7])
    field_of = read_numbers(body[4], len(fields), header[7])
    order = list(zip(times, row_of, field_of))
    require(all(map(operator.lt, order, order[1:])), "keys-not-ascending")
    places = list(zip(row_of, field_of))
    values = read_values(body[5], field_of, len(fields))
    require(len(set(places)) == len(places), "repeated-cell")
    if len(data) <= SCHEMA_BYTES:
        conform(body, "body")
    return [
        [*rows[row], fields[field], times[cell], header[3], values[cell]]
        for (row, field), cell in sorted(zip(places, range(len(places))))
    ]


def chunk_names(cells):
    """Hash and length of each chunk that the cells refer to, in order, each once."""
    names = {}
    for *_, value in cells:
        named = chunk_of(value)
        if named:
            digest, size, _ = named
            names.setdefault(digest, size)
    return [[digest, size] for digest, size in names.items()]


class Upload:
    """A change set, with its two objects, or a control set, with one; nothing verified yet."""

    def __init__(self, data):
        self.is_control = data[:1] == bytes([6 << 5 | SIGN1])
        self.outer = Envelope(data, SIGN1 if self.is_control else MAC0)
        self.inner = None if self.is_control else Envelope(self.outer.payload)
        self.header = read_header((self.inner or self.outer).payload)
        require((14 in self.header) == self.is_control, "incomplete")
        self.hash = sha256(data if self.is_control else self.outer.payload)
        if len(data) <= SCHEMA_BYTES:
            conform(cbor2.loads(data), "control-upload" if self.is_control else "upload")

    def verify_device(self, keys):
        require(self.inner is not None, "incomplete")
        self.outer.verify(b"wake/1/device", keys)

    def verify_space(self, keys):
        require(self.inner is not None, "incomplete")
        self.inner.verify(b"wake/1/space", keys)

    def verify_signature(self, key):
        self.outer.verify_signature(b"wake/1/control", self.header[2], key)

    def cells(self, body):
        critical = set(self.header.get(13, ())) - UNDERSTOOD
        require(not critical and not self.header.get(12, False), "unknown-critical-key")
        return read_body(plain(body, self.header), self.header)


def read_map(data, known):
    """A map with integers as keys, of which those from 32 on are read over."""
    value = decode(data)
    require(type(value) is dict and all(map(is_uint, value)), "unexpected")
    require(all(key in known or key >= FUTURE for key in value), "unexpected")
    return value


def read_push_item(data):
    item = read_map(data, {1, 2, 3, 8})
    require(type(item.get(1)) is bytes and type(item.get(2, b"")) is bytes, "unexpected")
    chunks = item.get(3, [b""])
    require(isinstance(chunks, list) and chunks, "unexpected")
    require(all(type(chunk) is bytes for chunk in chunks), "unexpected")
    require(is_bytes(item.get(8, bytes(64)), 64), "unexpected")
    return item


def read_log_entry(data):
    entry = read_map(data, {0, 1, 2, 4, 5, 8})
    require(is_uint(entry.get(0)), "unexpected")
    require(type(entry.get(40, "")) is str, "unexpected")
    if {key for key in entry if key < 32} == {0}:
        return {0: entry[0]}
    require(is_bytes(entry.get(5), 32), "unexpected")
    require(type(entry.get(2, b"")) is bytes, "unexpected")
    require(is_bytes(entry.get(8, bytes(64)), 64), "unexpected")
    require({1, 4} <= set(entry), "unexpected")
    require(type(entry[1]) is bytes and is_uint(entry[4]) and entry[4] < 3, "unexpected")
    return entry


def judged(space, replica, sequence, digest, verdict):
    return encode([space, replica, sequence, digest, verdict])


def check_receipt(receipt, key, signed):
    expected = hmac.new(key, signed, "sha256").digest()
    require(hmac.compare_digest(expected, receipt), "bad-mac")


def fingerprint(cells):
    """The sum of the greatest cell of each place."""
    greatest = {}
    for data in cells:
        cell = decode(data)
        require(is_list(cell, 6), "unexpected")
        collection, row, field, time, replica, value = cell
        require(type(collection) is str and type(field) is str, "unexpected")
        require(type(row) is str or is_bytes(row, 16), "unexpected")
        require(is_uint(time) and is_bytes(replica, 16), "unexpected")
        place = encode([collection, row, field])
        rank = (time, replica, encode(value))
        greatest[place] = max(greatest.get(place, (rank, data)), (rank, data))
    total = sum(int.from_bytes(sha256(data), "big") for _, data in greatest.values())
    return (total % (1 << 256)).to_bytes(32, "big")
