import SyncCore
import Testing

@testable import SyncServer

@Suite struct HTTPConnectionStateTests {
    private let limits = SyncServer.Limits()

    private func talk() -> HTTPConnectionState { HTTPConnectionState(limits: limits, at: .zero) }

    private func feed(_ text: String, to talk: inout HTTPConnectionState, at seconds: Double)
        -> Step?
    {
        talk.receive(Array(text.utf8), at: .seconds(seconds))
        return talk.next(at: .seconds(seconds)).map(Step.init)
    }

    /// An action in few words.
    private enum Step: Equatable {
        case judge(String)
        case respond(String, Int)
        case refuse(ProblemType)

        init(_ action: HTTPConnectionState.Action) {
            switch action {
            case .judge(let head): self = .judge(head.request.path)
            case .respond(let request): self = .respond(request.path, request.body.count)
            case .refuse(let problem): self = .refuse(problem.type)
            }
        }
    }

    private func next(_ talk: inout HTTPConnectionState, at seconds: Double) -> Step? {
        talk.next(at: .seconds(seconds)).map(Step.init)
    }

    @Test func `a request is judged, read, answered, and the next one follows`() throws {
        var talk = talk()
        let two =
            "PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"
            + "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"
        #expect(feed(two, to: &talk, at: 1) == .judge("/1"))
        #expect(!talk.isReading && next(&talk, at: 1) == nil)
        #expect(try !talk.admit(bodyByteLimit: 2, at: .seconds(1)))
        #expect(next(&talk, at: 1) == .respond("/1", 2))
        // What was sent already waits until the reply is written.
        #expect(!talk.isReading && next(&talk, at: 1) == nil)
        let reply = talk.reply(HTTPResponse(200, body: [1]), isLast: false, at: .seconds(2))
        #expect(String(decoding: reply, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(talk.finishWriting(at: .seconds(2)) == .next)
        #expect(next(&talk, at: 2) == .judge("/2"))
    }

    @Test func `a body is refused by its announced length, and in chunks when it gets too long`() {
        var announced = talk()
        let head = "PUT / HTTP/1.1\r\nHost: h\r\n"
        _ = feed(head + "Content-Length: 11\r\n\r\n", to: &announced, at: 0)
        #expect(throws: RequestError.bodyTooLarge(byteLimit: 10)) {
            try announced.admit(bodyByteLimit: 10, at: .zero)
        }
        var chunked = talk()
        _ = feed(head + "Transfer-Encoding: chunked\r\n\r\n", to: &chunked, at: 0)
        #expect((try? chunked.admit(bodyByteLimit: 10, at: .zero)) == false)
        #expect(feed("a\r\n0123456789\r\n", to: &chunked, at: 0) == nil)
        #expect(chunked.heldByteCount == 10)
        #expect(feed("1\r\n0\r\n", to: &chunked, at: 0) == .refuse(.tooLarge))
    }

    @Test func `a client that waits for a word gets it only before its body`() throws {
        let head = "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
        var waiting = talk()
        _ = feed(head, to: &waiting, at: 0)
        #expect(try waiting.admit(bodyByteLimit: 10, at: .zero))
        var eager = talk()
        _ = feed(head + "a", to: &eager, at: 0)
        #expect(try !eager.admit(bodyByteLimit: 10, at: .zero))
    }

    @Test func `after a refusal what was sent is thrown away and the connection lingers`() {
        var talk = talk()
        #expect(
            feed("nonsense\r\n\r\nGET / HTTP/1.1\r\n", to: &talk, at: 0) == .refuse(.badEncoding)
        )
        let reply = talk.refuse(HTTPResponse(400), at: .zero)
        #expect(String(decoding: reply, as: UTF8.self).contains("connection: close\r\n"))
        #expect(talk.finishWriting(at: .zero) == .linger)
        #expect(talk.isReading)
        #expect(feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n", to: &talk, at: 1) == nil)
        #expect(!talk.isOverdue(at: .seconds(1.9)))
        #expect(talk.isOverdue(at: .seconds(2)))
    }

    @Test func `after a last reply the connection lingers, for more may be on its way`() throws {
        var talk = talk()
        _ = feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n", to: &talk, at: 0)
        _ = try talk.admit(bodyByteLimit: 0, at: .zero)
        #expect(next(&talk, at: 0) == .respond("/", 0))
        _ = talk.reply(HTTPResponse(204), isLast: true, at: .zero)
        #expect(talk.finishWriting(at: .zero) == .linger)
    }

    @Test func `who sends on after a refusal is read for a while and a number of bytes`() {
        var talk = talk()
        _ = feed("nonsense\r\n\r\n", to: &talk, at: 0)
        _ = talk.refuse(HTTPResponse(400), at: .zero)
        #expect(talk.finishWriting(at: .zero) == .linger)
        talk.receive(Array(repeating: 0, count: limits.lingerBytes), at: .zero)
        #expect(!talk.isOverdue(at: .zero))
        talk.receive([0], at: .zero)
        #expect(talk.isOverdue(at: .zero))
    }

    @Test func `heads and what waits behind them are counted`() {
        var talk = talk()
        _ = feed("GET / HTTP/1.1\r\nHo", to: &talk, at: 0)
        #expect(talk.heldByteCount == 18)
        _ = feed("st: h\r\n\r\nGET", to: &talk, at: 0)
        #expect(talk.heldByteCount == 3)
    }
}

