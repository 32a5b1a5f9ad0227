internal import SyncCore

/// One request and its reply, from the bytes to the bytes.
extension Listener {
    func readable(_ number: Int) {
        guard let connection = connections[number] else { return }
        connection.conversation.receive(connection.take(), at: settings.uptime())
        advance(number)
    }

    /// Does what the bytes ask for that have come.
    private func advance(_ number: Int) {
        guard let connection = connections[number] else { return }
        let action = connection.conversation.next(at: settings.uptime())
        account(for: connection)
        if let action {
            perform(action, number)
        } else if connection.conversation.heldByteCount > 0,
            !crowd.mayHold(connection.heldByteCount)
        {
            refuse(number, nil, Self.overfull)
        }
        connection.setReading(connection.conversation.isReading)
    }

    private static let overfull = Problem(
        .unavailable,
        "the server holds as many bodies as it can",
        members: ["retry_after": .number(5)],
        headers: ["retry-after": "5"]
    )

    private func perform(_ action: Conversation.Action, _ number: Int) {
        switch action {
        case .judge(let head): judge(head, number)
        case .refuse(let problem): refuse(number, nil, problem)
        case .respond(let request):
            connections[number]?.handledByteCount = request.body.count
            Task { reply(await responder.respond(to: request), to: number) }
        }
    }

    /// Decides by its head whether a request may go on.
    private func judge(_ head: RequestHead, _ number: Int) {
        guard let connection = connections[number] else { return }
        if let seconds = secondsTooEarly(head.request, from: connection.peer) {
            return refuse(number, head.request, Problem.rateLimited(seconds))
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
                refuse(number, head.request, error)
            }
        }
    }

    /// The seconds to wait, where a client has made too many requests.
    private func secondsTooEarly(_ head: HTTPRequest, from peer: PeerAddress) -> Int? {
        guard let client = client(of: head, from: peer) else { return nil }
        return crowd.noteRequest(of: client.network, at: settings.uptime())
    }

    /// Whose request it is; nil for this machine, and for a proxy that does not say.
    private func client(of head: HTTPRequest, from peer: PeerAddress) -> PeerAddress? {
        guard peer == settings.proxy else { return isFree(peer) ? nil : peer }
        // The last address is the one that the proxy saw; what stands before it, anyone may write.
        return head.headers["x-forwarded-for"]?.split(separator: ",").last
            .flatMap { PeerAddress($0.filter { $0 != " " }) }
    }

    private func admit(_ number: Int, _ limit: Int) {
        guard let connection = connections[number] else { return }
        do throws(RequestError) {
            let now = settings.uptime()
            if try connection.conversation.admit(bodyByteLimit: limit, at: now) {
                connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            }
            advance(number)
        } catch {
            refuse(number, nil, Problem(describing: error))
        }
    }

    private func refuse(_ number: Int, _ head: HTTPRequest?, _ error: any Error) {
        guard let connection = connections[number] else { return }
        let response = dated(responder.refuse(head, error))
        connection.write(connection.conversation.refuse(response, at: settings.uptime()))
        account(for: connection)
        connection.setReading(false)
    }

    private func reply(_ response: HTTPResponse, to number: Int) {
        guard let connection = connections[number] else { return }
        connection.handledByteCount = 0
        connection.write(
            connection.conversation.reply(
                dated(response),
                isLast: isStopping,
                at: settings.uptime()
            )
        )
        account(for: connection)
    }

    private func dated(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers["date"] = HTTPResponse.date(settings.now())
        return response
    }

    private func account(for connection: Connection) {
        let former = connection.heldByteCount
        connection.heldByteCount =
            connection.conversation.heldByteCount + connection.handledByteCount
            + connection.unwrittenByteCount
        crowd.hold(connection.heldByteCount, insteadOf: former)
    }

    func written(_ number: Int) {
        guard let connection = connections[number], connection.conversation.isWriting,
            connection.unwrittenByteCount == 0
        else { return }
        account(for: connection)
        switch connection.conversation.finishWriting(at: settings.uptime()) {
        case .next where !isStopping: advance(number)
        case .next, .close: close(number)
        case .linger:
            connection.finish()
            connection.setReading(true)
        }
    }

    /// The client closed its side, or the connection broke.
    func ended(_ number: Int, isBroken: Bool) {
        guard let connection = connections[number] else { return }
        // Who only said that nothing more comes still reads the reply.
        if isBroken || connection.conversation.isReading { close(number) }
    }
}

extension RequestHead {
    /// Whether the body may have more than `count` bytes, where it may have `limit` at all.
    fileprivate func mayExceed(_ count: Int, limit: Int) -> Bool {
        switch framing {
        case .length(let length): length > count && length <= limit
        case .chunked: limit > count
        }
    }
}

extension Problem {
    /// One request too many.
    static func rateLimited(_ seconds: Int) -> Problem {
        Problem(
            .rateLimited,
            "too many requests; try again in \(seconds) s",
            members: ["retry_after": .number(Int64(seconds))],
            headers: ["retry-after": String(seconds)]
        )
    }
}
