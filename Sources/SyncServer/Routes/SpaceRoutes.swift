internal import SyncCore

extension Service {
    var spaceRoutes: [Operation] {
        [
            Operation(
                "GET",
                "/v1/spaces",
                name: "space.list",
                Description(
                    summary: "The spaces that the person who asks is a member of",
                    gives: [.with(.json(SpaceList.schema))]
                ),
                for: authenticator
            ) { _, caller in
                let spaces = try await store.spaces(of: caller.user).map {
                    SpaceRecord(id: $0.space.description, role: $0.role.name, head: $0.head)
                }
                return HTTPResponse(200, json: SpaceList(spaces: spaces))
            },
            Operation(
                "PUT",
                "/v1/spaces/{space}",
                name: "space.create",
                Description(
                    summary: "Makes a space of a name that the device chose; it can be repeated",
                    gives: [.done]
                ),
                for: authenticator
            ) { context, caller in
                try await store.createSpace(try context.identifier("space"), owner: caller.user)
                return HTTPResponse(204)
            },
        ]
    }
}
