internal import SyncCore

/// A row of the log as it is stored.
///
/// Its columns follow from each other, so that most damage can be repaired: the upload gives the
/// name; the name, the verdict and the link before give the link; the name and the verdict give the
/// receipt.
struct LogRow: Equatable, Sendable {
    let position: UInt64
    private(set) var replica: Identifier
    private(set) var sequence: UInt64
    private(set) var hash: Digest
    /// Nil for a number that is no verdict.
    private(set) var verdict: Verdict?
    private(set) var receipt: [UInt8]
    private(set) var chain: Digest
    /// Nil for a set that was damaged, until a device brings it.
    private(set) var upload: [UInt8]?
    let body: [UInt8]?

    func name(in space: Identifier) -> SetName {
        SetName(space: space, replica: replica, sequence: sequence, hash: hash)
    }

    /// Whether the set was damaged, and no device has brought it yet.
    var isLost: Bool { upload == nil }

    /// The set, or nil if it cannot be read.
    var set: Upload? { upload.flatMap { try? Upload(parsing: $0) } }

    /// Whether the link at this position is that of the row's name and verdict.
    func isLinked(in space: Identifier, after previous: Digest) -> Bool {
        link(in: space, after: previous) == chain
    }

    /// The link that follows `previous`, or nil without a verdict.
    func link(in space: Identifier, after previous: Digest) -> Digest? {
        verdict.map { LogChain.link(after: previous, name(in: space), $0) }
    }

    func hasReceipt(in space: Identifier, by receipts: MACKey) -> Bool {
        verdict.map { receipts.verifies(receipt, of: name(in: space).judged($0)) } ?? false
    }

    /// Whether the row is the entry that the log's chain of hashes has at its position.
    ///
    /// - Parameter set: what its upload is.
    func isSound(_ set: Upload?, in space: Identifier, after previous: Digest) -> Bool {
        isLinked(in: space, after: previous) && set?.name == name(in: space)
    }
}

extension LogRow {
    /// The row with another name, verdict, link or receipt; without its set if that is another one.
    fileprivate func corrected(
        _ name: SetName,
        _ verdict: Verdict,
        chain: Digest,
        receipt: [UInt8]
    ) -> LogRow {
        var row = self
        (row.replica, row.sequence, row.hash) = (name.replica, name.sequence, name.hash)
        (row.verdict, row.chain, row.receipt) = (verdict, chain, receipt)
        if set?.name != name { row.upload = nil }
        return row
    }

    /// The row with a set that a device brings.
    func with(_ set: Upload) -> LogRow {
        var row = self
        row.upload = set.bytes
        return row
    }

    /// The row without a set that cannot be read.
    var withoutGarbage: LogRow {
        guard isGarbled else { return self }
        var row = self
        row.upload = nil
        return row
    }

    private var isGarbled: Bool { upload != nil && set == nil }

    /// Whether the log's indexes have the row at another place.
    func hasOtherKeys(than row: LogRow) -> Bool {
        (replica, sequence, hash) != (row.replica, row.sequence, row.hash)
            || verdict != row.verdict
    }

    /// The verdicts that the row may have had, the stored one first.
    fileprivate var verdicts: [Verdict] {
        [verdict].compactMap(\.self)
            + [Verdict.accepted, .held, .refused].filter { $0 != verdict }
    }
}

/// What proves the entry at one position of a log.
struct LogPlace {
    let space: Identifier
    /// The link before the position, whether its own entry fits it, and the entries after the position.
    let previous: Digest
    let isPreviousLinked: Bool
    let next: [LogRow]
    let end: LogEnd?
    /// The key of the log's receipts, or nil if they are of another server.
    let receipts: MACKey?

    /// Returns a row with its damaged columns corrected, or nil if neither a link nor the receipt proves
    /// what they were.
    ///
    /// A link proves more: it says that the entry belongs here.
    func repaired(_ row: LogRow) -> LogRow? {
        let set = row.set.flatMap { $0.name.space == space ? $0.name : nil }
        let stored = row.name(in: space)
        let names = set == stored ? [stored] : [set, stored].compactMap(\.self)
        let candidates = names.flatMap { name in row.verdicts.map { (name, $0) } }
        for (name, verdict) in candidates {
            let link = LogChain.link(after: previous, name, verdict)
            guard link == row.chain || leadsOn(link) else { continue }
            return corrected(row, name, verdict, chain: link)
        }
        for (name, verdict) in candidates where verifies(row.receipt, of: name, verdict) {
            let link = LogChain.link(after: previous, name, verdict)
            // If the log goes on from the stored link, the one before is wrong.
            let isWrong = isPreviousLinked && !leadsOn(row.chain)
            return corrected(row, name, verdict, chain: isWrong ? link : row.chain)
        }
        return nil
    }

    private func corrected(
        _ row: LogRow,
        _ name: SetName,
        _ verdict: Verdict,
        chain: Digest
    ) -> LogRow {
        let receipt = receipts?.tag(of: name.judged(verdict)) ?? row.receipt
        return row.corrected(name, verdict, chain: chain, receipt: receipt)
    }

    private func verifies(
        _ receipt: [UInt8],
        of name: SetName,
        _ verdict: Verdict
    ) -> Bool {
        receipts?.verifies(receipt, of: name.judged(verdict)) ?? false
    }

    /// Whether the entries after a link lead from it to a link that is stored with one of them, or to
    /// the recorded end.
    private func leadsOn(_ link: Digest) -> Bool {
        var link = link
        for row in next {
            guard let found = row.link(in: space, after: link) else { return false }
            if found == row.chain { return true }
            link = found
        }
        return next.last.map { $0.position == end?.head } ?? true && link == end?.chain
    }
}
