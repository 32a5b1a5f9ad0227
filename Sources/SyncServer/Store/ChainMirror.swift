internal import SyncCore

/// What the tables of a store say of a space's control chain.
///
/// They follow from the control sets in the log, and are kept so that a request need not read these.
struct ChainMirror: Sendable {
    var head = Digest.zero
    /// The positions of the control sets in the log, in their order.
    var positions: [UInt64] = []
    var members: Set<Identifier> = []
    /// The devices and recovery codes of the members.
    var cards: Set<Identifier> = []
    /// Those of them that are shut out.
    var revoked: Set<Identifier> = []

    /// Returns what is wrong with the mirror of a chain, whose sets have these positions, or nil.
    func fault(against chain: ControlChain, at positions: [UInt64]) -> String? {
        guard head == chain.head, self.positions == positions else {
            return "the list of control sets is not that of the log"
        }
        guard members == Set([chain.user].compactMap(\.self)) else {
            return "the members are not those of the control sets"
        }
        let ended = chain.cards.filter { !$0.value.isLive }.keys
        guard cards.isSuperset(of: chain.cards.keys), revoked.isSuperset(of: ended) else {
            return "the devices are not those of the control sets"
        }
        return nil
    }
}