/// Each deadline holds a moment before its end, and is over at it; bytes one by one do not move
/// those that are for the whole.
extension HTTPConnectionStateTests {
    @Test func `the first head has ten seconds, dribbled or not`() {
        var talk = talk()
        #expect(!talk.isOverdue(at: .seconds(9.99)))
        #expect(talk.isOverdue(at: .seconds(10)))
        for second in 0..<10 { _ = feed("G", to: &talk, at: Double(second)) }
        #expect(talk.isOverdue(at: .seconds(10)))
    }

    @Test func `a later head has ten seconds from its first byte`() throws {
        var talk = talk()
        _ = feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n", to: &talk, at: 0)
        _ = try talk.admit(bodyByteLimit: 0, at: .zero)
        _ = next(&talk, at: 0)
        _ = talk.reply(HTTPResponse(200), isLast: false, at: .seconds(1))
        #expect(talk.finishWriting(at: .seconds(1)) == .next)
        #expect(talk.isIdle && !talk.isOverdue(at: .seconds(60.9)))
        #expect(talk.isOverdue(at: .seconds(61)))
        _ = feed("G", to: &talk, at: 40)
        #expect(!talk.isIdle && !talk.isOverdue(at: .seconds(49.9)))
        _ = feed("E", to: &talk, at: 49)
        #expect(talk.isOverdue(at: .seconds(50)))
    }

    @Test func `a body has a minute between bytes and two in all`() throws {
        var talk = talk()
        _ = feed("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n", to: &talk, at: 0)
        #expect(!talk.isOverdue(at: .seconds(1000)))
        _ = try talk.admit(bodyByteLimit: 9, at: .zero)
        #expect(!talk.isOverdue(at: .seconds(59.9)) && talk.isOverdue(at: .seconds(60)))
        _ = feed("a", to: &talk, at: 59)
        #expect(!talk.isOverdue(at: .seconds(118)) && talk.isOverdue(at: .seconds(119)))
        _ = feed("a", to: &talk, at: 118)
        #expect(!talk.isOverdue(at: .seconds(119.9)) && talk.isOverdue(at: .seconds(120)))
    }

    @Test func `a handler has its time, and a reply must be taken`() throws {
        var talk = talk()
        _ = feed("GET / HTTP/1.1\r\nHost: h\r\n\r\n", to: &talk, at: 0)
        _ = try talk.admit(bodyByteLimit: 0, at: .zero)
        _ = next(&talk, at: 0)
        #expect(!talk.isOverdue(at: .seconds(1000)))
        _ = talk.reply(HTTPResponse(200), isLast: false, at: .seconds(1000))
        #expect(!talk.isOverdue(at: .seconds(1009.9)) && talk.isOverdue(at: .seconds(1010)))
        for second in 1000..<1119 { talk.noteProgress(at: .seconds(Double(second))) }
        #expect(!talk.isOverdue(at: .seconds(1119)) && talk.isOverdue(at: .seconds(1120)))
    }
}
