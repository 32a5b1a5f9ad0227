/// What a track says of the file that it came from: the cell `original` of its row.
package struct Original: Hashable, Sendable {
    /// What the file was called, without folders; empty where it had no name.
    package let name: String
    /// The SHA-256 of its bytes.
    package let digest: Digest
    /// How many bytes it has.
    package let byteCount: Int
    /// The track whose row in the collection `original` has the pieces: the first of the file.
    package let holder: Identifier

    /// Of a file whose pieces are kept with a track.
    init(_ file: OriginalFile, holder: Identifier) {
        (name, digest, byteCount) = (file.name, file.digest, file.byteCount)
        self.holder = holder
    }

    /// Reads a cell's value; nil where it is another.
    init?(_ value: Value?) {
        guard let map = value?.map, let name = map["name"]?.text,
            let digest = map["sha256"]?.bytes.flatMap({ Digest(bytes: $0) }),
            let count = map["bytes"]?.integer, let byteCount = Int(exactly: count), count > 0,
            let holder = map["track"]?.bytes.flatMap({ Identifier(bytes: $0) })
        else { return nil }
        (self.name, self.digest, self.byteCount) = (name, digest, byteCount)
        self.holder = holder
    }

    fileprivate var value: Value {
        .map([
            "name": .text(Text(name)), "sha256": .bytes(digest.bytes),
            "bytes": .integer(Int64(byteCount)), "track": .bytes(holder.bytes),
        ])
    }

    /// What names its pieces, beside their offsets.
    fileprivate static func stream(of digest: Digest) -> UInt64 {
        UInt64(bigEndian: digest.bytes[24..<32])
    }
}

/// Why the bytes of a file cannot be told.
package enum OriginalError: Error, Equatable {
    /// The piece at an offset is not here, or not yet.
    case missing(offset: Int)
    /// The pieces make another file.
    case damaged
}

/// The file of a track, and the track that holds its pieces.
package struct OriginalUse: Sendable {
    let file: OriginalFile
    let holder: Identifier

    /// The first track of a file that is taken in holds the pieces for all.
    package init(_ file: OriginalFile, holder: Identifier) {
        self.file = file
        self.holder = holder
    }
}

extension Replica {
    /// Keeps the file of a track that is here already, unless it is kept.
    package func keep(
        _ use: OriginalUse,
        of track: Identifier,
        in space: Identifier,
        now: UnixTime
    ) throws {
        try write {
            guard try original(of: track, in: space) == nil else { return }
            let place = TrackPlace(space: try number(ofSpace: space), id: track)
            try apply(try keep(use, of: place), in: place.space, at: now)
        }
    }

    /// Stores the pieces that a track is to hold; returns the edits that name them and the file.
    func keep(_ use: OriginalUse, of place: TrackPlace) throws -> [Edit] {
        let original = Original(use.file, holder: use.holder)
        let key = Key(TrackField.collection, .id(place.id), TrackField.original)
        var edits = [Edit(key, original.value, origin: .file)]
        guard use.holder == place.id else { return edits }
        for (offset, chunk) in use.file.pieces {
            let reference = ChunkReference(toFile: chunk)
            let name = SampleName(stream: Original.stream(of: use.file.digest), index: offset)
            let none = ChunkSummary(of: [])
            try insertChunk(chunk, none, hash: reference.hash, for: place)
            try noteUse(of: reference, from: name, by: place)
            let key = Key(TrackField.original, .id(place.id), name.field)
            edits.append(Edit(key, reference.value, origin: .file))
        }
        return edits
    }

    /// What a track says of its file; nil for one that was recorded, or came without.
    package func original(of track: Identifier, in space: Identifier) throws -> Original? {
        Original(
            try cells(TrackField.collection, .id(track), in: space)[TrackField.original]?.value
        )
    }

    /// Hands on the bytes of a file, piece by piece; for use in ``perform(_:)``.
    ///
    /// Throws ``OriginalError``, at the end where the bytes are others than they should be.
    package func read(
        _ original: Original,
        in space: Identifier,
        _ take: ([UInt8]) throws -> Void
    ) throws {
        let place = TrackPlace(space: try number(ofSpace: space), id: original.holder)
        let stream = Original.stream(of: original.digest)
        let pieces = try originalPieces(of: place).filter { $0.first.stream == stream }
        let byOffset = Dictionary(pieces.map { ($0.first.index, $0) }) { first, _ in first }
        let digest = DigestBuilder()
        var offset = 0
        while offset < original.byteCount {
            guard let piece = byOffset[offset],
                let chunk = try readableChunk(of: piece, in: place).flatMap(storedChunk),
                case .file(let bytes)? = try? Chunk.content(of: chunk)
            else { throw OriginalError.missing(offset: offset) }
            digest.add(bytes)
            try take(bytes)
            offset += bytes.count
        }
        guard digest.finish() == original.digest else { throw OriginalError.damaged }
    }

    /// The pieces that a track holds.
    func originalPieces(of place: TrackPlace) throws -> [Piece] {
        let cells = try storedRow(place.space, TrackField.original, .id(place.id))?.cells ?? [:]
        return cells.compactMap { Piece(field: $0, $1) }
    }
}
