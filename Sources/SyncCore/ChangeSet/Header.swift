/// The signed header of a change set, which names the body and the chunks by hash.
package struct Header: Equatable, Sendable {
    package var space: Identifier
    package var device: Identifier
    package var replica: Identifier
    /// The number of the set within its (space, replica): 1, 2, 3 … without gaps.
    package var sequence: UInt64
    /// The hash of the replica's previous set in this space; zero for the first.
    package var previous: Digest
    /// The lowest and the highest stamp time in the body.
    package var stamps: ClosedRange<UInt64>
    package var cellCount: Int
    /// The SHA-256 of the body as sent.
    package var bodyHash: Digest
    /// The size of the body as sent, in bytes.
    package var bodyByteCount: Int
    /// The size of the decompressed body, in bytes.
    package var decodedByteCount: Int
    /// What the writer had merged when it sealed.
    package var seen: Seen
    /// The chunks that the body names, in its order, each once.
    package var chunks: [ChunkName] = []
    package var encoding: Encoding = .plain
    /// Whether body and chunks are encrypted for the members; not supported yet.
    package var isEncrypted = false
    /// The header keys that a reader must support to merge the set.
    package var critical: [UInt64] = []
    /// The place of a control set in the control chain; nil for any other set.
    package var control: ControlPlace?

    package enum Encoding: UInt64, Sendable {
        case plain = 0
        case zstandard = 1
    }
}

extension Header {
    /// Whether bytes are the body that the header names.
    package func isBody(_ bytes: [UInt8]) -> Bool {
        bytes.count == bodyByteCount && Digest(of: bytes) == bodyHash
    }
}

/// The server's history and the control chain as a writer had merged them.
package struct Seen: Hashable, Sendable {
    package var position: LogPosition
    /// The log's chain hash at the position; zero at position 0.
    package var chain: Digest
    /// The number of control sets that the writer had merged.
    package var controls: UInt64

    package init(position: LogPosition, chain: Digest, controls: UInt64) {
        (self.position, self.chain, self.controls) = (position, chain, controls)
    }

    /// The view of a writer that has merged nothing.
    package static let nothing = Seen(position: .none, chain: .zero, controls: 0)
}

/// The place of a control set in its space's control chain.
package struct ControlPlace: Hashable, Sendable {
    /// The number of the control sets before it.
    package let index: UInt64
    /// The hash of the control set before it; zero for the first.
    package let previous: Digest

    package init(index: UInt64, previous: Digest) {
        (self.index, self.previous) = (index, previous)
    }
}

/// A position in a space's log in one epoch of the server.
public struct LogPosition: Hashable, Sendable {
    /// The epoch of the server's history; zero before any contact.
    public let epoch: Identifier
    /// The position; 0 before the first entry.
    public let position: UInt64

    package init(epoch: Identifier, position: UInt64) {
        (self.epoch, self.position) = (epoch, position)
    }

    /// The cursor of a replica that has not merged anything.
    public static let none = LogPosition(epoch: .zero, position: 0)
}

/// The end of a log in an earlier epoch of a server.
package struct LogEnding: Hashable, Sendable {
    package let position: LogPosition
    /// The chain hash at the position.
    package let chain: Digest

    package init(position: LogPosition, chain: Digest) {
        (self.position, self.chain) = (position, chain)
    }
}

extension LogEnding {
    func encode(into encoder: inout CBOREncoder) {
        encoder.array(3)
        encoder.bytes(position.epoch.bytes)
        encoder.unsigned(position.position)
        encoder.bytes(chain.bytes)
    }

    init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.array(count: 3)
        self.init(
            position: LogPosition(
                epoch: try decoder.identifier(),
                position: try decoder.unsigned()
            ),
            chain: try decoder.digest()
        )
    }
}

extension Header {
    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, Self.format) { $0.unsigned($1) }
            map.add(1, space) { $0.bytes($1.bytes) }
            map.add(2, device) { $0.bytes($1.bytes) }
            map.add(3, replica) { $0.bytes($1.bytes) }
            map.add(4, sequence) { $0.unsigned($1) }
            map.add(5, previous) { $0.bytes($1.bytes) }
            map.add(6, list: [stamps.lowerBound, stamps.upperBound]) { $0.unsigned($1) }
            map.add(7, cellCount) { $0.unsigned($1) }
            map.add(8, bodyHash) {
                $0.array(3)
                $0.bytes($1.bytes)
                $0.unsigned(bodyByteCount)
                $0.unsigned(decodedByteCount)
            }
            map.add(9, seen) {
                $0.array(4)
                $0.bytes($1.position.epoch.bytes)
                $0.unsigned($1.position.position)
                $0.bytes($1.chain.bytes)
                $0.unsigned($1.controls)
            }
            map.add(10, list: chunks) { $1.encode(into: &$0) }
            map.add(11, encoding == .plain ? nil : encoding.rawValue) { $0.unsigned($1) }
            map.add(12, isEncrypted ? true : nil) { $0.bool($1) }
            map.add(13, list: critical) { $0.unsigned($1) }
            map.add(14, control) {
                $0.array(2)
                $0.unsigned($1.index)
                $0.bytes($1.previous.bytes)
            }
        }
    }

    /// The version of the format, header key 0.
    package static let format: UInt64 = 1
}
