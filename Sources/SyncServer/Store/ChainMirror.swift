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
    /// The devices and recovery codes of the members.
    var cards: Set<Identifier> = []
    /// Those of ``cards`` that are shut out.
    var revoked: Set<Identifier> = []
    /// The devices that this server shuts out whatever the control sets say.
    var shutOut: Set<Identifier> = []

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
        let ended = chain.cards.filter { !$0.value.isLive }.keys
        guard cards == Set(chain.cards.keys), revoked == shutOut.union(ended) else {
            return "the devices are not those of the control sets"
        }
        return nil
    }
}
