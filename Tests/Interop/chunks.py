"""Chunks of every kind: manifests, wraps, rows, samples column by column, pieces of files."""

from codec import SCHEMA_BYTES, Refused, conform, decode, is_bytes, is_list, is_uint, require
from references import CHUNK_BYTES, SAMPLES, signed
from sets import CELLS, ascend, decompress, read_cells

CONTENT_BYTES, MANIFEST_CHUNKS, WRAPS = 1024 * 1024, 4096, 3500
MANIFEST_KIND, WRAPS_KIND, ROWS_KIND, SAMPLES_KIND, FILE_KIND = range(1, 6)
NAMES = (
    "segment time latitude longitude altitude speed course heading-true heading-magnetic "
    "variation heel pitch heart-rate cadence power temperature depth wind-speed-true "
    "wind-angle-true wind-speed-apparent wind-angle-apparent accuracy dilution satellites "
    "water-speed water-temperature rudder pressure wind-direction-true clock-mend"
).split()


def name(channel):
    return NAMES[channel] if channel < len(NAMES) else f"channel-{channel}"


def read(chunk):
    """The kind, the content, and what the content holds; None for the last two if unknown."""
    require(len(chunk) <= CHUNK_BYTES, "too-large")
    require(chunk, "unknown-encoding")
    kind, encoding = divmod(chunk[0], 16)
    require(kind > 0, "unknown-encoding")
    if kind not in READERS:
        return kind, None, None
    require(encoding < 2, "unknown-encoding")
    content = chunk[1:]
    if encoding == 1:
        content = decompress(content, CONTENT_BYTES, "bad-compression", "too-large")
    return kind, content, READERS[kind](content)


def form(name):
    """Makes a reader of an item one of bytes, which knows one reason only."""

    def reader_of(read_item):
        def read_content(content):
            try:
                item = decode(content)
                result = read_item(item)
                if len(content) <= SCHEMA_BYTES:
                    conform(item, name)
                return result
            except Refused:
                raise Refused("malformed") from None

        return read_content

    return reader_of


@form("manifest")
def read_manifest(manifest):
    """The kind of the chunks, and hash and bytes of each."""
    require(is_list(manifest, 2), "malformed")
    kind, names = manifest
    require(is_uint(kind) and MANIFEST_KIND < kind < 16 and type(names) is list, "malformed")
    require(1 <= len(names) <= MANIFEST_CHUNKS, "malformed")
    for name in names:
        require(is_list(name, 2) and is_bytes(name[0], 32) and is_uint(name[1]), "malformed")
        require(1 <= name[1] <= CHUNK_BYTES, "malformed")
    require(len({digest for digest, _ in names}) == len(names), "malformed")
    return kind, names


@form("wraps")
def read_wraps(wraps):
    """The key epoch, the ephemeral key and the wrap of each recipient."""
    require(is_list(wraps, 3), "malformed")
    epoch, key, entries = wraps
    require(is_uint(epoch) and is_bytes(key, 32) and type(entries) is list, "malformed")
    require(1 <= len(entries) <= WRAPS, "malformed")
    for entry in entries:
        require(is_list(entry, 2) and is_bytes(entry[0], 16), "malformed")
        require(is_bytes(entry[1], 48), "malformed")
    ascend([recipient for recipient, _ in entries])
    return epoch, key, entries


@form("snapshot")
def read_rows(groups):
    """The cells of each replica."""
    require(type(groups) is list and groups, "malformed")
    cells = {}
    for group in groups:
        require(is_list(group, 4), "malformed")
        replica, count, low, body = group
        require(is_bytes(replica, 16) and is_uint(count) and is_uint(low), "malformed")
        require(type(body) is bytes, "malformed")
        outline = {3: replica, 6: [low, (1 << 63) - 1], 7: count}
        cells[replica] = read_cells(body, outline)
        require(min(cell[3] for cell in cells[replica]) == low, "malformed")
    ascend([group[0] for group in groups])
    require(sum(map(len, cells.values())) <= CELLS, "malformed")
    return cells


def read_file(content):
    """The piece of a file."""
    require(content, "no-content")
    return content


def zigzag(number):
    return number << 1 if number >= 0 else (-number << 1) - 1


def predicted(order, counts, index):
    if order == 0 or index == 0:
        return 0
    slope = counts[index - 1] - counts[index - 2] if index > 1 else 0
    return counts[index - 1] + (slope if order == 2 else 0)


def best_order(counts):
    def bits(order):
        return sum(
            zigzag(signed(count - predicted(order, counts, index))).bit_length()
            for index, count in enumerate(counts)
        )

    return min((0, 1, 2), key=lambda order: (bits(order), order))


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    @property
    def remaining(self):
        return len(self.data) - self.at

    def take(self, count):
        require(count <= self.remaining, "truncated")
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self):
        number = 0
        for index in range(10):
            byte = self.take(1)[0]
            number |= (byte & 127) << (7 * index)
            if byte < 128:
                require((byte or not index) and number < 1 << 64, "not-canonical")
                return number
        require(False, "not-canonical")

    def count(self, limit):
        number = self.varint()
        require(number <= limit, "too-many")
        return number


def read_planes(reader, count, end):
    """Varints by planes: the first byte of each, then the second byte of each that has one ..."""
    residuals, going_on = [0] * count, list(range(count))
    for plane in range(10):
        require(len(going_on) <= end - reader.at, "truncated")
        places, going_on = going_on, []
        for place, byte in zip(places, reader.take(len(places))):
            residuals[place] |= (byte & 127) << (7 * plane)
            require(byte or not plane, "not-canonical")
            if byte >= 128:
                going_on.append(place)
        if not going_on:
            require(all(residual < 1 << 64 for residual in residuals), "not-canonical")
            return residuals
    require(False, "not-canonical")


def read_column(reader, sample_count, before):
    """A channel and its counts by sample."""
    channel = reader.varint()
    require(before < channel < 1 << 16, "not-canonical")
    form = reader.take(1)[0]
    require(form < 8 and form % 4 < 3, "not-canonical")
    places = range(sample_count)
    if form >= 4:
        bitmap = int.from_bytes(reader.take((sample_count + 7) // 8), "little")
        require(bitmap < 1 << sample_count, "not-canonical")
        places = [index for index in places if bitmap >> index & 1]
        require(0 < len(places) < sample_count, "not-canonical")
    byte_count = reader.count(reader.remaining)
    end = reader.at + byte_count
    require(len(places) <= byte_count, "truncated")
    counts = []
    for index, residual in enumerate(read_planes(reader, len(places), end)):
        difference = residual >> 1 if residual & 1 == 0 else -(residual >> 1) - 1
        counts.append(signed(difference + predicted(form % 4, counts, index)))
    require(reader.at == end and best_order(counts) == form % 4, "not-canonical")
    return channel, dict(zip(places, counts))


def read_samples(content):
    """The samples, each the counts by channel."""
    reader = Reader(content)
    sample_count = reader.count(SAMPLES)
    require(sample_count > 0, "no-content")
    columns, before = [], -1
    for _ in range(reader.count(reader.remaining // 4)):
        before, counts = read_column(reader, sample_count, before)
        columns.append((before, counts))
    require(reader.remaining == 0, "trailing-bytes")
    return [
        {channel: counts[index] for channel, counts in columns if index in counts}
        for index in range(sample_count)
    ]


READERS = {
    MANIFEST_KIND: read_manifest,
    WRAPS_KIND: read_wraps,
    ROWS_KIND: read_rows,
    SAMPLES_KIND: read_samples,
    FILE_KIND: read_file,
}
