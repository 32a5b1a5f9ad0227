import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

/// How a server can lie about a log without the key of a device.
enum Lie: CaseIterable {
    /// A body is another one.
    case body
    /// The fingerprint is another one.
    case fingerprint
    /// An entry is left out.
    case omission
    /// The last entry is left out, and with it all that the reply says of the end of the log.
    case omittedEnd
    /// Two entries change places.
    case order
    /// The reply is one of an earlier sync: the server withholds what is new, which nobody can notice
    /// until a later set names it.
    case replay
}

extension World {
    /// In some worlds the server lies to one device at the end, for one sync.
    ///
    /// The device must not think that it has everything; once the server is honest again, it has.
    func checkLiesAreTold() throws {
        guard schedule.seed % 4 == 1, lost.isEmpty, !isRolledBack else { return }
        let living = devices.filter { !$0.isGone && !$0.isKeptOut && $0.replica != nil }
        guard let victim = living.first,
            let author = living.first(where: { $0 !== victim && $0.person == victim.person }),
            let space = try ownSpace(of: victim)
        else { return }
        let lie = Lie.allCases[Int(schedule.seed / 4) % Lie.allCases.count]
        trace.note("the server lies to \(victim.name): \(lie)")
        let early = Locked<HTTPResponse?>(nil)
        try victim.sync(over: server.recording(into: early))
        for round in 1...3 {
            time.advance(by: 60_000)
            try author.write("\(round)", thenSyncWith: server)
        }
        let result = try? victim.sync(over: server.telling(lie, instead: early.withLock { $0 }))
        let end = result?.end
        let isEqual = try fingerprint(of: space, on: victim) == fingerprint(of: space, on: author)
        // A wrong fingerprint leaves the state right; a device that compares it repairs its base.
        let isNoticed = lie == .fingerprint ? result?.repaired != 0 : isEqual || lie == .replay
        if !isNoticed, end == .complete, try isContent(victim) {
            throw fail("\(victim.name) believes a lie about \(lie)")
        }
        for _ in 1...3 { try victim.sync(with: server) }
        guard try fingerprint(of: space, on: victim) == fingerprint(of: space, on: author) else {
            throw fail("\(victim.name) does not get over a lie about \(lie)")
        }
        let status = try victim.run { try await $0.read { try $0.maintenance.status() } }
        guard status?.pending == 0, status?.mismatches == 0, status?.isSent == true else {
            throw fail("\(victim.name) is not done after a lie about \(lie): \(status as Any)")
        }
        let told = try victim.run { try await $0.read { try $0.breaches.all() } } ?? []
        let faults =
            try victim.run { try await $0.read { try $0.maintenance.verify() }.faults } ?? []
        let proven = told.map(\.description)
        let unknown = try faults.first { try !proven.contains($0) && !isExcused($0, on: victim) }
        if let unknown { throw fail("after a lie about \(lie), \(victim.name) finds \(unknown)") }
        trace.note("  \(end.map { "\($0)" } ?? "no reply"), told: \(proven)")
    }

    /// Whether a device finds nothing wrong.
    private func isContent(_ device: SimulatedDevice) throws -> Bool {
        try device.run { replica in
            try await replica.read {
                let status = try $0.maintenance.status()
                return try status.pending == 0 && status.mismatches == 0
                    && $0.maintenance.verify().faults.isEmpty
            }
        } ?? true
    }
}

extension SimulatedServer {
    /// This server; the last reply to a sync is kept.
    fileprivate func recording(into kept: Locked<HTTPResponse?>) -> DirectTransport? {
        directly.map { server in
            DirectTransport { request in
                let response = await server.respond(request)
                if request.path == "/v1/sync" { kept.withLock { $0 = response } }
                return response
            }
        }
    }

    /// This server, but for a lie in its replies.
    fileprivate func telling(_ lie: Lie, instead early: HTTPResponse?) -> DirectTransport? {
        directly.map { server in
            DirectTransport { request in
                let response = await server.respond(request)
                guard response.status == 200 else { return response }
                if lie == .replay, request.path == "/v1/sync" { return early ?? response }
                return lie.told(in: response, to: request.path) ?? response
            }
        }
    }
}

extension Lie {
    /// A reply with the lie in it; nil where it has no place.
    fileprivate func told(in response: HTTPResponse, to path: String) -> HTTPResponse? {
        let bytes: [UInt8]
        switch path {
        case "/v1/sync":
            guard var reply = try? SyncReply(decoding: response.body) else { return nil }
            for index in reply.spaces.indices { tell(in: &reply.spaces[index]) }
            bytes = reply.encoded
        case "/v1/entries" where self == .body:
            guard var reply = try? EntriesReply(decoding: response.body) else { return nil }
            reply.entries = reply.entries.map(Self.withOtherBody)
            bytes = reply.encoded
        default: return nil
        }
        return HTTPResponse(200, headers: response.headers, body: bytes).digested
    }

    private func tell(in reply: inout SyncReply.SpaceReply) {
        guard var page = reply.page, page.entries.count > 1 else { return }
        switch self {
        case .body: page.entries[0] = Self.withOtherBody(page.entries[0])
        case .fingerprint: page.fingerprint = Fingerprint(bytes: [UInt8](repeating: 1, count: 32))
        case .omission: page.entries.removeFirst()
        case .omittedEnd:
            page.entries.removeLast()
            page.position -= 1
            page.head -= 1
        case .order: page.entries.swapAt(0, 1)
        case .replay: break
        }
        reply.page = page
    }

    private static func withOtherBody(_ bytes: [UInt8]) -> [UInt8] {
        guard var entry = try? LogEntry(decoding: bytes[...]), var body = entry.body else {
            return bytes
        }
        body[body.count / 2] ^= 4
        entry.body = body
        return entry.encoded
    }
}
