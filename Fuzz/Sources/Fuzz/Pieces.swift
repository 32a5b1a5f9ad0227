import SyncCore

/// An input in pieces of 1 to 32 bytes as a socket might give them, the same for the same input.
struct Pieces: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    private var random: SplitMix64

    init(of input: [UInt8]) {
        rest = input[...]
        random = SplitMix64(seed: input.reduce(UInt64(input.count)) { $0 &* 31 &+ UInt64($1) })
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let piece = rest.prefix(1 + Int(random.next() % 32))
        rest = rest.dropFirst(piece.count)
        return piece
    }
}
