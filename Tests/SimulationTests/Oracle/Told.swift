@testable import SyncCore
@testable import SyncServer

/// What the server told devices of their sets: the promises that it has to keep.
struct Told {
    private(set) var accepted: [(name: SetName, item: PushItem)] = []
    private var known: Set<SetName> = []
    private(set) var longestRequest = 0

    mutating func note(_ request: HTTPRequest) {
        longestRequest = max(longestRequest, request.body.count)
    }

    /// Reads an answer as the device does that it reaches.
    mutating func note(_ response: HTTPResponse, to request: HTTPRequest) throws {
        guard request.path == "/v1/sync", response.status == 200,
            let reply = try? SyncReply(decoding: response.body)
        else { return }
        let asked = try SyncRequest(decoding: request.body)
        for (space, answer) in zip(asked.spaces, reply.spaces) {
            for (item, result) in zip(space.items, answer.results) {
                guard case .judged(_, .accepted, _) = result else { continue }
                let pushed = try PushItem(decoding: item[...])
                let name = try Upload(parsing: pushed.upload).name
                if known.insert(name).inserted { accepted.append((name, pushed)) }
            }
        }
    }

    /// What accepted sets wrote in a field.
    func changes(of key: Key, in space: Identifier) throws -> [Cell] {
        try accepted.filter { $0.name.space == space }.flatMap { _, item -> [Cell] in
            let upload = try Upload(parsing: item.upload)
            guard !upload.isControl, let body = item.body else { return [] }
            return try ChangeSet(logged: upload, body: body).changes.filter { $0.key == key }
                .map(\.cell)
        }
    }
}
