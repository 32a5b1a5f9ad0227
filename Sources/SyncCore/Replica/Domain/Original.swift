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

    var value: Value {
        .map([
            "name": .text(Text(name)), "sha256": .bytes(digest.bytes),
            "bytes": .integer(Int64(byteCount)), "track": .bytes(holder.bytes),
        ])
    }

    /// What names its pieces, beside their offsets.
    static func stream(of digest: Digest) -> UInt64 {
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
