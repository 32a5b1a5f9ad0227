internal import SyncCore

extension Service {
    var spaceRoutes: [Route] {
        [
            Route("GET", "/v1/spaces", name: "space.list") { context in
                let caller = try await authenticator.caller(of: context)
                let spaces = try await store.spaces(of: caller.user).map {
                    SpaceRecord(id: $0.space.description, role: $0.role.name, head: $0.head)
                }
                return HTTPResponse(200, json: SpaceList(spaces: spaces))
            },
            Route("PUT", "/v1/spaces/{space}", name: "space.create") { context in
                let caller = try await authenticator.caller(of: context)
                let space = try context.identifier("space")
                try await Problem.translating {
                    try await store.createSpace(space, owner: caller.user)
                }
                return HTTPResponse(204)
            },
        ]
    }
}
