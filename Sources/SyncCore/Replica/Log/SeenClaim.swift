/// What the author of a set says that the server's log was: its ``Seen``.
struct SeenClaim: Hashable {
    /// The replica that sealed the set; nil for what this database itself merged before.
    let replica: Identifier?
    var ending: LogEnding
    /// When this database first met the claim, by the wall clock.
    let since: UnixTime

    /// In the place of a replica's number in `log_claim`: what this database merged before.
    static let ownNumber: Int64 = 0
    /// In the place of a replica's number in `log_claim`: what the server names as predecessors.
    static let serverNumber: Int64 = -1

    /// The log, and whose claim it is.
    struct Source: Hashable {
        let replica: Identifier?
        let epoch: Identifier
    }

    var source: Source { Source(replica: replica, epoch: ending.position.epoch) }

    /// The order in which a control set names logs: the newest first, the same on every run.
    static func isNewer(_ first: SeenClaim, _ second: SeenClaim) -> Bool {
        (first.since, first.ending.position.position, first.ending.position.epoch)
            > (second.since, second.ending.position.position, second.ending.position.epoch)
    }

    /// The words for a log that differs at a position which both know.
    var otherEntries: String { "\(author) was shown other entries" }

    /// The words for a log that nobody who knows it has accepted.
    var otherLog: String { "\(author) was shown the log of epoch \(ending.position.epoch)" }

    /// The words for entries that this database was not shown.
    var laterEntries: String {
        "replica \(replica ?? .zero) has seen position \(ending.position.position)"
    }

    private var author: String { replica.map { "replica \($0)" } ?? "this device" }
}

/// The epochs that lead to the present log of a space.
struct LogLine {
    /// The epoch of the present log.
    let epoch: Identifier
    /// Where the present log goes on from an earlier one, by epoch, as the server names it.
    let past: [Identifier: UInt64]
    /// Epochs that a `server` action names as predecessors.
    let accepted: Set<Identifier>

    init(to epoch: Identifier, past: [LogEnding], _ chain: ControlChain) {
        self.epoch = epoch
        self.past = Dictionary(past.map { ($0.position.epoch, $0.position.position) }) { $1 }
        var accepted: Set<Identifier> = []
        var open = [epoch] + past.map(\.position.epoch)
        while let next = open.popLast() {
            let named = chain.serverEpochs[next, default: []].map(\.position.epoch)
            open += named.filter { accepted.insert($0).inserted }
        }
        self.accepted = accepted
    }

    /// How much of a log the present one has.
    enum Extent: Equatable {
        /// All up to a position.
        case upTo(UInt64)
        /// Nothing that could be compared.
        case nothing
        /// Nobody has said that the log belongs to this server.
        case unknown
    }

    /// The logs that nobody has accepted as predecessors.
    func unknown(in logs: [LogEnding]) -> [LogEnding] {
        logs.filter { extent(of: $0.position.epoch) == .unknown }
    }

    func extent(of epoch: Identifier) -> Extent {
        if epoch == self.epoch { return .upTo(.max) }
        if let end = past[epoch] { return .upTo(end) }
        return accepted.contains(epoch) ? .nothing : .unknown
    }
}
