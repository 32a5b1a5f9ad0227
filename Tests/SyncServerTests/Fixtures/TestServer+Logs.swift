import Testing

@testable import SyncCore
@testable import SyncServer

extension TestServer {
    func head(of space: Identifier) async throws -> UInt64 {
        try await store.page(of: space, after: 0, for: nil, byteLimit: 1).head
    }

    /// Puts sets of another log into this one, as only the server itself can.
    func take(
        _ count: Int,
        after position: UInt64,
        from other: TestServer,
        in space: Identifier,
        as judged: Verdict? = nil
    ) async throws {
        let page = try await other.store.page(
            of: space,
            after: position,
            for: nil,
            byteLimit: .max
        )
        for bytes in page.entries.prefix(count) {
            let entry = try ParsedEntry(bytes)
            let (upload, verdict) = (entry.upload, entry.verdict)
            var question = LogQuestion(space: space, asker: nil)
            question.insert(upload, [:])
            _ = try await store.decide(question, at: clock.wall) {
                $0.returnReplica(of: upload)
                $0.sign(upload, entry.entry.headSignature)
                return $0.appendSet(upload, body: entry.entry.body, judged ?? verdict, "")
            }
        }
    }
}
