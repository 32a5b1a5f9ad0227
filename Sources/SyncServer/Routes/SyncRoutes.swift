internal import SyncCore

extension Service {
    var syncRoutes: [Operation] {
        [
            signed(
                "POST",
                "/v1/sync",
                name: "sync",
                Description(
                    summary:
                        "Stores the device's change sets and returns new log entries, by space",
                    takes: Body(content: .cbor, byteLimit: SyncCore.Limits.requestByteLimit),
                    gives: [.with(.cbor)]
                )
            ) { context, caller in
                let request = try context.cbor(SyncRequest.init(decoding:))
                let items = request.spaces.reduce(0) { $0 + $1.items.count }
                guard request.spaces.count <= RequestLimits.spaces,
                    items <= SyncCore.Limits.setLimit
                else { throw Problem(.tooLarge, "too many spaces or sets in one request") }
                return try await sync(request, caller)
            }
        ]
    }

    private func sync(_ request: SyncRequest, _ caller: Caller) async throws -> HTTPResponse {
        var room = RequestLimits.pageBytes
        var budget = DecodingBudget()
        var reply = SyncReply(time: now(), spaces: [])
        for space in request.spaces {
            let answer = try await exchange(space, caller, &budget, byteLimit: max(room, 1))
            room -= answer.page?.entries.reduce(0) { $0 + $1.count } ?? 0
            reply.spaces.append(answer)
        }
        return HTTPResponse(cbor: reply.encoded)
    }

    /// Handles one space: stores the pushed sets, then reads the page, which so includes them.
    ///
    /// A set that fails does not prevent the pull.
    private func exchange(
        _ request: SyncRequest.SpaceRequest,
        _ caller: Caller,
        _ budget: inout DecodingBudget,
        byteLimit: Int
    ) async throws -> SyncReply.SpaceReply {
        var reply = SyncReply.SpaceReply(space: request.space)
        do {
            // Sets that were sealed in another history may name control sets that this one lacks.
            let isSameLog =
                request.cursor.epoch == store.epoch || request.cursor.position == 0
            if isSameLog { try await push(request, caller, &budget, into: &reply) }
            reply.held = try await store.head(
                of: request.replica,
                in: request.space,
                for: caller.device.id
            )
            guard isSameLog else {
                reply.problem = ProblemType.cursorReset.rawValue
                return reply
            }
            let limit = min(request.byteLimit ?? byteLimit, byteLimit)
            try await pull(request, caller, into: &reply, byteLimit: limit)
        } catch {
            guard let problem = Problem.describing(error) as? Problem else { throw error }
            reply.problem = problem.type.rawValue
        }
        return reply
    }

    private func pull(
        _ request: SyncRequest.SpaceRequest,
        _ caller: Caller,
        into reply: inout SyncReply.SpaceReply,
        byteLimit: Int
    ) async throws {
        let (space, device) = (request.space, caller.device.id)
        var page = try await store.page(
            of: space,
            after: request.cursor.position,
            for: device,
            byteLimit: byteLimit
        )
        // A page is valid without the fingerprint of the view at the end of the log.
        if page.position == page.head {
            page.fingerprint = await readingView {
                try await views.fingerprint(of: space, at: page.head)
            }
        }
        reply.backup = try await store.backupMark(of: space, for: device)
        reply.page = page
        reply.wanted = try await store.wantedChunks(of: space, for: device)
        reply.gaps = try await store.gaps(in: space, for: device)
    }

    /// Stores the pushed sets, unless a control set of the log is lost.
    ///
    /// The device then gets its page, and can bring what is missing.
    private func push(
        _ request: SyncRequest.SpaceRequest,
        _ caller: Caller,
        _ budget: inout DecodingBudget,
        into reply: inout SyncReply.SpaceReply
    ) async throws {
        do {
            // Repairs the chain also where nothing is pushed.
            _ = try await store.chain(of: request.space)
            reply.results = try await push(request, caller, &budget)
        } catch StoreError.brokenControls {
            reply.problem = ProblemType.unavailable.rawValue
        }
    }

    private func push(
        _ request: SyncRequest.SpaceRequest,
        _ caller: Caller,
        _ budget: inout DecodingBudget
    ) async throws -> [PushResult] {
        let device = caller.device
        return try await takeIn(request.items) {
            PushedSet.check($0, in: request.space, by: device.id, keys, &budget)
        } append: { sets in
            let results = try await store.append(
                sets,
                to: request.space,
                by: device,
                at: now()
            )
            try await noteRevocations(in: sets.map(\.content), of: request.space, results)
            return results
        }
    }
}

