internal import SyncCore

/// The sets of a request whose place in their replica is certain.
///
/// Any set that the log has covers itself and every set before it in its chain. For a server that
/// lost its master key and cannot verify their MACs, so do a signed head and a control set.
struct SignatureCover {
    private(set) var hashes: Set<Digest> = []

    /// - Parameter chain: the control chain, by which signatures count; nil if they do not.
    init(
        _ sets: [NamedSet],
        of space: Identifier,
        by chain: ControlChain?,
        in store: any LogStore
    ) async throws {
        let logged = try await store.certainSets(
            at: sets.map(\.upload.slot),
            in: space
        )
        let before = Dictionary(
            sets.map { ($0.upload.hash, $0.upload.header.previous) },
            uniquingKeysWith: { first, _ in first }
        )
        for set in sets
        where logged.contains(set.upload.hash) || chain.map({ Self.isSigned(set, $0) }) == true {
            var hash = set.upload.hash
            while let previous = before[hash], hashes.insert(hash).inserted { hash = previous }
        }
    }

    private static func isSigned(_ set: NamedSet, _ chain: ControlChain) -> Bool {
        let header = set.upload.header
        if set.upload.isControl {
            return chain.hash(ofFirst: header.seen.controls + 1) == set.upload.hash
        }
        guard let card = chain.cards[header.device]?.card, let signature = set.headSignature,
            let control = chain.hash(ofFirst: header.seen.controls)
        else { return false }
        return SignedHead(name: set.upload.name, device: header.device, control: control)
            .isSigned(by: card.keys.signing, signature)
    }
}
