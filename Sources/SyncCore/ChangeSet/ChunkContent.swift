extension Chunk {
    /// The decoded content of a chunk.
    package enum Content: Sendable {
        case manifest(ChunkManifest)
        case wraps(KeyWraps)
        case rows(RowSnapshot)
        case samples(Samples)
        /// A piece of the original file that tracks were imported from.
        case file([UInt8])
        /// Of a kind that this program does not know.
        case unknown

        /// The samples, or an empty array for other content.
        package var samples: Samples {
            if case .samples(let samples) = self { samples } else { [] }
        }
    }

    /// Decodes an untrusted chunk of any kind, and checks the rules of its kind.
    package static func content(of bytes: [UInt8]) throws(ChunkError) -> Content {
        guard bytes.count <= byteLimit else { throw .tooLarge }
        guard let kind = kind(of: bytes) else { throw .unknownEncoding(bytes.first) }
        switch kind {
        case .manifest: return .manifest(try ChunkManifest(chunk: bytes))
        case .wraps: return .wraps(try KeyWraps(chunk: bytes))
        case .rows: return .rows(try RowSnapshot(chunk: bytes))
        case .samples: return .samples(try unpack(bytes))
        case .file: return .file(try file(in: bytes))
        default: return .unknown
        }
    }
}
