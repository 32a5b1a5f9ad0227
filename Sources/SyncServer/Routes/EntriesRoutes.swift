internal import SyncCore

extension Service {
    var entriesRoutes: [Operation] {
        [
            signed(
                "POST",
                "/v1/entries",
                name: "entries",
                Description(
                    summary: "Returns log entries again that a device could not use",
                    takes: Body(content: .cbor, byteLimit: RequestLimits.entriesBytes),
                    gives: [.with(.cbor)],
                    problems: [.notFound, .cursorReset]
                )
            ) { context, caller in
                let request = try context.cbor(EntriesRequest.init(decoding:))
                _ = try await store.lacking([], in: request.space, for: caller.device.id)
                guard request.epoch == store.epoch else {
                    throw Problem(.cursorReset, "the positions belong to another epoch")
                }
                let entries = try await store.entries(
                    of: request.space,
                    at: request.positions,
                    for: caller.device.id,
                    byteLimit: RequestLimits.pageBytes
                )
                return HTTPResponse(cbor: EntriesReply(entries: entries).encoded)
            }
        ]
    }
}
