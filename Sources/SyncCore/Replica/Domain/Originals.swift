/// The files that tracks were imported from.
package struct Originals: ReplicaPart {
    package let context: ReplicaContext

    /// Stores the file of an existing track, unless it is stored already.
    package func keep(
        _ use: OriginalUse,
        of track: Identifier,
        in space: Identifier,
        now: Moment
    ) throws {
        guard try find(of: track, in: space) == nil else { return }
        let place = try address(track, in: space)
        try rows.apply(try keep(use, of: place), in: place.space, at: now)
    }

    /// Stores the pieces if this track holds them, and returns the edits that name them and the
    /// file.
    func keep(_ use: OriginalUse, of place: RowAddress) throws -> [Edit] {
        let original = Original(use.file, holder: use.holder)
        var edits = [Edit(place.id, TrackField.original, original.value, origin: .file)]
        guard use.holder == place.id else { return edits }
        for (offset, chunk) in use.file.pieces {
            let reference = ChunkReference(toFile: chunk)
            let name = SampleName(stream: Original.stream(of: use.file.digest), index: offset)
            try chunks.insert(chunk, reference, for: place)
            try chunks.recordUse(of: reference, from: name, by: place)
            let key = Key(TrackField.original, .id(place.id), name.field)
            edits.append(Edit(key, reference.value, origin: .file))
        }
        return edits
    }

    /// Returns a track's file, or nil if it was recorded or has no stored file.
    package func find(of track: Identifier, in space: Identifier) throws -> Original? {
        Original(
            try rows.cells(TrackField.collection, .id(track), in: space)[TrackField.original]?.value
        )
    }

    /// Passes the bytes of a file to `take`, piece by piece.
    ///
    /// Throws ``OriginalError``. A wrong hash is detected only after the last piece.
    package func read(
        _ original: Original,
        in space: Identifier,
        _ take: ([UInt8]) throws -> Void
    ) throws {
        try readChunks(of: original, in: space) { _, _, bytes in try take(bytes) }
    }

    /// Returns a file as the chunks of its pieces; throws ``OriginalError``.
    func file(of original: Original, in space: Identifier) throws -> OriginalFile {
        var pieces: [(offset: Int, chunk: [UInt8])] = []
        try readChunks(of: original, in: space) { offset, chunk, _ in
            pieces.append((offset, chunk))
        }
        return OriginalFile(
            name: original.name,
            digest: original.digest,
            byteCount: original.byteCount,
            pieces: pieces
        )
    }

    private func readChunks(
        of original: Original,
        in space: Identifier,
        _ take: (_ offset: Int, _ chunk: [UInt8], _ bytes: [UInt8]) throws -> Void
    ) throws {
        let place = try address(original.holder, in: space)
        let stream = Original.stream(of: original.digest)
        let pieces = try pieces(of: place).filter { $0.first.stream == stream }
        let byOffset = Dictionary(pieces.map { ($0.first.index, $0) }) { first, _ in first }
        let digest = DigestBuilder()
        var offset = 0
        while offset < original.byteCount {
            guard let piece = byOffset[offset],
                let chunk = try chunks.readable(of: piece, in: place).flatMap(chunks.bytes),
                let bytes = try? Chunk.file(in: chunk)
            else { throw OriginalError.missing(offset: offset) }
            digest.add(bytes)
            try take(offset, chunk, bytes)
            offset += bytes.count
        }
        guard digest.finish() == original.digest else { throw OriginalError.damaged }
    }

    func pieces(of place: RowAddress) throws -> [ChunkUse] {
        let cells = try rows.find(place.space, TrackField.original, .id(place.id))?.cells ?? [:]
        return cells.compactMap { ChunkUse(field: $0, $1) }.filter { $0.reference.kind == .file }
    }
}
