/// Sets that did not count when they came, and on which an admin decides.
extension ControlChain {
    /// The decision of an owner or admin about a held set.
    package enum HeldDecision: Hashable, Sendable {
        /// The set counts.
        case adopted
        /// The set never counts.
        case declined
    }

    /// The most held sets that one control set decides on, so that a server can check them all at once.
    package static let decisionLimit = 64

    /// Decides on held sets, which need not be in the log yet: a server that was refilled has the
    /// control sets before them.
    mutating func decide(
        on sets: [SetReference],
        _ decision: HeldDecision,
        by set: ControlSet
    ) throws(ControlError) {
        try requireRole(.admin, of: set.author)
        guard set.decided.count <= Self.decisionLimit else { throw .forbidden(.decision) }
        for reference in sets {
            guard decisions[reference] == nil else { throw .forbidden(.decision) }
            decisions[reference] = decision
        }
    }

    /// What was decided on a set; nil if nothing was.
    package func decision(on upload: Upload) -> HeldDecision? {
        decisions[SetReference(of: upload)]
    }
}

extension ControlSet {
    /// The held sets that it adopts.
    package var adopted: [SetReference] {
        body.actions.flatMap { action in
            guard case .adopt(let sets) = action else { return [SetReference]() }
            return sets
        }
    }

    /// The held sets that it adopts or declines.
    package var decided: [SetReference] {
        body.actions.flatMap { action in
            guard case .decline(let sets) = action else { return [SetReference]() }
            return sets
        } + adopted
    }
}

extension SetReference {
    package init(of upload: Upload) { self.init(upload.header, hash: upload.hash) }

    init(_ header: Header, hash: Digest) {
        self.init(replica: header.replica, sequence: header.sequence, hash: hash)
    }
}
