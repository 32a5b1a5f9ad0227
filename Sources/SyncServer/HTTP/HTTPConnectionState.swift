internal import SyncCore

/// The state machine of one connection's requests and replies: bytes and times in, actions out.
///
/// Nothing is read while a request is being answered, so a client that sends without reading has to
/// buffer its own bytes.
struct HTTPConnectionState: Sendable {
    /// The next step of the connection's owner.
    enum Action: Sendable {
        /// Decide whether the request with this head may continue; then call
        /// ``admit(bodyByteLimit:at:)`` or ``refuse(_:at:)``.
        case judge(RequestHead)
        /// Pass the request to a handler; then call ``reply(_:isLast:at:)``.
        case respond(HTTPRequest)
        /// Reply with the problem; then call ``refuse(_:at:)``.
        case refuse(Problem)
    }

    /// The next step once a reply is written.
    enum End: Hashable, Sendable {
        /// Wait for the next request.
        case next
        /// Shut down the sending side, read on for a while, then close.
        ///
        /// Closing with unread bytes would reset the connection, and the client might lose the
        /// reply.
        case linger
    }

    private enum Phase: Hashable, Sendable {
        case idle
        /// From the first byte of a head, or from the start of a connection.
        case head
        case judging
        case body
        case answering
        case writing(End)
        case lingering
    }

    private let limits: Limits
    private var parser: RequestParser
    private var unread: ArraySlice<UInt8> = []
    private var phase = Phase.head
    /// When the phase began, and when the client last made progress in it.
    private var began: Duration
    private var moved: Duration
    private var head: RequestHead?
    private var body: [UInt8] = []
    private var bodyByteLimit = 0
    /// The bytes received after the last reply.
    private var discardedByteCount = 0

    init(limits: Limits, at now: Duration) {
        self.limits = limits
        parser = RequestParser(headByteLimit: limits.headBytes)
        began = now
        moved = now
    }
}

extension HTTPConnectionState {
    /// Whether received bytes belong to a request.
    var isReceiving: Bool { phase == .idle || phase == .head || phase == .body }

    /// Whether the socket is read at all; while lingering, bytes are discarded.
    var isReading: Bool { isReceiving || phase == .lingering }

    /// Whether no request has begun, so that closing loses nothing.
    var isIdle: Bool { phase == .idle || phase == .head && !parser.isWithinHead }

    /// Whether closing would cut off a request or its reply.
    var isUnfinished: Bool { !isIdle && phase != .lingering }

    /// When the connection became idle.
    var idleSince: Duration { began }

    var isWriting: Bool {
        if case .writing = phase { true } else { false }
    }

    /// The request in progress, without its body.
    var request: HTTPRequest? { head?.request }

    /// The received bytes that were not passed on.
    var heldByteCount: Int { parser.heldByteCount + unread.count + body.count }

    /// Whether the client exceeded a time limit, or sent too much after the last reply.
    func isOverdue(at now: Duration) -> Bool {
        let (whole, pause) = (now - began, now - moved)
        switch phase {
        case .idle: return pause.seconds >= limits.idleSeconds
        case .head: return whole.seconds >= limits.headSeconds
        case .body:
            return pause.seconds >= limits.idleSeconds || whole.seconds >= limits.transferSeconds
        case .writing:
            return pause.seconds >= limits.stallSeconds || whole.seconds >= limits.transferSeconds
        case .lingering:
            return whole.seconds >= limits.lingerSeconds || discardedByteCount > limits.lingerBytes
        case .judging, .answering: return false
        }
    }

    private mutating func enter(_ phase: Phase, at now: Duration) {
        self.phase = phase
        began = now
        moved = now
    }
}

extension HTTPConnectionState {
    /// Stores received bytes; ``next(at:)`` interprets them.
    mutating func receive(_ bytes: [UInt8], at now: Duration) {
        moved = now
        guard phase != .lingering else {
            discardedByteCount += bytes.count
            return
        }
        unread = unread.isEmpty ? bytes[...] : unread + bytes
    }

    /// Returns the next action for the received bytes, or nil if more are needed.
    mutating func next(at now: Duration) -> Action? {
        do throws(RequestError) {
            while isReceiving {
                let event = try parser.next(&unread)
                if phase == .idle, parser.isWithinHead { enter(.head, at: now) }
                guard let event else { return nil }
                if let action = try action(on: event, at: now) { return action }
            }
            return nil
        } catch {
            return .refuse(Problem(describing: error))
        }
    }

    private mutating func action(
        on event: RequestParser.Event,
        at now: Duration
    ) throws(RequestError) -> Action? {
        switch event {
        case .head(let head):
            self.head = head
            enter(.judging, at: now)
            return .judge(head)
        case .body(let part):
            guard body.count + part.count <= bodyByteLimit else {
                throw .bodyTooLarge(byteLimit: bodyByteLimit)
            }
            body += part
            return nil
        case .end:
            guard var request = head?.request else { preconditionFailure("a body has a head") }
            request.body = body
            body = []
            enter(.answering, at: now)
            return .respond(request)
        }
    }

    /// Starts receiving the body; returns true if the client waits for `100 Continue`.
    mutating func admit(bodyByteLimit: Int, at now: Duration) throws(RequestError) -> Bool {
        guard case .judging = phase, let head else { preconditionFailure("nothing to admit") }
        self.bodyByteLimit = bodyByteLimit
        if case .length(let count) = head.framing, count > bodyByteLimit {
            throw .bodyTooLarge(byteLimit: bodyByteLimit)
        }
        enter(.body, at: now)
        if case .length(let count) = head.framing { body.reserveCapacity(count) }
        return head.expectsContinue && head.framing != .length(0) && unread.isEmpty
    }

    /// Returns the bytes of the reply; `isLast` closes the connection after it.
    mutating func reply(_ response: HTTPResponse, isLast: Bool, at now: Duration) -> [UInt8] {
        let staysOpen = head?.keepsAlive == true && !isLast
        let isHead = head?.request.method == "HEAD"
        head = nil
        enter(.writing(staysOpen ? .next : .linger), at: now)
        return response.message(staysOpen: staysOpen, withBody: !isHead)
    }

    /// Returns the bytes of a reply that closes the connection, and discards what was received.
    mutating func refuse(_ response: HTTPResponse, at now: Duration) -> [UInt8] {
        unread = []
        body = []
        return reply(response, isLast: true, at: now)
    }

    /// Records that the client accepted some of the reply.
    mutating func noteProgress(at now: Duration) { moved = now }

    /// Records that the reply is written, and returns the next step.
    mutating func finishWriting(at now: Duration) -> End {
        guard case .writing(let end) = phase else { preconditionFailure("no reply was written") }
        enter(end == .next ? .idle : .lingering, at: now)
        return end
    }
}

extension Problem {
    init(describing error: RequestError) {
        switch error {
        case .malformed(let reason):
            self.init(.badEncoding, "malformed request: " + reason)
        case .headTooLarge:
            self.init(.headTooLarge, "the request's head has too many bytes or fields")
        case .bodyTooLarge(let limit):
            self.init(.tooLarge, "the body is longer than the limit of \(limit) bytes")
        }
    }
}
