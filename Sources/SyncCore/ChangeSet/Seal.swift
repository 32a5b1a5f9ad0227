/// The header fields that are known before the changes are encoded.
///
/// Called as a function, it seals a change set.
package struct Seal: Sendable {
    package var space: Identifier
    package var device: Identifier
    package var replica: Identifier
    package var sequence: UInt64
    /// The hash of the replica's previous set in this space; zero for the first.
    package var previous: Digest
    /// What the replica has merged.
    package var seen: Seen

    package struct Sealed: Sendable, Equatable {
        /// The upload: header, inside the inner object, inside the outer object.
        package let upload: [UInt8]
        /// The body as sent, possibly compressed.
        package let body: [UInt8]
        /// The SHA-256 of the inner object.
        package let hash: Digest
    }

    /// Encodes and signs changes, which must fit the limits of one set (see ``batches(of:)``).
    package func callAsFunction(
        _ changes: [Change],
        space spaceKeys: SpaceKeys,
        device deviceKeys: DeviceKeys
    ) throws(SealError) -> Sealed {
        guard let spaceEpoch = spaceKeys.epoch, let spaceKey = spaceKeys.macKey(epoch: spaceEpoch)
        else { throw .noSpaceKey(space) }
        guard let deviceEpoch = deviceKeys.epoch,
            let deviceKey = deviceKeys.macKey(epoch: deviceEpoch)
        else { throw .noDeviceKey(device) }
        let times = changes.map(\.cell.stamp.time)
        guard let low = times.min(), let high = times.max() else { throw .nothing }
        let plain = Body.encode(changes, from: low)
        let (body, encoding) = plain.compressed()
        let header = Header(
            space: space,
            device: device,
            replica: replica,
            sequence: sequence,
            previous: previous,
            stamps: low...high,
            cellCount: changes.count,
            bodyHash: Digest(of: body),
            bodyByteCount: body.count,
            decodedByteCount: plain.bytes.count,
            seen: seen,
            chunks: Body.chunks(of: changes),
            encoding: encoding
        )
        let inner = Envelope.seal(header.encoded, with: spaceKey, epoch: spaceEpoch, for: .space)
        let upload = Envelope.seal(inner, with: deviceKey, epoch: deviceEpoch, for: .device)
        return Sealed(upload: upload, body: body, hash: Digest(of: inner))
    }

    /// Splits changes into batches that each fit one set.
    ///
    /// The changes are in stamp order, each after its proof, but those that `isLast` selects come after
    /// all others. They name large chunks, such as pieces of original files. A set is pushed together
    /// with its chunks, and these must not delay the rest.
    ///
    /// - Parameter proof: the change that a set with a given one must have too; nil if none.
    package static func batches(
        of changes: [Change],
        with proof: (Change) -> Change? = { _ in nil },
        isLast: (Change) -> Bool
    ) -> [[Change]] {
        var batches: [[Change]] = []
        var room = Room()
        var proven: Set<Key> = []
        let last = changes.filter(isLast)
        let first = last.isEmpty ? changes : changes.filter { !isLast($0) }
        let ordered = [first, last].flatMap { $0.sorted { $0.cell.stamp < $1.cell.stamp } }
        for change in ordered where !proven.contains(change.key) {
            let needed = proof(change)
            if batches.isEmpty || !room.takes(lacking(needed) + [change]) {
                batches.append([])
                (room, proven) = (Room(), [])
                _ = room.takes(lacking(needed) + [change])
            }
            batches[batches.count - 1] += lacking(needed) + [change]
            if let needed { proven.insert(needed.key) }

            func lacking(_ needed: Change?) -> [Change] {
                guard let needed, needed.key != change.key, !proven.contains(needed.key) else {
                    return []
                }
                return [needed]
            }
        }
        return batches
    }

    /// The unused part of the limits of one set.
    private struct Room {
        var cells = Limits.cellLimit
        /// Each change reserves the most that it can add to a body, which is sent plain if it does
        /// not get smaller.
        var bytes = Limits.bodyByteLimit - 64
        var chunks = Limits.chunkReferenceLimit
        var chunkBytes = Limits.chunkByteLimit
        private var collections: Set<Text> = []
        private var rows: Set<Key> = []
        private var fields: Set<Text> = []

        /// Reserves room for changes; returns false if they do not fit.
        mutating func takes(_ changes: [Change]) -> Bool {
            changes.allSatisfy { takes($0) }
        }

        private mutating func takes(_ change: Change) -> Bool {
            let name = change.key
            let reference = ChunkReference(change.cell)
            cells -= 1
            // A time, two indices, and the value. A head of a list or text takes up to 5 bytes.
            bytes -= 9 + 2 * 2 + change.cell.encoded.count
            if collections.insert(name.collection).inserted {
                bytes -= name.collection.utf8.count + 4 * 5
            }
            if rows.insert(name.rowName).inserted { bytes -= name.row.encoded.count }
            if fields.insert(name.field).inserted { bytes -= name.field.utf8.count + 2 * 5 }
            chunks -= reference == nil ? 0 : 1
            chunkBytes -= reference?.byteCount ?? 0
            return min(cells, bytes, chunks, chunkBytes) >= 0
        }
    }
}

/// Why changes cannot be sealed.
package enum SealError: Error, Equatable {
    /// This replica holds no key of this space.
    case noSpaceKey(Identifier)
    /// This device has no key, because it is not enrolled with a server yet.
    case noDeviceKey(Identifier)
    /// The list of changes is empty.
    case nothing
}