extension Metric {
    static let judgedSets = Metric(
        "wake_judged_sets_total",
        .counter,
        "Change sets that got a verdict."
    )
    static let failedSets = Metric(
        "wake_failed_sets_total",
        .counter,
        "Change sets that failed without a verdict."
    )
    static let viewFailures = Metric(
        "wake_view_failures_total",
        .counter,
        "Views that failed to update and are rebuilt."
    )
}

/// A push item that is not a set of this device in this space.
struct PushRefusal: Error {
    let type: ProblemType
}

/// The limit of decompressed chunk bytes in one request.
struct DecodingBudget {
    private var bytes = SyncCore.Limits.decodedChunkByteLimit

    /// Subtracts `count`, or returns false if less than that is left.
    mutating func spend(_ count: Int) -> Bool {
        guard count <= bytes else { return false }
        bytes -= count
        return true
    }
}

extension PushedSet {
    /// Checks everything about an item that needs no store.
    ///
    /// That is its outer MAC, its structure, the hashes of its body and chunks, its device and its
    /// space. A fault inside an authentic set becomes its verdict, so that the replica's chain
    /// continues.
    static func check(
        _ item: [UInt8],
        in space: Identifier,
        by device: Identifier,
        _ keys: ServerKeys,
        _ budget: inout DecodingBudget
    ) -> Result<PushedSet, PushRefusal> {
        do {
            let item = try PushItem(decoding: item[...])
            let upload = try Upload(parsing: item.upload)
            guard upload.header.device == device, upload.header.space == space,
                let body = item.body, upload.header.isBody(body)
            else { return .failure(PushRefusal(type: .badEncoding)) }
            let content = try content(of: upload, body, keys.deviceKeys(of: upload))
            let chunks = try chunks(item.chunks, of: upload.header, &budget)
            return .success(
                PushedSet(
                    upload: upload,
                    body: body,
                    content: chunks == nil ? .unusable(.refused, reason: "schema") : content,
                    chunks: chunks ?? [:],
                    headSignature: item.headSignature
                )
            )
        } catch {
            return .failure(PushRefusal(describing: error))
        }
    }

    /// Opens a set whose body hash was checked; throws if the outer MAC is not the device's.
    ///
    /// - Parameter keys: nil if the device's signature over a later set covers this one. The
    ///   control chain verifies the signature of a control set.
    static func content(
        of upload: Upload,
        _ body: [UInt8],
        _ keys: DeviceKeys?
    ) throws(ChangeSetError) -> Content {
        guard !upload.isControl else {
            guard let set = try? ControlSet(upload, body: body) else {
                return .unusable(.refused, reason: "schema")
            }
            return .control(set)
        }
        do {
            guard let keys else { return .opened(try ChangeSet(logged: upload, body: body)) }
            return .opened(try ChangeSet(relaying: upload, body: body, from: keys))
        } catch {
            switch error {
            case .badMAC, .unknownKeyEpoch: throw error
            case .unknownCriticalKey: return .unusable(.held, reason: "upgrade")
            default: return .unusable(.refused, reason: "schema")
            }
        }
    }

    /// Returns the chunks by hash, or nil if one that the set names is not a valid chunk.
    static func chunks(
        _ chunks: [[UInt8]],
        of header: Header,
        _ budget: inout DecodingBudget
    ) throws(PushRefusal) -> [Digest: [UInt8]]? {
        let sizes = header.chunks.map { ($0.hash, $0.byteCount) }
        let named = Dictionary(sizes) { first, _ in first }
        var byHash: [Digest: [UInt8]] = [:]
        for chunk in chunks {
            let hash = Digest(of: chunk)
            guard named[hash] == chunk.count else { throw PushRefusal(type: .badEncoding) }
            guard let size = Chunk.contentByteCount(of: chunk) else { return nil }
            guard budget.spend(size) else { throw PushRefusal(type: .tooLarge) }
            guard (try? Chunk.content(of: chunk)) != nil else { return nil }
            byHash[hash] = chunk
        }
        return byHash
    }
}

extension PushRefusal {
    init(describing error: any Error) {
        switch error {
        case let refusal as PushRefusal: self = refusal
        case ChangeSetError.badMAC, ChangeSetError.unknownKeyEpoch: type = .badMAC
        case ChangeSetError.tooLarge, ChangeSetError.tooManyCells: type = .tooLarge
        case ChangeSetError.unknownFormat: type = .upgradeRequired
        default: type = .badEncoding
        }
    }
}
