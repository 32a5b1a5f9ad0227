/// The signed header of a change set, which names the body and the chunks by hash.
package struct Header: Equatable, Sendable {
    package var space: Identifier
    /// The device that sealed the set.
    package var device: Identifier
    /// The replica that sealed the set.
    package var replica: Identifier
    /// The number of the set within its (space, replica): 1, 2, 3 … without gaps.
    package var sequence: UInt64
    /// The hash of the replica's previous set in this space; zero for the first.
    package var previous: Digest
    /// The lowest and the highest stamp time in the body.
    package var stamps: ClosedRange<UInt64>
    /// The number of cells in the body.
    package var cellCount: Int
    /// The SHA-256 of the body as sent.
    package var bodyHash: Digest
    /// The size of the body as sent, in bytes.
    package var bodyByteCount: Int
    /// The size of the decompressed body, in bytes.
    package var decodedByteCount: Int
    /// The log position up to which the writer had merged when it sealed.
    package var seen: LogPosition
    /// The chunks that the body names, in its order, each once.
    package var chunks: [ChunkName] = []
    /// The compression of the body.
    package var encoding: Encoding = .plain
    /// Whether body and chunks are encrypted for the members; not supported yet.
    package var isEncrypted = false
    /// The header keys that a reader must support to merge the set.
    package var critical: [UInt64] = []

    /// The compression of a body.
    package enum Encoding: UInt64, Sendable {
        case plain = 0
        case zstandard = 1
    }
}

/// A chunk's hash and size, so that a reader knows the size before the download.
package struct ChunkName: Hashable, Sendable {
    package let hash: Digest
    /// The chunk's size in bytes.
    package let byteCount: Int
}

/// A position in a space's log in one epoch of the server.
public struct LogPosition: Hashable, Sendable {
    /// The epoch of the server's history; zero before any contact.
    public let epoch: Identifier
    /// The position; 0 before the first entry.
    public let position: UInt64

    /// The cursor of a replica that has not merged anything.
    public static let none = LogPosition(epoch: .zero, position: 0)

    package init(epoch: Identifier, position: UInt64) {
        self.epoch = epoch
        self.position = position
    }
}

extension Header {
    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(
            10
                + [!chunks.isEmpty, encoding != .plain, isEncrypted, !critical.isEmpty]
                .count { $0 }
        )
        encodeRequired(into: &encoder)
        if !chunks.isEmpty {
            encoder.unsigned(10)
            encoder.array(chunks.count)
            for chunk in chunks {
                encoder.array(2)
                encoder.bytes(chunk.hash.bytes)
                encoder.unsigned(chunk.byteCount)
            }
        }
        if encoding != .plain {
            encoder.unsigned(11)
            encoder.unsigned(encoding.rawValue)
        }
        if isEncrypted {
            encoder.unsigned(12)
            encoder.bool(true)
        }
        if !critical.isEmpty {
            encoder.unsigned(13)
            encoder.array(critical.count)
            for key in critical { encoder.unsigned(key) }
        }
        return encoder.bytes
    }

    private func encodeRequired(into encoder: inout CBOREncoder) {
        encoder.unsigned(0)
        encoder.unsigned(Self.format)
        for (key, id) in [space, device, replica].enumerated() {
            encoder.unsigned(key + 1)
            encoder.bytes(id.bytes)
        }
        encoder.unsigned(4)
        encoder.unsigned(sequence)
        encoder.unsigned(5)
        encoder.bytes(previous.bytes)
        encoder.unsigned(6)
        encoder.array(2)
        encoder.unsigned(stamps.lowerBound)
        encoder.unsigned(stamps.upperBound)
        encoder.unsigned(7)
        encoder.unsigned(cellCount)
        encoder.unsigned(8)
        encoder.array(3)
        encoder.bytes(bodyHash.bytes)
        encoder.unsigned(bodyByteCount)
        encoder.unsigned(decodedByteCount)
        encoder.unsigned(9)
        encoder.array(2)
        encoder.bytes(seen.epoch.bytes)
        encoder.unsigned(seen.position)
    }

    /// The version of the format, header key 0.
    package static let format: UInt64 = 1
}
