internal import SyncCore

extension Service {
    var spaceRoutes: [Operation] {
        [
            signed(
                "GET",
                "/v1/spaces",
                name: "space.list",
                Description(
                    summary: "Lists the spaces that the caller is a member of",
                    gives: [.with(.json(SpaceList.schema))]
                )
            ) { _, caller in
                let spaces = try await store.spaces(of: caller.device.id).map {
                    SpaceRecord(id: $0.space.description, role: $0.role.rawValue, head: $0.head)
                }
                return HTTPResponse(200, json: SpaceList(spaces: spaces))
            }
        ]
    }
}
