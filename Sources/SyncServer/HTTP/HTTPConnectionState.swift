internal import SyncCore

/// The state machine of one connection's requests and replies: bytes and times in, actions out.
///
/// While a request is answered nothing more is read, so a client that sends and never reads holds
/// its own bytes.
struct HTTPConnectionState: Sendable {
    /// What the connection's owner does next.
    enum Action: Sendable {
        /// Ask whether the request that starts so may go on; then ``admit(bodyByteLimit:at:)`` or
        /// ``refuse(_:at:)``.
        case judge(RequestHead)
        /// Hand the request on; then ``reply(_:isLast:at:)``.
        case respond(HTTPRequest)
        /// Reply with the problem; then ``refuse(_:at:)``.
        case refuse(Problem)
    }

    /// What is to be done once a reply is written.
    enum End: Hashable, Sendable {
        /// Wait for the next request.
        case next
        /// Say that no more comes, read on for a while, and close: closing with unread bytes would
        /// reset the connection, and the client might miss the reply.
        case linger
    }

    private enum Phase: Hashable, Sendable {
        /// Between requests.
        case idle
        /// From the first byte of a head; the first one of a connection has no time to be idle.
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
    /// When the phase began, and when the client last did something in it.
    private var began: Duration
    private var moved: Duration
    private var head: RequestHead?
    private var body: [UInt8] = []
    private var bodyByteLimit = 0
    /// What came after the last reply.
    private var discardedByteCount = 0

    /// The state of a new connection.
    init(limits: Limits, at now: Duration) {
        self.limits = limits
        parser = RequestParser(headByteLimit: limits.headBytes)
        began = now
        moved = now
    }
}

extension HTTPConnectionState {
    /// Whether bytes are taken for a request.
    var isReceiving: Bool { phase == .idle || phase == .head || phase == .body }

    /// Whether bytes are taken at all: after a refusal they are thrown away.
    var isReading: Bool { isReceiving || phase == .lingering }

    /// Whether no request has begun, so that closing hurts nobody.
    var isIdle: Bool { phase == .idle || phase == .head && !parser.isWithinHead }

    /// Whether closing leaves a request without its whole reply.
    var isUnfinished: Bool { !isIdle && phase != .lingering }

    /// Since when it is idle.
    var idleSince: Duration { began }

    /// Whether the reply is on its way.
    var isWriting: Bool {
        if case .writing = phase { true } else { false }
    }

    /// The head of the request that is dealt with.
    var request: HTTPRequest? { head?.request }

    /// The bytes that have come and were not handed on.
    var heldByteCount: Int { parser.heldByteCount + unread.count + body.count }

    /// Whether the client has taken longer than the limits give it, or sent on after the end.
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
    /// Takes bytes that have come; ``next(at:)`` says what they mean.
    mutating func receive(_ bytes: [UInt8], at now: Duration) {
        moved = now
        guard phase != .lingering else {
            discardedByteCount += bytes.count
            return
        }
        unread = unread.isEmpty ? bytes[...] : unread + bytes
    }

    /// What there is to do with the bytes that have come; nil where more must come.
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

    /// Lets the body come; true where the client waits for a word to send it.
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

    /// The bytes of the reply to the request; `isLast` where no other request is to follow.
    mutating func reply(_ response: HTTPResponse, isLast: Bool, at now: Duration) -> [UInt8] {
        let staysOpen = head?.keepsAlive == true && !isLast
        let isHead = head?.request.method == "HEAD"
        head = nil
        enter(.writing(staysOpen ? .next : .linger), at: now)
        return response.message(staysOpen: staysOpen, withBody: !isHead)
    }

    /// The bytes of a reply after which the connection ends, whatever else comes on it.
    mutating func refuse(_ response: HTTPResponse, at now: Duration) -> [UInt8] {
        unread = []
        body = []
        return reply(response, isLast: true, at: now)
    }

    /// Notes that the client took some of the reply.
    mutating func noteProgress(at now: Duration) {
        moved = now
    }

    /// Notes that the reply is written, and says what comes then.
    mutating func finishWriting(at now: Duration) -> End {
        guard case .writing(let end) = phase else { preconditionFailure("no reply was written") }
        enter(end == .next ? .idle : .lingering, at: now)
        return end
    }
}

extension Problem {
    /// The words for a request that cannot be read.
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
