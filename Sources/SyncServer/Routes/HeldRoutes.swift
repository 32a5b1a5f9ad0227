internal import SyncCore

extension Service {
    var heldRoutes: [Operation] {
        [
            signed(
                "GET",
                "/v1/spaces/{space}/held",
                name: "held",
                Description(
                    summary: "Returns held change sets to an admin, at most the oldest 1,000",
                    gives: [.with(.cbor)],
                    problems: [.forbidden]
                )
            ) { context, caller in
                let entries = try await store.held(
                    in: try context.identifier("space"),
                    for: caller.device.id,
                    byteLimit: RequestLimits.pageBytes
                )
                return HTTPResponse(cbor: EntriesReply(entries: entries).encoded)
            }
        ]
    }
}
