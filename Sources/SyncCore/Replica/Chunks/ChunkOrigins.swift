/// Which chunks this device may send to the server of a space.
///
/// A member can name any hash, and ask the server for it. So a chunk goes only to the space that it came
/// from, and to those in which this device has sealed a set that names it.
extension Chunks {
    /// Returns the sound bytes of a chunk that the server of a space lacks; nil if it may not have them
    /// from this device.
    package func bytes(_ hash: Digest, for space: Identifier) throws -> [UInt8]? {
        let number = try spaces.number(ofSpace: space)
        guard try isFrom(number, hash) || isSealed(hash, in: number) else { return nil }
        return try soundBytes(hash)
    }

    /// Returns the sound chunks that another device's set names, as far as they came from its space.
    func bytes(namedByOther upload: Upload, in space: Int64) throws -> [[UInt8]] {
        try upload.header.chunks.map(\.hash).filter { try isFrom(space, $0) }
            .compactMap(soundBytes)
    }

    private func isFrom(_ space: Int64, _ hash: Digest) throws -> Bool {
        try database.first("SELECT 1 FROM chunk WHERE hash = \(hash) AND space = \(space)") { _ in
            true
        } ?? false
    }

    /// Whether a set that this device sealed in a space names a chunk, itself or by a manifest.
    private func isSealed(_ hash: Digest, in space: Int64) throws -> Bool {
        var isNamed = false
        try database.each("SELECT upload FROM sealed WHERE space = \(space) AND own = 1") { row in
            guard !isNamed, let upload = try? Upload(parsing: row.blob(0)) else { return }
            let named = upload.header.chunks.map(\.hash)
            isNamed = try named.contains(hash) || named.contains { try lists($0, hash) }
        }
        return isNamed
    }

    /// Whether a chunk is a manifest that lists another one.
    private func lists(_ manifest: Digest, _ hash: Digest) throws -> Bool {
        let isManifest = try database.first(
            """
            SELECT 1 FROM chunk
            WHERE hash = \(manifest) AND kind = \(Int64(Chunk.Kind.manifest.rawValue))
            """
        ) { _ in true }
        guard isManifest == true, let bytes = try soundBytes(manifest),
            let content = try? ChunkManifest(chunk: bytes)
        else { return false }
        return content.chunks.contains { $0.hash == hash }
    }
}
