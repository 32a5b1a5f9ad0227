import SyncCore

/// The tracks of one file, in whichever format it is.
struct RecordingFile: Sendable {
    private static let pieceSize = 1 << 16
    private static let headSize = 4096

    /// Names the file, and by it the tracks that come from it.
    let digest: Digest
    private(set) var tracks: [ImportedTrack] = []
    /// What was passed over; nil where nothing was.
    private(set) var remark: String?

    private let name: String

    /// Reads a file, or standard input for `-`.
    init(_ file: String, _ context: Context) throws {
        name = file == "-" ? "standard input" : file
        let bytes = file == "-" ? try Self.standardInput(context) : try InputFile.bytes(of: file)
        digest = Digest(of: bytes)
        let head = bytes.prefix(Self.headSize)
        if Self.isXML(head) {
            try readGPX(bytes, context)
        } else if head.contains(UInt8(ascii: "$")) || head.contains(UInt8(ascii: "!")) {
            let modified = file == "-" ? nil : InputFile.modified(file)
            try readNMEA(bytes, near: modified ?? context.now(), context)
        } else {
            throw Complaint(
                .failure,
                bytes.isEmpty
                    ? "\(name): the file is empty" : "\(name):1: neither GPX nor NMEA 0183"
            )
        }
        giveNames(from: file)
    }

    private static func standardInput(_ context: Context) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= InputFile.byteLimit {
            let piece = try context.input()
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        throw Complaint(.failure, "standard input is longer than a recording may be")
    }

    /// Whether the first character that is no blank, after a byte order mark, is `<`.
    private static func isXML(_ head: ArraySlice<UInt8>) -> Bool {
        let marks: [UInt8] = [0xef, 0xbb, 0xbf, 0xff, 0xfe, 0, 0x20, 0x09, 0x0a, 0x0d]
        return head.first { !marks.contains($0) } == UInt8(ascii: "<")
    }

    private mutating func readGPX(_ bytes: [UInt8], _ context: Context) throws {
        let reader = GPXReader()
        let file: GPXFile
        do {
            try Self.feed(bytes, label: name, context) { (piece) throws(FormatError) in
                try reader.feed(piece)
            }
            file = try reader.finish()
        } catch let error as FormatError {
            throw Complaint(name, error)
        }
        tracks = file.tracks
        remark = Self.remark([
            (file.ignoredRoutes, "route", "routes"),
            (file.ignoredWaypoints, "waypoint", "waypoints"),
            (file.unreadableValues, "value that is no number", "values that are no numbers"),
        ])
    }

    private mutating func readNMEA(
        _ bytes: [UInt8],
        near date: UnixTime,
        _ context: Context
    ) throws {
        var reader = NMEAReader(fallbackDate: date)
        var samples: [Sample] = []
        try Self.feed(bytes, label: name, context) { samples += reader.feed($0) }
        samples += reader.finish()
        guard reader.counters.sentences > 0 else {
            let reason = Complaint.words(forUseless: reader.counters)
            throw Complaint(.failure, "\(name):1: no NMEA sentence can be used: \(reason)")
        }
        tracks = [ImportedTrack(samples: samples)]
        remark = Self.remark([
            (
                reader.counters.badChecksum, "sentence with a wrong checksum",
                "sentences with a wrong checksum"
            ),
            (
                reader.counters.missingChecksum, "sentence without a checksum",
                "sentences without a checksum"
            ),
            (
                reader.counters.unreadable, "line that is no sentence",
                "lines that are no sentences"
            ),
        ])
    }

    /// Hands over the bytes in pieces, and shows how far it is.
    private static func feed(
        _ bytes: [UInt8],
        label: String,
        _ context: Context,
        _ body: ([UInt8]) throws -> Void
    ) throws {
        let file = label.split(separator: "/").last.map(String.init) ?? label
        var progress = Progress(file, total: bytes.count, unit: .bytes, context: context)
        defer { progress.end() }
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            try body(Array(bytes[start..<min(start + pieceSize, bytes.count)]))
            progress.update(done: start)
        }
    }

    private static func remark(_ counts: [(Int, String, String)]) -> String? {
        let parts = counts.filter { $0.0 > 0 }.map { $0.counted($1, $2) }
        return parts.isEmpty ? nil : "passed over " + parts.joined(separator: ", ")
    }

    /// A track without a name gets the file's.
    private mutating func giveNames(from file: String) {
        guard file != "-", let last = file.split(separator: "/").last else { return }
        let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
        for index in tracks.indices where tracks[index].name.isEmpty {
            tracks[index].name = String(stem.isEmpty ? last : stem)
        }
    }
}
