/// The outcome of ``Repairs/repair(at:)``.
package struct RepairOutcome: Equatable, Sendable {
    /// Chunks that the next sync fetches again.
    package var refetched = 0
    /// Rows, unsent changes and sets that were restored from each other.
    package var restored = 0
    /// Damaged chunks that no server has: their bytes were set aside.
    package var lost = 0
    /// Damaged runs of recorded samples that were deleted.
    package var lostRuns = 0
    /// Chunks whose summary and ends were recomputed.
    package var reread = 0
    /// Lines of the list of tracks that were recomputed.
    package var tracks = 0
    package var sets = 0
    /// Rows whose trash flag was corrected.
    package var trash = 0

    /// What was repaired, or nil if nothing was.
    package var words: String? {
        let counts = [
            (restored, "damaged records restored"), (refetched, "chunks to fetch again"),
            (reread, "chunks read again"), (lostRuns, "damaged parts of recordings deleted"),
            (tracks, "list entries rebuilt"), (sets, "sets added to the index of rows"),
            (trash, "trash entries corrected"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { "\($0.1): \($0.0)" }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

/// Repairs derived data, and requests damaged chunks from the server again.
package struct Repairs: ReplicaPart {
    package let context: ReplicaContext

    /// Restores damaged records, recomputes data derived from cells and chunks, and drops damaged
    /// bytes that the server has.
    package func repair(at now: UnixTime) throws -> RepairOutcome {
        var repaired = RepairOutcome()
        repaired.restored = try healing.healAll()
        let findings = try maintenance.chunkFindings()
        for hash in findings.damaged {
            let wraps = try chainUse(of: hash)
            if wraps == .leftOver {
                try chunks.delete(hash)
                repaired.restored += 1
            } else if try wraps == .inLog || isAtServer(hash) {
                try chunks.forgetBytes(of: hash)
                try markTracks(naming: hash)
                repaired.refetched += 1
            } else {
                try chunks.setAside(hash)
                repaired.lost += 1
            }
        }
        try repairUses(findings, &repaired)
        repaired.restored += try chunks.forgetStrayUses()
        for hash in findings.misread { try reread(hash) }
        repaired.reread = findings.misread.count
        for place in try maintenance.trackFindings().differing {
            observer.chunksChanged(of: place)
            repaired.tracks += 1
        }
        repaired.sets = try history.repairIndex()
        repaired.trash = try rows.repairTrash()
        repaired.lostRuns = try points.deleteLostTails()
        if let words = repaired.words { try events.record(.repaired, words, at: now) }
        return repaired
    }

    /// Requests chunks that are missing, and records which track uses those that are here.
    private func repairUses(_ findings: ChunkFindings, _ repaired: inout RepairOutcome) throws {
        for named in findings.forgotten { try chunks.want(named.piece.reference, for: named.place) }
        for named in findings.forgotten + findings.unrecorded {
            let piece = named.piece
            try chunks.recordUse(of: piece.reference, from: piece.first, by: named.place)
        }
        repaired.refetched += findings.forgotten.count
        repaired.restored += findings.unrecorded.count
    }

    /// What the control sets of this database say of a chunk of wraps.
    private enum ChainUse {
        /// It is the wraps of a control set of the log, which the server has.
        case inLog
        /// It is those of a control set that waits.
        case waiting
        /// It is those of none: of the space that the device had before it joined.
        case leftOver
    }

    /// Nil for a chunk of another kind.
    private func chainUse(of hash: Digest) throws -> ChainUse? {
        let kind = try database.first("SELECT kind FROM chunk WHERE hash = \(hash)") {
            $0.integer(0)
        }
        guard kind == Int64(Chunk.Kind.wraps.rawValue) else { return nil }
        let sets = try database.all(
            "SELECT upload, position IS NOT NULL FROM sealed WHERE control IS NOT NULL"
        ) { (try Upload(parsing: $0.blob(0)), $0.integer(1) == 1) }
        let users = sets.filter { $0.0.header.chunks.contains { $0.hash == hash } }
        if users.isEmpty { return .leftOver }
        return users.contains { $0.1 } ? .inLog : .waiting
    }

    /// Returns whether the server has the chunk: a base cell names it, or only a manifest lists it.
    private func isAtServer(_ hash: Digest) throws -> Bool {
        let users = try chunks.users(naming: hash)
        if users.isEmpty { return try isListed(hash) }
        return try users.contains { place in
            try rows.collectionNames(in: place.space).contains { collection in
                try rows.find(place.space, collection, .id(place.id))?.base.cells.values
                    .contains { ChunkReference($0.value)?.hash == hash } ?? false
            }
        }
    }

    /// Returns whether a sound manifest of the chunk's space lists the chunk.
    private func isListed(_ hash: Digest) throws -> Bool {
        let manifests = try database.all(
            """
            SELECT hash FROM chunk WHERE kind = \(Int(Chunk.Kind.manifest.rawValue))
                AND space = (SELECT space FROM chunk WHERE hash = \(hash))
            """
        ) { $0.digest(0) }
        return try manifests.contains { manifest in
            guard manifest != hash, let bytes = try chunks.soundBytes(manifest) else {
                return false
            }
            return try ChunkManifest(chunk: bytes).chunks.contains { $0.hash == hash }
        }
    }

    private func reread(_ hash: Digest) throws {
        let place = try database.first("SELECT space, track FROM chunk WHERE hash = \(hash)") {
            RowAddress(space: $0.integer(0), id: $0.id(1))
        }
        guard let place, let bytes = try chunks.bytes(hash) else { return }
        try chunks.insert(bytes, try Chunk.content(of: bytes), for: place)
        try markTracks(naming: hash)
    }

    private func markTracks(naming hash: Digest) throws {
        try chunks.users(naming: hash).forEach(observer.chunksChanged(of:))
    }
}
