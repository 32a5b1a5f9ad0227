"""References to chunks in cells, and the summaries of samples that they state."""

from codec import Refused, is_bytes, is_list, is_uint, require

CHUNK_BYTES, SAMPLES, FILTER_VERSION, SAMPLES_KIND = 256 * 1024, 4096, 1, 4
NORTHMOST, EASTMOST, TURN = 900_000_000, 1_800_000_000, 3_600_000_000
TIME, LATITUDE, LONGITUDE = 1, 2, 3


def signed(number):
    """The number of 64 bits, two's complement, that is congruent."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def is_int(value):
    return type(value) is int


def chunk_of(value):
    """Hash, bytes and kind of the chunk that a value names, whatever follows them; or None."""
    if not (is_list(value, 3) or is_list(value, 4)) or not is_bytes(value[0], 32):
        return None
    if not all(map(is_uint, value[1:3])):
        return None
    if not 1 <= value[1] <= CHUNK_BYTES or not 1 <= value[2] <= 15:
        return None
    return value[:3]


def summary_of(value):
    """The summary in a reference to samples, or None without a valid one."""
    if value[2] != SAMPLES_KIND or len(value) < 4:
        return None
    try:
        return Summary(value[3])
    except Refused:
        return None


class Summary:
    """Bounds of the samples and, by a known version of the filter, what it found."""

    def __init__(self, value):
        require(is_list(value, 5) and all(map(is_int, value[:2])), "malformed")
        self.samples, self.points, times, box, filtered = value
        require(1 <= self.samples <= SAMPLES and 0 <= self.points <= self.samples, "malformed")
        self.times = None if times is None else read_span(times, 0)
        self.box = None if box is None else read_box(box)
        self.origin = (
            self.times[0] if self.times else 0,
            *(self.box[:2] if self.box else (0, 0)),
        )
        try:
            self.filtered = self.read_filtered(filtered)
        except Refused:
            self.filtered = None
        require(self.filtered is None or self.filtered["flagged"] <= self.points, "malformed")

    @property
    def bounds(self):
        return self.samples, self.points, self.times, self.box

    def read_filtered(self, value):
        require(is_list(value, 8) and is_int(value[0]), "malformed")
        version, limit, flagged, length, speed, believed, first, last = value
        require(version == FILTER_VERSION, "another filter")
        require(limit is None or (type(limit) in (int, float) and limit > 0), "malformed")
        require(is_uint(flagged) and is_uint(length), "malformed")
        require(speed is None or is_uint(speed), "malformed")
        require((first is None) == (last is None), "malformed")
        times = None if believed is None else read_span(believed, self.origin[0])
        fixes = [] if first is None else [self.read_fix(first), self.read_fix(last)]
        return {"flagged": flagged, "length": length, "times": times, "fixes": fixes}

    def read_fix(self, value):
        """Time, latitude, longitude and segment."""
        require(is_list(value, 4) and all(map(is_int, value[1:])), "malformed")
        time, north, east, segment = value
        require(time is None or is_int(time), "malformed")
        require(0 <= east <= TURN, "malformed")
        start, south, west = self.origin
        require(abs(south + north) <= NORTHMOST, "malformed")
        time = None if time is None else signed(start + time)
        return time, south + north, wrapped(west + east), segment


def read_span(value, origin):
    """The first and the last time."""
    require(is_list(value, 2) and all(map(is_int, value)), "malformed")
    first = signed(origin + value[0])
    last = signed(first + value[1])
    require(first <= last, "malformed")
    return first, last


def read_box(value):
    """South, west, height and width."""
    require(is_list(value, 4) and all(map(is_int, value)), "malformed")
    south, west, height, width = value
    require(abs(south) <= NORTHMOST and abs(west) <= EASTMOST, "malformed")
    require(height >= 0 and south + height <= NORTHMOST and 0 <= width <= TURN, "malformed")
    return tuple(value)


def wrapped(longitude):
    """The same meridian, 180 degrees at most to either side."""
    return longitude - TURN if longitude > EASTMOST else longitude


def bounds(samples):
    """What a summary must say of samples: their number, the points, the times and the box."""
    times = [sample[TIME] for sample in samples if TIME in sample]
    places = [
        (sample[LATITUDE], sample[LONGITUDE])
        for sample in samples
        if LATITUDE in sample and LONGITUDE in sample
    ]
    points = [
        (latitude, longitude)
        for latitude, longitude in places
        if abs(latitude) <= NORTHMOST and abs(longitude) <= EASTMOST
    ]
    span = (min(times), max(times)) if times else None
    return len(samples), len(points), span, box_around([at for at in points if at != (0, 0)])


def box_around(places):
    """The narrower of two boxes: one keeps off the antimeridian, one may lie across it."""
    if not places:
        return None
    latitudes = [latitude for latitude, _ in places]
    plain = [longitude for _, longitude in places]
    across = [longitude % TURN if longitude < 0 else longitude for longitude in plain]
    east = min((plain, across), key=lambda longitudes: max(longitudes) - min(longitudes))
    south, west = min(latitudes), wrapped(min(east))
    return south, west, max(latitudes) - south, max(east) - min(east)
