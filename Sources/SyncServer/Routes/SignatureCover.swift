internal import SyncCore

/// A set of a refill request, as far as a signature over it matters.
struct NamedSet {
    let upload: Upload
    let headSignature: Signature?

    /// Returns nil for an item that is malformed.
    init?(_ item: [UInt8]) {
        guard let refill = try? RefillItem(decoding: item[...]),
            let pushed = try? PushItem(decoding: refill.item[...]),
            let upload = try? Upload(parsing: pushed.upload)
        else { return nil }
        (self.upload, headSignature) = (upload, pushed.headSignature)
    }
}

/// The sets of a request that a signature of their device covers.
///
/// A server that lost its master key cannot verify their MACs. A signed head covers every set before
/// it in its chain, and so do a control set and any other set that the log has.
struct SignatureCover {
    private(set) var hashes: Set<Digest> = []

    init(
        _ sets: [NamedSet],
        of space: Identifier,
        by chain: ControlChain,
        in store: any LogStore
    ) async throws {
        let logged = try await store.predecessors(
            at: sets.map(\.upload.slot),
            in: space
        )
        let before = Dictionary(
            sets.map { ($0.upload.hash, $0.upload.header.previous) },
            uniquingKeysWith: { first, _ in first }
        )
        for set in sets
        where logged.contains(set.upload.hash) || Self.isSigned(set, chain) {
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
