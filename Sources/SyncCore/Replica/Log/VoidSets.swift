/// Accepted change sets of the log that no member merges: *void* ones.
///
/// They stay out of the base and are listed. The server has no space key and may count them.
struct VoidSets: ReplicaPart {
    let context: ReplicaContext

    /// What the column `pending` of a void set begins with; the reason follows.
    static let mark = "void "
    /// Why an honest server would not have accepted a set, whatever its keys.
    static let reasons: [ChangeSetError] = [.noCard, .notAllowed]
    /// Matches the column of a void set.
    static let pattern = "void %"

    /// Marks the sets that prove to be void now that the whole log and its control chain are merged.
    ///
    /// An honest server takes no set of a device without a card, nor what a role does not allow, and every
    /// device of the space has its key.
    func judge(in merge: inout LogMerge) throws {
        let unopened = "\(ChangeSetError.badMAC)"
        let reasons = [unopened] + Self.reasons.map { "\($0)" }
        for set in try sets(in: merge.number, where: reasons.contains)
        where try set.pending != unopened || isForged(set.upload, set.body, in: merge.number) {
            try database.run(
                "UPDATE sealed SET pending = \(Self.mark) || pending WHERE number = \(set.number)"
            )
            merge.breaches.append((.voidSet, Self.name(of: set.upload)))
        }
    }

    /// Returns the fingerprint of the base and the void sets together, as the server may have it; nil
    /// if one of these cannot be read.
    func fingerprint(with merge: LogMerge) throws -> Fingerprint? {
        var rows: [Key: (base: CellRecord, merged: CellRecord)] = [:]
        for set in try sets(in: merge.number, where: { $0.hasPrefix(Self.mark) }) {
            guard let columns = try? ChangeSet(logged: set.upload, body: set.body).cells else {
                return nil
            }
            for (row, places) in columns.placesOfRows {
                let name = columns.rows[row]
                if rows[name] == nil {
                    let stored = try self.rows.find(merge.number, name.collection, name.row)
                    rows[name] = (stored?.base ?? CellRecord(), stored?.base ?? CellRecord())
                }
                rows[name]?.merged.merge(ascending: columns.cells(at: places))
            }
        }
        var (fingerprint, digest) = (merge.fingerprint, CellDigest())
        for (name, row) in rows {
            fingerprint.replace(row.base, by: row.merged, of: name, &digest)
        }
        return fingerprint
    }

    /// Returns sets of the merged log that wait for some reason.
    private func sets(
        in space: Int64,
        where isMeant: (String) -> Bool
    ) throws -> [(number: Int64, upload: Upload, body: [UInt8], pending: String)] {
        try database.all(
            """
            SELECT number, upload, body, pending FROM sealed WHERE space = \(space)
                AND pending IS NOT NULL AND +position IS NOT NULL AND body IS NOT NULL
            """
        ) { (try sets.queuedSet($0), $0.text(3)) }
        .filter { isMeant($0.1) }.map { ($0.number, $0.upload, $0.body, $1) }
    }

    /// Whether a set that does not open with the key that it names is signed with no key of the space.
    ///
    /// The own copy of the key is the chain's, since ``SealedSets/open(_:body:)`` has it restored
    /// otherwise. But the control chain may have lost the epoch.
    private func isForged(_ upload: Upload, _ body: [UInt8], in space: Int64) throws -> Bool {
        let chain = try controls.chain(ofSpace: space)
        guard let epoch = upload.macs?.inner.keyEpoch, epoch <= chain.epochs.count,
            try spaces.keys(of: chain.space).secrets[epoch] != nil
        else { return false }
        return try spaces.lostKeys(of: chain.space).allSatisfy {
            (try? ChangeSet(opening: upload, body: body, with: $0)) == nil
        }
    }

    /// What a breach says of a set.
    static func name(of upload: Upload) -> String {
        let header = upload.header
        return "\(header.replica)/\(header.sequence) of device \(header.device)"
    }
}

extension ReplicaPart {
    var voidSets: VoidSets { VoidSets(context: context) }
}
