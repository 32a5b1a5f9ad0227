internal import SyncCore

/// Points from one device to another without a network, after W2 and W4 of the measurements.
struct TrackTimes {
    private static let trackCount = 40
    private static let pointsPerTrack = 5000
    private static let renameCount = 200

    private let from: Device
    private let to: Device
    private var relay = Relay()
    private let insertRate: Double

    /// Measures all of it.
    static func times() async throws -> [Time] {
        let device = try await Device(seed: 1)
        let sails = (0..<trackCount).map {
            Samples(Sails.samples(seed: UInt64($0), count: pointsPerTrack, channels: Sails.nine))
        }
        var times = TrackTimes(
            from: device,
            to: try await Device(seed: 2),
            insertRate: try PointTimes.insertRate(of: sails[..<20].flatMap(Array.init))
        )
        let pipeline = try await times.pipeline(of: sails)
        return pipeline + (try await times.renames())
    }

    private init(from: Device, to: Device, insertRate: Double) {
        (self.from, self.to, self.insertRate) = (from, to, insertRate)
    }

    private mutating func pipeline(of sails: [Samples]) async throws -> [Time] {
        var rows: [Identifier] = []
        let (from, to) = (from, to)
        let packing = try await Stopwatch.seconds {
            rows = try await from.import(
                sails.enumerated().map { ImportedTrack(name: "Sail \($0)", samples: $1) }
            )
        }
        var next = relay
        let sealing = try await Stopwatch.seconds { try await next.take(from: from) }
        relay = next
        let merging = try await Stopwatch.seconds { try await to.merge(next.pages) }
        let chunks = relay.chunks
        let storing = try await Stopwatch.seconds { try await to.takeWanted(of: chunks) }
        var samples = Samples()
        let reading = try await Stopwatch.seconds {
            for row in rows {
                samples.append(
                    contentsOf: try await to.replica.read {
                        try $0.tracks.samples(of: row, in: to.space)
                    }
                )
            }
        }
        guard samples.elementsEqual(sails.joined()) else { throw DeviceError.different("samples") }
        return [
            rate("points packed and stored", packing, samples.count),
            rate("points sealed and pushed", sealing, samples.count),
            rate("points whose references are merged", merging, samples.count),
            rate("points whose chunks are stored", storing, samples.count),
            rate("points read and unpacked", reading, samples.count),
            rate(
                "points, all of these",
                packing + sealing + merging + storing + reading,
                samples.count
            ),
        ]
    }

    private func rate(_ name: String, _ seconds: Double, _ count: Int) -> Time {
        Time(
            name: name,
            value: Double(count) / seconds,
            unit: "a second",
            floor: ("raw row inserts", insertRate)
        )
    }

    /// One rename after the other, each durable here and there.
    private mutating func renames() async throws -> [Time] {
        let track = try await from.replica.read { [space = from.space] in
            try $0.tracks.all(in: space)
        }[0].id
        var milliseconds: [Double] = []
        for index in 0..<Self.renameCount {
            let (from, to) = (from, to)
            var next = relay
            milliseconds.append(
                try await Stopwatch.seconds {
                    try await from.rename(track, to: "Sail no. \(index)")
                    try await next.take(from: from)
                    try await to.merge(next.pages.suffix(1))
                } * 1000
            )
            relay = next
        }
        let commits = try EditTimes.updateRate(edits: 2000, editsPerCommit: 1)
        return [
            Time(
                name: "a rename, durable at both, without a network",
                value: Stopwatch.median(milliseconds),
                unit: "ms",
                floor: ("plain durable commit", 1000 / commits)
            )
        ]
    }
}

extension Device {
    /// Stores the wanted chunks, one a commit, as they arrive.
    func takeWanted(of chunks: [Digest: [UInt8]]) async throws {
        let wanted = try await replica.read { try $0.chunks.wanted(of: space, limit: .max) }
        for hash in wanted {
            guard let bytes = chunks[hash] else { throw DeviceError.different("chunks") }
            try await replica.write { try $0.chunks.store(bytes, of: hash) }
        }
    }
}
