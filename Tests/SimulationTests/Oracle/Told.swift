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

    /// Whether an accepted change won over another one, and the log says it.
    ///
    /// A device that writes both again, because the log lost them, keeps the one that won. After a
    /// wrong clock was put right its stamp is earlier than both.
    func isBeaten(_ change: Change, in space: Identifier, _ log: ServerLog) throws -> Bool {
        try accepted.contains { name, item in
            guard name.space == space, let body = item.body else { return false }
            let upload = try Upload(parsing: item.upload)
            guard !upload.isControl else { return false }
            return try ChangeSet(logged: upload, body: body).changes.contains {
                $0.key == change.key && ServerLog.wins($0.cell, over: change.cell)
                    && log.values[$0.key]?.contains($0.cell.encoded) == true
            }
        }
    }
}
