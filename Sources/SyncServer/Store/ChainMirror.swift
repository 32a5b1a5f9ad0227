internal import SyncCore

/// The tables of a store that repeat what a space's control sets say.
///
/// They follow from the control sets in the log, and are kept so that a request need not read these.
struct ChainMirror: Sendable {
    var head = Digest.zero
    var count: UInt64 = 0
    /// The control sets, in their order.
    var sets: [Place] = []
    var members: [Identifier: Role] = [:]
    /// Who founded the space, and its kind.
    var founder: Identifier?
    var kind: SpaceKind?
    /// The devices and recovery codes that ever were in the space.
    var cards: [Identifier: Card] = [:]

    /// A card in the table of the space's cards and in that of all devices.
    struct Card: Sendable {
        let user: Identifier
        let isLive: Bool
        /// The user in the table of all devices; nil if the device is not in it.
        let deviceUser: Identifier?
        /// Whether the device is shut out of every space.
        let isRevoked: Bool
        /// Whether this server shuts the device out whatever the control sets say.
        let isShutOut: Bool

        /// Whether the tables have what a control chain says of a card.
        fileprivate func matches(_ known: ControlChain.KnownCard, in kind: SpaceKind?) -> Bool {
            guard user == known.card.user, deviceUser == user, isLive == known.isLive else {
                return false
            }
            // A shared space shuts a device out of itself alone.
            return isRevoked == (isShutOut || kind == .own && !isLive)
        }
    }

    /// The index of a control set, and its position in the log.
    struct Place: Equatable, Sendable {
        let index: UInt64
        let position: UInt64
    }

    /// Returns what is wrong, or nil.
    ///
    /// - Parameters:
    ///   - chain: the control chain of the log.
    ///   - positions: the positions of its control sets.
    func fault(against chain: ControlChain, at positions: [UInt64]) -> String? {
        let logged = positions.enumerated().map {
            Place(index: UInt64($0.offset), position: $0.element)
        }
        guard head == chain.head, count == chain.count, sets == logged else {
            return "the list of control sets is not that of the log"
        }
        guard members == chain.roles else {
            return "the members are not those of the control sets"
        }
        guard founder == chain.user, kind == chain.kind else {
            return "the founder is not that of the control sets"
        }
        guard cards.count == chain.cards.count,
            chain.cards.allSatisfy({ cards[$0]?.matches($1, in: kind) == true })
        else { return "the devices are not those of the control sets" }
        return nil
    }
}
