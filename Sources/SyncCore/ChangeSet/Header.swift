/// The signed part of a change set: it names everything else by hash.
package struct Header: Equatable, Sendable {
    /// What is shared as a whole.
    package var space: Identifier
    /// The device that signed.
    package var device: Identifier
    /// The incarnation of its database.
    package var replica: Identifier
    /// 1, 2, 3 … for each (space, replica), without a gap.
    package var sequence: UInt64
    /// The hash of this replica's previous sealed set, zero for the first.
    package var previous: Digest
    /// The least and the greatest stamp time in the body.
    package var stamps: ClosedRange<UInt64>
    /// How many cells the body holds.
    package var cellCount: Int
    /// The body as sent.
    package var bodyHash: Digest
    /// Bytes of the body as sent.
    package var bodyByteCount: Int
    /// Bytes of the body when decompressed.
    package var decodedByteCount: Int
    /// The server history that the writer had merged.
    package var seen: LogPosition
    /// The chunks that the body refers to, in its order, each once.
    package var chunks: [ChunkName] = []
    /// How the body is encoded.
    package var encoding: Encoding = .plain
    /// Whether body and chunks are for members only.
    package var isEncrypted = false
    /// Header keys that a reader must understand.
    package var critical: [UInt64] = []

    /// How a body is encoded.
    package enum Encoding: UInt64, Sendable {
        case plain = 0
        case zstandard = 1
    }
}

/// A chunk by hash, with its size so that a reader knows what it asks for.
package struct ChunkName: Hashable, Sendable {
    /// The SHA-256 of the chunk's bytes.
    package let hash: Digest
    /// How many bytes it has.
    package let byteCount: Int
}

/// A place in a space's log: the incarnation of the server's history and a position in it.
public struct LogPosition: Hashable, Sendable {
    /// The incarnation; zero before any contact.
    public let epoch: Identifier
    /// 0 before the first entry.
    public let position: UInt64

    /// Before any contact with a server.
    public static let none = LogPosition(epoch: .zero, position: 0)

    package init(epoch: Identifier, position: UInt64) {
        self.epoch = epoch
        self.position = position
    }
}

extension Header {
    /// The deterministic CBOR of the header.
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
