internal import SyncCore

// The schemas of the protocol's JSON messages; members match the properties of the types.

extension DeviceList {
    static let schema = Schema.object([
        "devices": .list(
            of: .object(["id": .identifier, "name": .text, "enrolled": .time, "isRevoked": .flag])
        )
    ]).named("DeviceList")
}

extension SpaceList {
    static let schema = Schema.object([
        "spaces": .list(
            of: .object([
                "id": .identifier, "role": .choice(Role.allCases.map(\.rawValue)), "head": .count,
            ])
        )
    ]).named("SpaceList")
}
