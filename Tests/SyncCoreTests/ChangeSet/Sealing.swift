@testable import SyncCore

/// One space, one device and what they seal.
struct Sealing {
    static let space = Identifier(number: 0x5a)
    static let device = Identifier(number: 0xde)
    static let replica = Identifier(number: 0x4e)

    static let spaceKeys = SpaceKeys(
        space: space,
        secrets: [1: Secret(bytes: [UInt8](repeating: 1, count: 32))]
    )
    static let deviceKeys = DeviceKeys(
        device: device,
        secrets: [1: Secret(bytes: [UInt8](repeating: 2, count: 32))]
    )

    static let seal = Seal(
        space: space,
        device: device,
        replica: replica,
        sequence: 1,
        previous: .zero,
        seen: .nothing
    )

    static func change(_ field: Text, _ value: Value, at time: UInt64 = 100) -> Change {
        Change(
            key: Key("track", .id(Identifier(number: 9)), field),
            cell: Cell(stamp: Stamp(time: time, replica: replica), value: value)
        )
    }

    static func sealed(_ changes: [Change]) throws -> Seal.Sealed {
        try seal(changes, space: spaceKeys, device: deviceKeys)
    }

    /// A header for a body that is sent plain.
    static func header(of body: [UInt8], cells: Int) -> Header {
        Header(
            space: space,
            device: device,
            replica: replica,
            sequence: 1,
            previous: .zero,
            stamps: 100...200,
            cellCount: cells,
            bodyHash: Digest(of: body),
            bodyByteCount: body.count,
            decodedByteCount: body.count,
            seen: .nothing
        )
    }

    /// The upload that signs any bytes as a header.
    static func upload(
        header: [UInt8],
        space: SpaceKeys = spaceKeys,
        device: DeviceKeys = deviceKeys
    ) throws -> [UInt8] {
        guard let spaceKey = space.macKey(epoch: 1), let deviceKey = device.macKey(epoch: 1)
        else { throw SealError.nothing }
        let inner = Envelope.seal(header, with: spaceKey, epoch: 1, for: .space)
        return Envelope.seal(inner, with: deviceKey, epoch: 1, for: .device)
    }

    /// Opens a plain body under a header that is signed as it should be.
    static func open(_ body: [UInt8], cells: Int) throws -> [Change] {
        let upload = try Upload(parsing: upload(header: header(of: body, cells: cells).encoded))
        return try ChangeSet(opening: upload, body: body, with: spaceKeys).changes
    }
}
