extension Chunk {
    /// What a chunk holds, 1 to 15.
    ///
    /// Chunks are fetched in ascending order of their kinds: first what others depend on. A kind
    /// that this program does not know is stored and passed on within the common limits.
    package struct Kind: RawRepresentable, Hashable, Comparable, Sendable {
        package let rawValue: UInt8

        package init?(rawValue: UInt8) {
            guard Self.numbers.contains(rawValue) else { return nil }
            self.rawValue = rawValue
        }

        private static let numbers: ClosedRange<UInt8> = 1...15

        private init(known rawValue: UInt8) { self.rawValue = rawValue }

        /// A list of chunks that is too long for a header: a ``ChunkManifest``.
        package static let manifest = Kind(known: 1)
        /// Keys of a space, each encrypted for one device: ``KeyWraps``.
        package static let wraps = Kind(known: 2)
        /// Cells of many replicas, as of one position of the log.
        package static let rows = Kind(known: 3)
        /// Samples of a track, 1 to 4,096.
        package static let samples = Kind(known: 4)
        /// A piece of a file, 1 byte to 1 MiB.
        package static let file = Kind(known: 5)

        /// Whether this program reads chunks of the kind.
        package var isKnown: Bool { self <= .file }

        package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }
}
