/// What a replica knows when it seals: everything in a header but the changes.
package struct Seal: Sendable {
    /// What is shared as a whole.
    package var space: Identifier
    /// The device that signs.
    package var device: Identifier
    /// The incarnation of its database.
    package var replica: Identifier
    /// The sequence of the set to be made.
    package var sequence: UInt64
    /// The hash of the set before it.
    package var previous: Digest
    /// The server history merged so far.
    package var seen: LogPosition

    /// The signed bytes of one change set.
    package struct Sealed: Sendable, Equatable {
        /// The upload: outer object, inner object, header.
        package let upload: [UInt8]
        /// The body as sent.
        package let body: [UInt8]
        /// The set's hash.
        package let hash: Digest
    }

    /// Encodes and signs changes that fit the limits; see ``batches(of:)``.
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
        let packed = plain.count > Self.compressionThreshold ? Zstandard.compress(plain) : plain
        let body = packed.count < plain.count ? packed : plain
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
            decodedByteCount: plain.count,
            seen: seen,
            chunks: Body.chunks(of: changes.sorted { $0.key < $1.key }),
            encoding: packed.count < plain.count ? .zstandard : .plain
        )
        let inner = MACEnvelope.seal(header.encoded, with: spaceKey, epoch: spaceEpoch, for: .space)
        let upload = MACEnvelope.seal(inner, with: deviceKey, epoch: deviceEpoch, for: .device)
        return Sealed(upload: upload, body: body, hash: Digest(of: inner))
    }

    /// Bodies up to this many bytes are sent plain: compressing them gains nothing.
    private static let compressionThreshold = 200

    /// Cuts changes into runs, in stamp order, that each fit one set.
    ///
    /// Chunks travel with their sets, one after the other: nothing that a person wrote waits for one
    /// that `isLast` names.
    package static func batches(
        of changes: [Change],
        isLast: (Change) -> Bool
    ) -> [[Change]] {
        var batches: [[Change]] = []
        var room = Room()
        let last = changes.filter(isLast)
        let first = last.isEmpty ? changes : changes.filter { !isLast($0) }
        let ordered = [first, last].flatMap { $0.sorted { $0.cell.stamp < $1.cell.stamp } }
        for change in ordered {
            if batches.isEmpty || !room.takes(change) {
                batches.append([])
                room = Room()
                _ = room.takes(change)
            }
            batches[batches.count - 1].append(change)
        }
        return batches
    }

    /// What is left of the limits of one set.
    private struct Room {
        var cells = Limits.cellLimit
        var bytes = Limits.bodyByteLimit - 64
        var chunks = Limits.chunkReferenceLimit
        var chunkBytes = Limits.chunkByteLimit

        /// Whether the change still fits; if so, its share is gone.
        mutating func takes(_ change: Change) -> Bool {
            let name = change.key
            let reference = ChunkReference(change.cell)
            cells -= 1
            bytes -=
                name.collection.utf8.count + name.row.encoded.count + name.field.utf8.count
                + change.cell.encoded.count + 32
            chunks -= reference == nil ? 0 : 1
            chunkBytes -= reference?.byteCount ?? 0
            return min(cells, bytes, chunks, chunkBytes) >= 0
        }
    }
}

/// Why changes cannot be sealed.
package enum SealError: Error, Equatable {
    /// This replica holds no key of the space.
    case noSpaceKey(Identifier)
    /// This device was not enrolled with a server yet.
    case noDeviceKey(Identifier)
    /// There is nothing to seal.
    case nothing
}
