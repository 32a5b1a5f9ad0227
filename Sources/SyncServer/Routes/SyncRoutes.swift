internal import SyncCore

extension Service {
    /// So many spaces in one request.
    private static let spaceLimit = 64
    /// Bytes of entries in a reply, unless the device asks for fewer.
    private static let pageByteLimit = 2 * 1024 * 1024

    var syncRoutes: [Route] {
        [
            Route("POST", "/v1/sync", name: "sync") { context in
                let caller = try await authenticator.caller(of: context)
                let request = try await Problem.translating {
                    try SyncRequest(decoding: context.request.body)
                }
                let items = request.spaces.reduce(0) { $0 + $1.items.count }
                guard request.spaces.count <= Self.spaceLimit, items <= SyncCore.Limits.setLimit
                else { throw Problem(.tooLarge, "too many spaces or sets in one request") }
                return try await sync(request, caller)
            }
        ]
    }

    private func sync(_ request: SyncRequest, _ caller: Caller) async throws -> HTTPResponse {
        var room = Self.pageByteLimit
        var reply = SyncReply(time: now(), spaces: [])
        for space in request.spaces {
            let answer = try await exchange(space, caller, byteLimit: max(room, 1))
            room -= answer.page?.entries.reduce(0) { $0 + $1.count } ?? 0
            reply.spaces.append(answer)
        }
        return HTTPResponse(
            200,
            headers: ["content-type": "application/cbor", "cache-control": "no-store"],
            body: reply.encoded
        )
    }

    /// One space's part: first what is pushed, then the page, so that the page has it already.
    ///
    /// A push that fails leaves the pull alone.
    private func exchange(
        _ request: SyncRequest.SpaceRequest,
        _ caller: Caller,
        byteLimit: Int
    ) async throws -> SyncReply.SpaceReply {
        var reply = SyncReply.SpaceReply(space: request.space)
        do {
            reply.results = try await push(request, caller)
            reply.held = try await store.head(
                of: request.replica,
                in: request.space,
                for: caller.user
            )
            guard request.cursor.epoch == store.epoch || request.cursor.position == 0 else {
                reply.problem = ProblemType.cursorReset.rawValue
                return reply
            }
            var page = try await store.page(
                of: request.space,
                after: request.cursor.position,
                for: caller.user,
                byteLimit: min(request.byteLimit ?? byteLimit, byteLimit)
            )
            page.fingerprint = await fingerprint(of: request.space, at: page)
            reply.page = page
        } catch {
            guard let problem = Problem.describing(error) as? Problem else { throw error }
            reply.problem = problem.type.rawValue
        }
        return reply
    }

    /// The view's fingerprint at the end of the log; without it the page is as good.
    private func fingerprint(of space: Identifier, at page: Page) async -> Fingerprint? {
        guard page.position == page.head else { return nil }
        do {
            return try await views.fingerprint(of: space, at: page.position)
        } catch {
            metrics.add(to: .viewFailures)
            return nil
        }
    }

    /// Verifies each item by itself, then appends the good ones; results are in order.
    private func push(
        _ request: SyncRequest.SpaceRequest,
        _ caller: Caller
    ) async throws -> [PushResult] {
        let keys = keys.deviceKeys(of: caller.device.id, epoch: caller.device.keyEpoch)
        let checked = request.items.map { item in
            PushedSet.check(item, in: request.space, by: keys)
        }
        let good = checked.compactMap { try? $0.get() }
        var judged = try await append(good, to: request.space, caller)[...]
        let results = checked.map { item in
            switch item {
            case .success: judged.popFirst() ?? .failed(.internal, 0)
            case .failure(let refusal): PushResult.failed(refusal.type, 0)
            }
        }
        count(results)
        return results
    }

    private func append(
        _ sets: [PushedSet],
        to space: Identifier,
        _ caller: Caller
    ) async throws -> [PushResult] {
        do {
            return try await store.append(sets, to: space, by: caller.device, at: now())
        } catch let error as DatabaseError where error.kind == .full {
            return sets.map { _ in .failed(.storageFull, 0) }
        }
    }

    private func count(_ results: [PushResult]) {
        for result in results {
            switch result {
            case .judged(_, let verdict, _):
                metrics.add(to: .judgedSets, ["verdict": "\(verdict)"])
            case .failed(let problem, _): metrics.add(to: .failedSets, ["problem": problem])
            }
        }
    }
}

extension Metric {
    static let judgedSets = Metric("wake_judged_sets_total", .counter, "Sets that were judged.")
    static let failedSets = Metric("wake_failed_sets_total", .counter, "Sets that were not taken.")
    static let viewFailures = Metric(
        "wake_view_failures_total",
        .counter,
        "Views that could not be fed and are built again."
    )
}

/// Why a push item is not a set of this device in this space.
struct PushRefusal: Error {
    let type: ProblemType
}

extension PushedSet {
    /// Checks everything about an item that needs no store: its outer MAC, its structure, the
    /// hashes of its body and chunks, and that it is this device's and this space's.
    static func check(
        _ item: [UInt8],
        in space: Identifier,
        by keys: DeviceKeys
    ) -> Result<PushedSet, PushRefusal> {
        do {
            let item = try PushItem(decoding: item[...])
            let upload = try Upload(parsing: item.upload)
            guard upload.header.device == keys.device, upload.header.space == space,
                let body = item.body
            else { return .failure(PushRefusal(type: .badEncoding)) }
            let set = try ChangeSet(relaying: upload, body: body, from: keys)
            let chunks = try chunksByHash(item.chunks)
            return .success(PushedSet(upload: upload, body: body, set: set, chunks: chunks))
        } catch ChangeSetError.badMAC, ChangeSetError.unknownKeyEpoch {
            return .failure(PushRefusal(type: .badMAC))
        } catch ChangeSetError.tooLarge, ChangeSetError.tooManyCells {
            return .failure(PushRefusal(type: .tooLarge))
        } catch ChangeSetError.unknownFormat, ChangeSetError.unknownCriticalKey {
            return .failure(PushRefusal(type: .upgradeRequired))
        } catch {
            return .failure(PushRefusal(type: .badEncoding))
        }
    }

    private static func chunksByHash(_ chunks: [[UInt8]]) throws -> [Digest: [UInt8]] {
        var byHash: [Digest: [UInt8]] = [:]
        for chunk in chunks {
            _ = try Chunk.unpack(chunk)
            byHash[Digest(of: chunk)] = chunk
        }
        return byHash
    }
}
