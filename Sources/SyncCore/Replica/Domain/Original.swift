/// The value of a track's cell `original`: the file that the track was imported from.
package struct Original: Hashable, Sendable {
    /// The file's name without folders; empty if it had none.
    package let name: String
    package let digest: Digest
    package let byteCount: Int
    /// The track whose row in the collection `original` holds the pieces: the first of the file.
    package let holder: Identifier

    init(_ file: OriginalFile, holder: Identifier) {
        (name, digest, byteCount) = (file.name, file.digest, file.byteCount)
        self.holder = holder
    }

    /// Reads a cell's value, or returns nil if it has another shape.
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

    /// Returns the stream that names the pieces, together with their offsets.
    static func stream(of digest: Digest) -> UInt64 { UInt64(bigEndian: digest.bytes[24..<32]) }
}

/// Why the bytes of a file are unavailable.
package enum OriginalError: Error, Equatable {
    /// The piece at an offset has not arrived.
    case missing(offset: Int)
    /// The pieces do not give the file's hash.
    case damaged
}

/// The file of a track, and the track that holds its pieces.
package struct OriginalUse: Sendable {
    let file: OriginalFile
    let holder: Identifier

    /// The first imported track of a file holds the pieces for all its tracks.
    package init(_ file: OriginalFile, holder: Identifier) {
        self.file = file
        self.holder = holder
    }
}
