internal import SyncCore

/// A row of the log as it is stored.
///
/// Its columns follow from each other, so that most damage can be put right: the upload gives the
/// name; the name, the judgement and the link before give the link; the name and the judgement give
/// the receipt.
struct LogRow: Equatable, Sendable {
    let position: UInt64
    private(set) var replica: Identifier
    private(set) var sequence: UInt64
    private(set) var hash: Digest
    /// Nil for a number that is no verdict.
    private(set) var verdict: Verdict?
    private(set) var receipt: [UInt8]
    private(set) var chain: Digest
    /// Nil for an adoption, and for a set that was damaged until a device brings it.
    private(set) var upload: [UInt8]?
    let body: [UInt8]?
    /// The device that adopted the set; nil for any other entry.
    private(set) var admin: Identifier?

    func name(in space: Identifier) -> SetName {
        SetName(space: space, replica: replica, sequence: sequence, hash: hash)
    }

    /// Nil for a number that is no verdict.
    var judgement: SetName.Judgement? {
        admin.map { .adopted(admin: $0) } ?? verdict.map { .verdict($0) }
    }

    var isAdoption: Bool { admin != nil && upload == nil }

    /// Whether the set was damaged, and no device has brought it yet.
    var isLost: Bool { admin == nil && upload == nil }

    /// The set, or nil if it cannot be read.
    var set: Upload? { upload.flatMap { try? Upload(parsing: $0) } }

    /// Whether the link at this position is that of the row's name and judgement.
    func isLinked(in space: Identifier, after previous: Digest) -> Bool {
        link(in: space, after: previous) == chain
    }

    /// The link that follows `previous`, or nil without a judgement.
    func link(in space: Identifier, after previous: Digest) -> Digest? {
        judgement.map { LogChain.link(after: previous, name(in: space), $0) }
    }

    func hasReceipt(in space: Identifier, by receipts: MACKey) -> Bool {
        judgement.map { receipts.verifies(receipt, of: name(in: space).judged($0)) } ?? false
    }

    /// Whether the row is the entry that the log's chain of hashes has at its position.
    ///
    /// - Parameter set: what its upload is.
    func isSound(_ set: Upload?, in space: Identifier, after previous: Digest) -> Bool {
        guard isLinked(in: space, after: previous) else { return false }
        return admin == nil ? set?.name == name(in: space) : isAdoption
    }
}

extension LogRow {
    /// Returns the entry without what was damaged of it, or nil if nothing proves what it was.
    ///
    /// Proof is the link at this position, or the receipt. An upload that is not the proven set is
    /// left out.
    ///
    /// - Parameter isNext: whether a digest is the link that the log goes on from.
    func mended(
        in space: Identifier,
        after previous: Digest,
        by receipts: MACKey,
        isNext: (Digest) throws -> Bool
    ) rethrows -> LogRow? {
        let set = set
        let names = [set?.name, name(in: space)].compactMap(\.self).filter { $0.space == space }
        for name in names {
            for judgement in judgements {
                let link = LogChain.link(after: previous, name, judgement)
                let isProven = try link == chain || isNext(link)
                let hasReceipt = receipts.verifies(receipt, of: name.judged(judgement))
                guard isProven || hasReceipt else { continue }
                var row = self
                (row.replica, row.sequence, row.hash) = (name.replica, name.sequence, name.hash)
                row.judge(judgement)
                row.receipt = receipts.tag(of: name.judged(judgement))
                if set?.name != name { row.upload = nil }
                // Else the link before is the one that is wrong.
                if try isProven || !isNext(chain) { row.chain = link }
                return row
            }
        }
        return nil
    }

    /// The judgements that the row may have had, the stored one first.
    private var judgements: [SetName.Judgement] {
        let verdicts: [Verdict] = [.accepted, .held, .refused]
        if isAdoption { return [judgement].compactMap(\.self) }
        return ([verdict].compactMap(\.self) + verdicts).map { .verdict($0) }
    }

    private mutating func judge(_ judgement: SetName.Judgement) {
        switch judgement {
        case .verdict(let verdict): (self.verdict, admin) = (verdict, nil)
        case .adopted(let admin): (verdict, self.admin) = (.accepted, admin)
        }
    }

    /// The row without its set, which a device must bring.
    var lost: LogRow {
        var row = self
        (row.upload, row.admin) = (nil, isAdoption ? admin : nil)
        return row
    }

    /// The row with a set that a device brings.
    func with(_ set: Upload) -> LogRow {
        var row = self
        row.upload = set.bytes
        return row
    }

    /// Whether the row has another place in the log's indexes.
    func isElsewhere(than row: LogRow) -> Bool {
        (replica, sequence, hash) != (row.replica, row.sequence, row.hash)
            || (verdict, admin) != (row.verdict, row.admin)
    }
}
