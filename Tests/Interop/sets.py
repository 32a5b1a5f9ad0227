"""Change sets: headers, bodies, both MACs (PyPI's pycose), log entries and what is derived."""

import hashlib
import hmac
import operator

import cbor2
import zstandard
from codec import SCHEMA_BYTES, Refused, conform, decode, encode, is_bytes, is_list, is_uint
from codec import require
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pycose.keys import SymmetricKey
from pycose.messages import Mac0Message
from references import chunk_of

HEADER_BYTES, BODY_BYTES, DECODED_BYTES, CELLS = 4096, 1024 * 1024, 1024 * 1024, 32768
DRIFT_MILLISECONDS = 300_000
REQUIRED, KNOWN, FUTURE = set(range(10)), set(range(14)), 32
UNDERSTOOD = set(range(12)) | {13}


def sha256(data):
    return hashlib.sha256(data).digest()


def derive(purpose, secret, salt=b"", epoch=None):
    info = b"wake/1/" + purpose.encode() + (b"" if epoch is None else epoch.to_bytes(8, "big"))
    return HKDF(algorithm=SHA256(), length=32, salt=salt or None, info=info).derive(secret)


def unwrap(data, link_secret, space):
    """The epoch and the secret of a space key that travelled with a link."""
    require(len(data) >= 28, "wrong-wrap")
    key = derive("link-wrap", link_secret)
    try:
        plain = AESGCM(key).decrypt(data[:12], data[12:], space)
    except InvalidTag:
        raise Refused("wrong-wrap") from None
    require(len(plain) == 40, "wrong-wrap")
    return int.from_bytes(plain[:8], "big"), plain[8:]


class Envelope:
    """A COSE_Mac0 whose tag was not checked yet."""

    def __init__(self, data):
        structure = decode(data, tag=17)
        require(isinstance(structure, cbor2.CBORTag), "unexpected")
        require(is_list(structure.value, 4), "unexpected")
        protected, unprotected, payload, tag = structure.value
        require(type(protected) is bytes and unprotected == {}, "unexpected")
        require(type(payload) is bytes and is_bytes(tag, 32), "unexpected")
        algorithm = decode(protected)
        require(type(algorithm) is dict and set(algorithm) == {1, 4}, "unexpected")
        require(algorithm[1] == 5 and is_uint(algorithm[1]), "unexpected")
        require(is_bytes(algorithm[4], 8), "unexpected")
        self.data, self.payload = data, payload
        self.epoch = int.from_bytes(algorithm[4], "big")

    def verify(self, aad, keys):
        require(self.epoch in keys, "unknown-key-epoch")
        message = Mac0Message.decode(self.data)
        message.key = SymmetricKey(k=keys[self.epoch])
        message.external_aad = aad
        require(message.verify_tag(), "bad-mac")


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
    require(is_list(seen, 2) and is_bytes(seen[0], 16) and is_uint(seen[1]), "unexpected")
    for chunk in listed(header.get(10, [None]), header.get(10)):
        require(is_list(chunk, 2) and is_bytes(chunk[0], 32) and is_uint(chunk[1]), "unexpected")
    require(is_uint(header.get(11, 1)) and header.get(11, 1) > 0, "unexpected")
    require(header.get(12, True) is True, "unexpected")
    for key in listed(header.get(13, [None]), header.get(13)):
        require(is_uint(key), "unexpected")


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
    return header


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
    """Both objects and the header; nothing verified yet."""

    def __init__(self, data):
        self.outer = Envelope(data)
        self.inner = Envelope(self.outer.payload)
        self.header = read_header(self.inner.payload)
        self.hash = sha256(self.outer.payload)
        if len(data) <= SCHEMA_BYTES:
            conform(cbor2.loads(data), "upload")

    def verify_device(self, keys):
        self.outer.verify(b"wake/1/device", keys)

    def verify_space(self, keys):
        self.inner.verify(b"wake/1/space", keys)

    def cells(self, body):
        critical = set(self.header.get(13, ())) - UNDERSTOOD
        require(not critical and not self.header.get(12, False), "unknown-critical-key")
        return read_body(plain(body, self.header), self.header)


def read_map(data, known, name):
    """A map with integers as keys, of which those from 32 on are read over."""
    value = decode(data)
    require(type(value) is dict and all(map(is_uint, value)), "unexpected")
    require(all(key in known or key >= FUTURE for key in value), "unexpected")
    return value


def read_push_item(data):
    item = read_map(data, {1, 2, 3}, "push-item")
    require(type(item.get(1)) is bytes and type(item.get(2, b"")) is bytes, "unexpected")
    chunks = item.get(3, [b""])
    require(isinstance(chunks, list) and chunks, "unexpected")
    require(all(type(chunk) is bytes for chunk in chunks), "unexpected")
    return item


def read_log_entry(data):
    entry = read_map(data, {0, 1, 2, 4, 5, 6, 7}, "log-entry")
    require(is_uint(entry.get(0)) and is_bytes(entry.get(5), 32), "unexpected")
    require(type(entry.get(2, b"")) is bytes, "unexpected")
    shape = set(entry) & {1, 4, 6, 7}
    require(shape in ({1, 4}, {6, 7}), "unexpected")
    if 1 in entry:
        require(type(entry[1]) is bytes and is_uint(entry[4]) and entry[4] < 3, "unexpected")
    else:
        adopted = entry[6]
        require(is_list(adopted, 3) and is_bytes(adopted[0], 16), "unexpected")
        require(is_uint(adopted[1]) and is_bytes(adopted[2], 32), "unexpected")
        require(is_bytes(entry[7], 16), "unexpected")
    return entry


def judged(space, replica, sequence, digest, verdict):
    return encode([space, replica, sequence, digest, verdict])


def check_receipt(receipt, key, signed):
    expected = hmac.new(key, signed, hashlib.sha256).digest()
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


class Log:
    """One space on a server: the last set of each replica, and every set by its name."""

    def __init__(self, space, now_milliseconds):
        self.space, self.link, self.greatest = space, bytes(32), 0
        self.bound = (now_milliseconds + DRIFT_MILLISECONDS) << 16
        self.heads, self.results = {}, {}

    def append(self, data, device, keys):
        """`accepted`, or `refused` for its clock; what changes nothing is an exception."""
        item = read_push_item(data)
        upload = Upload(item[1])
        header = upload.header
        require(header[1] == self.space and header[2] == device, "bad-encoding")
        upload.verify_device(keys)
        upload.cells(item[2])
        name = (header[3], header[4], upload.hash)
        if name not in self.results:
            sequence, previous = self.heads.get(header[3], (0, bytes(32)))
            require(header[4] <= sequence + 1, "sequence-gap")
            require(header[4] == sequence + 1 and header[5] == previous, "fork")
            self.enter(name, header)
        return self.results[name]

    def enter(self, name, header):
        is_early = header[6][1] <= max(self.bound, self.greatest + header[7])
        self.heads[name[0]] = name[1:]
        self.results[name] = "accepted" if is_early else "refused"
        self.greatest = max(self.greatest, header[6][1] if is_early else 0)
        self.link = sha256(self.link + judged(self.space, *name, 0 if is_early else 2))
