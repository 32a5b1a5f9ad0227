/// The form of a summary in a chunk reference.
///
/// ```
/// summary  = [samples, points, span / null, box / null, filtered]
/// span     = [first, length]                             Unix milliseconds; milliseconds
/// box      = [south, west, height, width]                1e-7 degrees; the width runs eastward
/// filtered = [version, limit / null, flagged, length, speed / null, span / null, fix / null, fix / null]
/// fix      = [time / null, north, east, segment]
/// ```
/// The rule's speed limit is in metres a second, null if every fix is believed; lengths and speed
/// are as in ``ChunkSummary/Filtered``. The times of fixes and the span of `filtered` count from
/// the first time of the chunk, and the positions of fixes from the south-west corner of its box.
extension ChunkSummary {
    var value: Value {
        let origin = Origin(bounds)
        return .list([
            .integer(Int64(bounds.sampleCount)),
            .integer(Int64(bounds.pointCount)),
            Self.value(of: bounds.times, from: 0),
            bounds.box.map {
                let (height, width) = (Int64($0.north) - Int64($0.south), $0.width)
                return .integers([Int64($0.south), Int64($0.west), height, width])
            } ?? .null,
            filtered.map { $0.value(from: origin) } ?? .null,
        ])
    }

    /// Decodes an untrusted summary, or returns nil if it is none.
    init?(_ value: Value) {
        guard let list = value.list, list.count == 5, let samples = list[0].integer,
            1...Int64(Chunk.sampleLimit) ~= samples, let points = list[1].integer,
            0...samples ~= points, let times = Self.span(list[2], from: 0),
            let box = Box.decoded(list[3])
        else { return nil }
        let bounds = Bounds(
            sampleCount: Int(samples),
            pointCount: Int(points),
            times: times,
            box: box
        )
        let filtered = Filtered(list[4], from: Origin(bounds))
        if let filtered, filtered.flagCount > points { return nil }
        self.init(bounds: bounds, filtered: filtered)
    }

    /// What times and positions count from.
    fileprivate struct Origin {
        let time: Int64
        let south: Int64
        let west: Int64

        init(_ bounds: Bounds) {
            time = bounds.times?.lowerBound.milliseconds ?? 0
            (south, west) = (Int64(bounds.box?.south ?? 0), Int64(bounds.box?.west ?? 0))
        }
    }

    fileprivate static func value(of times: ClosedRange<UnixTime>?, from origin: Int64) -> Value {
        guard let times else { return .null }
        let (first, last) = (times.lowerBound.milliseconds, times.upperBound.milliseconds)
        return .integers([first &- origin, last &- first])
    }

    /// Decodes a range of times, nil for null; returns nil for anything else.
    fileprivate static func span(_ value: Value, from origin: Int64) -> ClosedRange<UnixTime>?? {
        if value == .null { return .some(nil) }
        guard let list = value.integers, list.count == 2 else { return nil }
        let (first, last) = (origin &+ list[0], origin &+ list[0] &+ list[1])
        guard first <= last else { return nil }
        return UnixTime(milliseconds: first)...UnixTime(milliseconds: last)
    }
}

extension ChunkSummary.Filtered {
    fileprivate func value(from origin: ChunkSummary.Origin) -> Value {
        .list([
            .integer(FixFilter.version),
            rule == .off ? .null : .float(rule.speedLimit),
            .integer(Int64(flagCount)),
            .integer(length),
            greatestSpeed.map(Value.integer) ?? .null,
            ChunkSummary.value(of: times, from: origin.time),
            ends.map { $0.first.value(from: origin) } ?? .null,
            ends.map { $0.last.value(from: origin) } ?? .null,
        ])
    }

    fileprivate init?(_ value: Value, from origin: ChunkSummary.Origin) {
        guard let list = value.list, list.count == 8, list[0] == .integer(FixFilter.version),
            let flagCount = list[2].integer, flagCount >= 0, let length = list[3].integer,
            length >= 0, let times = ChunkSummary.span(list[5], from: origin.time)
        else { return nil }
        let limit = list[1] == .null ? .infinity : list[1].number
        guard let limit, limit > 0, list[4] == .null || list[4].integer.map({ $0 >= 0 }) == true
        else { return nil }
        let fixes = list[6...7].map { FixFilter.Fix($0, from: origin) }
        guard (fixes[0] == nil) == (fixes[1] == nil), fixes[0] != nil || list[6] == .null,
            fixes[1] != nil || list[7] == .null
        else { return nil }
        var ends: ChunkSummary.Ends?
        if let first = fixes[0], let last = fixes[1] {
            ends = ChunkSummary.Ends(first: first, last: last)
        }
        self.init(
            rule: FixRule(speedLimit: limit),
            flagCount: Int(flagCount),
            length: length,
            greatestSpeed: list[4].integer,
            times: times,
            ends: ends
        )
    }
}

extension FixFilter.Fix {
    fileprivate func value(from origin: ChunkSummary.Origin) -> Value {
        let east = ChunkSummary.Box.eastward(from: origin.west, to: Int64(place.longitude))
        return .list([
            time.map { .integer($0 &- origin.time) } ?? .null,
            .integer(Int64(place.latitude) - origin.south),
            .integer(east),
            .integer(segment),
        ])
    }

    fileprivate init?(_ value: Value, from origin: ChunkSummary.Origin) {
        guard let list = value.list, list.count == 4, let north = list[1].integer,
            let east = list[2].integer, 0...Coordinate.turn ~= east,
            list[0] == .null || list[0].integer != nil, let segment = list[3].integer,
            let place = Coordinate(
                latitude: origin.south &+ north,
                longitude: Coordinate.wrapped(origin.west + east)
            )
        else { return nil }
        self.init(place: place, time: list[0].integer.map { origin.time &+ $0 }, segment: segment)
    }
}

extension ChunkSummary.Box {
    /// Decodes a box, nil for null; returns nil for anything else.
    fileprivate static func decoded(_ value: Value) -> Self?? {
        if value == .null { return .some(nil) }
        guard let list = value.integers, list.count == 4,
            let corner = Coordinate(latitude: list[0], longitude: list[1]),
            0...Coordinate.turn / 2 ~= list[2], 0...Coordinate.turn ~= list[3],
            let opposite = Coordinate(
                latitude: list[0] + list[2],
                longitude: Coordinate.wrapped(list[1] + list[3])
            )
        else { return nil }
        return Self(
            south: corner.latitude,
            west: corner.longitude,
            north: opposite.latitude,
            east: opposite.longitude
        )
    }
}

extension Value {
    fileprivate static func integers(_ numbers: [Int64]) -> Value { .list(numbers.map(integer)) }

    /// The numbers of a list of whole numbers, or nil for any other value.
    fileprivate var integers: [Int64]? {
        guard let list else { return nil }
        let numbers = list.compactMap(\.integer)
        return numbers.count == list.count ? numbers : nil
    }
}
