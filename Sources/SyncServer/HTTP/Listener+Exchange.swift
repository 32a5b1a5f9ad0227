internal import SyncCore

/// The steps of one request, from its bytes to those of the reply.
extension Listener {
    func readable(_ number: Int) {
        guard let connection = connections[number] else { return }
        let now = settings.uptime()
        connection.state.receive(connection.takeBytes(), at: now)
        connection.state.isOverdue(at: now) ? close(number) : advance(number)
    }

    private func advance(_ number: Int) {
        guard let connection = connections[number] else { return }
        let action = connection.state.next(at: settings.uptime())
        account(for: connection)
        switch action {
        case .judge(let head): judge(head, number)
        case .refuse(let problem): refuse(number, problem)
        case .respond(let request): handOn(request, number)
        case nil:
            guard connection.state.isReceiving, connection.heldByteCount > 0 else { break }
            if !mayHold(connection) { refuse(number, Self.overfull) }
        }
        connection.setReading(connection.state.isReading)
    }

    private static let overfull = Problem(
        .unavailable,
        "the server has no memory left for another request body",
        members: ["retry_after": .number(5)],
        headers: ["retry-after": "5"]
    )

    /// Passes a request to a handler, or queues it.
    private func handOn(_ request: HTTPRequest, _ number: Int) {
        guard let connection = connections[number] else { return }
        connection.handledByteCount = request.body.count
        account(for: connection)
        guard mayHold(connection) else { return refuse(number, Self.overfull) }
        waiting.append((number, request))
        startWaiting()
    }

    private func startWaiting() {
        while handlerCount < settings.limits.handlers, let (number, request) = waiting.popFirst() {
            // The client has disconnected while its request was waiting.
            guard connections[number] != nil else { continue }
            handlerCount += 1
            Task {
                reply(await responder.respond(to: request), to: number)
                handlerCount -= 1
                startWaiting()
            }
        }
    }

    private func mayHold(_ connection: Connection) -> Bool {
        limiter.mayHold(connection.heldByteCount, by: share(of: connection.peer))
    }

    /// Decides by its head whether a request may continue.
    private func judge(_ head: RequestHead, _ number: Int) {
        guard let connection = connections[number] else { return }
        if let client = client(of: head.request, from: connection.peer),
            let seconds = limiter.noteRequest(of: client.network, at: settings.uptime())
        {
            return refuse(number, Problem.rateLimited(seconds))
        }
        let limit = responder.bodyByteLimit(of: head.request)
        guard head.mayExceed(settings.limits.smallBodyBytes, limit: limit) else {
            return admit(number, limit)
        }
        Task {
            do {
                try await responder.admit(head.request)
                admit(number, limit)
            } catch {
                refuse(number, error)
            }
        }
    }

    /// Returns the client of a request, or nil for a client without limits.
    ///
    /// A proxy that does not name the client, or in an unknown form, counts as the client itself.
    private func client(of head: HTTPRequest, from peer: PeerAddress) -> PeerAddress? {
        guard peer == settings.proxy else { return isFree(peer) ? nil : peer }
        // The proxy adds the last address; a client can forge those before it.
        let addresses = (head.headers["x-forwarded-for"] ?? "").utf8.split(separator: 0x2c)
        let last = addresses.last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return PeerAddress(last.filter { $0 != " " }) ?? peer
    }

    private func admit(_ number: Int, _ limit: Int) {
        guard let connection = connections[number] else { return }
        do throws(RequestError) {
            let now = settings.uptime()
            if try connection.state.admit(bodyByteLimit: limit, at: now) {
                connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            }
            advance(number)
        } catch {
            refuse(number, Problem(describing: error))
        }
    }

    private func refuse(_ number: Int, _ error: any Error) {
        guard let connection = connections[number] else { return }
        connection.handledByteCount = 0
        let response = dated(responder.refuse(connection.state.request, error))
        connection.write(connection.state.refuse(response, at: settings.uptime()))
        account(for: connection)
        connection.setReading(false)
    }

    private func reply(_ response: HTTPResponse, to number: Int) {
        guard let connection = connections[number] else { return }
        connection.handledByteCount = 0
        connection.write(
            connection.state.reply(dated(response), isLast: isStopping, at: settings.uptime())
        )
        account(for: connection)
    }

    private func dated(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers["date"] = HTTPResponse.date(settings.now())
        return response
    }

    /// Updates the bytes that a connection holds.
    func account(for connection: Connection) {
        let former = connection.heldByteCount
        connection.heldByteCount =
            connection.state.heldByteCount + connection.handledByteCount
            + connection.unwrittenByteCount
        limiter.hold(connection.heldByteCount, insteadOf: former, by: share(of: connection.peer))
    }

    func written(_ number: Int) {
        guard let connection = connections[number], connection.state.isWriting,
            connection.unwrittenByteCount == 0
        else { return }
        account(for: connection)
        switch connection.state.finishWriting(at: settings.uptime()) {
        case .next: isStopping ? close(number) : advance(number)
        case .linger:
            connection.finish()
            connection.setReading(true)
        }
    }

    /// Handles the end of input, or a broken connection.
    func ended(_ number: Int, isBroken: Bool) {
        guard let connection = connections[number] else { return }
        // A client that closed only its sending side still reads the reply.
        if isBroken || connection.state.isReading { close(number) }
    }
}

extension RequestHead {
    /// Whether the body is allowed by `limit` and may have more than `count` bytes.
    fileprivate func mayExceed(_ count: Int, limit: Int) -> Bool {
        switch framing {
        case .length(let length): length > count && length <= limit
        case .chunked: limit > count
        }
    }
}

extension Problem {
    /// Creates the problem for an exceeded rate limit.
    static func rateLimited(_ seconds: Int) -> Problem {
        Problem(
            .rateLimited,
            "too many requests; try again in \(seconds) s",
            members: ["retry_after": .number(Int64(seconds))],
            headers: ["retry-after": String(seconds)]
        )
    }
}
