"""Chunks of samples: column by column, zigzag varints of differences, perhaps one zstd frame."""

from codec import require
from sets import decompress

SAMPLES, CHUNK_BYTES, PAYLOAD_BYTES = 4096, 256 * 1024, 1024 * 1024
NAMES = (
    "segment time latitude longitude altitude speed course heading-true heading-magnetic "
    "variation heel pitch heart-rate cadence power temperature depth wind-speed-true "
    "wind-angle-true wind-speed-apparent wind-angle-apparent accuracy dilution satellites "
    "water-speed water-temperature rudder pressure wind-direction-true clock-mend"
).split()


def name(channel):
    return NAMES[channel] if channel < len(NAMES) else f"channel-{channel}"


def payload_of(chunk):
    require(len(chunk) <= CHUNK_BYTES, "too-large")
    require(chunk[:1] != b"\2", "not-samples")
    require(chunk[:1] in (b"\0", b"\1"), "unknown-encoding")
    if chunk[0] == 0:
        return chunk[1:]
    return decompress(chunk[1:], PAYLOAD_BYTES, "bad-compression", "too-large")


def read_file(chunk):
    """The piece of a file that a chunk holds."""
    require(chunk[:1] == b"\2", "unknown-encoding")
    require(len(chunk) <= CHUNK_BYTES, "too-large")
    piece = decompress(chunk[1:], PAYLOAD_BYTES, "bad-compression", "too-large")
    require(piece, "no-samples")
    return piece


def signed(number):
    """The number of 64 bits, two's complement, that is congruent."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


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
    for index in range(len(places)):
        residual = reader.varint()
        difference = residual >> 1 if residual & 1 == 0 else -(residual >> 1) - 1
        counts.append(signed(difference + predicted(form % 4, counts, index)))
    require(reader.at == end and best_order(counts) == form % 4, "not-canonical")
    return channel, dict(zip(places, counts))


def read(chunk):
    """The samples, each the counts by channel, and the payload."""
    payload = payload_of(chunk)
    reader = Reader(payload)
    sample_count = reader.count(SAMPLES)
    require(sample_count > 0, "no-samples")
    columns, before = [], -1
    for _ in range(reader.count(reader.remaining // 4)):
        before, counts = read_column(reader, sample_count, before)
        columns.append((before, counts))
    require(reader.remaining == 0, "trailing-bytes")
    samples = [
        {channel: counts[index] for channel, counts in columns if index in counts}
        for index in range(sample_count)
    ]
    return samples, payload
