import Harness
import SyncCore
import Testing

@testable import SyncServer

@Suite struct RequestParserTests {
    /// What bytes turn out to be when they come in pieces; parts of a body are put together.
    private func read(
        _ bytes: [UInt8],
        pieces: [Int] = [],
        headByteLimit: Int = 1 << 10
    ) throws -> [Read] {
        var parser = RequestParser(headByteLimit: headByteLimit)
        var requests: [Read] = []
        var rest = bytes[...]
        for count in pieces + [bytes.count] {
            var piece = rest.prefix(count)
            rest = rest.dropFirst(piece.count)
            while let event = try parser.next(&piece) {
                switch event {
                case .head(let head): requests.append(Read(head: head))
                case .body(let part): requests[requests.count - 1].body += part
                case .end: requests[requests.count - 1].isWhole = true
                }
            }
            #expect(piece.isEmpty)
        }
        return requests
    }

    private struct Read: Hashable {
        let head: RequestHead
        var body: [UInt8] = []
        var isWhole = false
    }

    private func read(_ text: String) throws -> [Read] { try read(Array(text.utf8)) }

    @Test func `a head has a method, a path, a query and fields`() throws {
        let text = "POST /a%20b?x=1?y HTTP/1.1\r\nHost: h\r\nX-Two: 1 \r\nx-two:\t2\r\n\r\n"
        let head = try #require(try read(text).first?.head)
        #expect(head.request.method == "POST")
        #expect(head.request.path == "/a%20b")
        #expect(head.request.query == "x=1?y")
        #expect(head.request.headers == ["host": "h", "x-two": "1, 2"])
        #expect(head.keepsAlive && !head.expectsContinue && head.framing == .length(0))
    }

    @Test func `requests follow one another, with bodies whole and in chunks`() throws {
        let text =
            "PUT /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab\r\ncGET /2 HTTP/1.1\r\n"
            + "Host: h\r\n\r\nPUT /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "3\r\nabc\r\n0a;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
            + "GET /4 HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n"
        let all = try read(text)
        #expect(all.map(\.head.request.path) == ["/1", "/2", "/3", "/4"])
        #expect(
            all.map { String(decoding: $0.body, as: UTF8.self) }
                == ["ab\r\nc", "", "abc0123456789", ""]
        )
        #expect(all.map(\.isWhole) == [true, true, true, true])
        #expect(all.map(\.head.keepsAlive) == [true, true, true, false])
    }

    @Test(arguments: Rounds.seeds(10))
    func `the pieces in which bytes come make no difference`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let body = (0..<Int.random(in: 0...70, using: &generator)).map { _ in
            UInt8.random(in: .min ... .max, using: &generator)
        }
        let chunks = "\(String(body.count, radix: 16))\r\n"
        let bytes =
            Array("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
            + body + Array("PUT /y HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            + (body.isEmpty ? [] : Array(chunks.utf8) + body + [13, 10])
            + Array("0\r\n\r\nGET / HTTP/1.0\r\n\r\n".utf8)
        let whole = try read(bytes)
        #expect(whole.map(\.body) == [body, body, []])
        let pieces = (0..<bytes.count).map { _ in Int.random(in: 0...9, using: &generator) }
        #expect(try read(bytes, pieces: pieces) == whole)
        #expect(try read(bytes, pieces: bytes.map { _ in 1 }) == whole)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n\n", "GET / HTTP/1.1\r\nHost: h\rx: y\r\n\r\n",
        "GET / HTTP/1.1\r\r\nHost: h\r\n\r\n", "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
        "GET /\r\nHost: h\r\n\r\n", "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: h\r\n\r\n", "GET / http/1.1\r\nHost: h\r\n\r\n",
        " GET / HTTP/1.1\r\nHost: h\r\n\r\n", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: h\r\n\r\n", "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /#a HTTP/1.1\r\nHost: h\r\n\r\n", "GET /\u{1} HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /ä HTTP/1.1\r\nHost: h\r\n\r\n",
    ]) func `a request line has one form`(text: String) {
        #expect(throws: RequestError.self) { try read(text) }
    }

    @Test(arguments: [
        "", "Host: a\r\nHost: a", "Host: a\r\n folded", "Host: a\r\n\tfolded", "Host : a", ": a",
        "Host: a\r\nx", "Host: a\r\nx y: 1", "Host: a\r\nx\u{0}: 1", "Host: a\r\nx: \u{0}",
        "Host: a\r\nx: a\u{b}b", "Host: a\r\nx: \u{7f}", "Host: a\r\nContent-Length: 1, 1",
        "Host: a\r\nContent-Length: 0\r\nContent-Length: 0", "Host: a\r\nContent-Length: +1",
        "Host: a\r\nContent-Length: 0x1", "Host: a\r\nContent-Length: -1",
        "Host: a\r\nContent-Length:", "Host: a\r\nContent-Length: 99999999999999999999",
        "Host: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked",
        "Host: a\r\nTransfer-Encoding: xchunked", "Host: a\r\nTransfer-Encoding: gzip, chunked",
        "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Host: a\r\nTransfer-Encoding: identity",
    ]) func `fields have one meaning`(fields: String) {
        #expect(throws: RequestError.self) {
            try read("POST / HTTP/1.1\r\n\(fields)\r\n\r\n")
        }
    }

    @Test(arguments: [
        "x\r\n", "\r\n", "-1\r\n", "+1\r\na\r\n", "0x1\r\na\r\n", " 1\r\na\r\n", "1\na\r\n",
        "1\r\nab\r\n", "1\r\na\n0\r\n\r\n", "ffffffffffffffff\r\n", "0\r\nbad trailer\r\n\r\n",
    ]) func `chunks have one form`(chunks: String) {
        #expect(throws: RequestError.self) {
            try read("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        }
    }

    @Test func `a head may have its limit and not a byte more`() throws {
        func head(_ count: Int) -> [UInt8] {
            let frame = "GET / HTTP/1.1\r\nHost: h\r\nx: \r\n\r\n".utf8.count
            let filler = String(repeating: "a", count: count - frame)
            return Array("GET / HTTP/1.1\r\nHost: h\r\nx: \(filler)\r\n\r\n".utf8)
        }
        #expect(try read(head(500), headByteLimit: 500).count == 1)
        #expect(throws: RequestError.headTooLarge) { try read(head(501), headByteLimit: 500) }
        // The limit holds before the end of the line is there.
        #expect(throws: RequestError.headTooLarge) {
            try read(Array(repeating: 0x61, count: 501), headByteLimit: 500)
        }
    }

    @Test func `a head may have a hundred fields`() throws {
        func text(_ count: Int) -> String {
            "GET / HTTP/1.1\r\nHost: h\r\n" + String(repeating: "x:1\r\n", count: count - 1)
                + "\r\n"
        }
        #expect(try read(text(100)).count == 1)
        #expect(throws: RequestError.headTooLarge) { try read(text(101)) }
    }

    @Test func `lines between chunks do not add up without end`() throws {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        let many = String(repeating: "1\r\na\r\n", count: 1000)
        #expect(try read(head + many + "0\r\n\r\n").first?.body.count == 1000)
        #expect(throws: RequestError.headTooLarge) {
            try read(head + "0\r\n" + String(repeating: "t: 1\r\n", count: 200))
        }
        #expect(throws: RequestError.headTooLarge) {
            try read(head + "1;" + String(repeating: "x", count: 1024))
        }
    }

    @Test func `the old version needs no Host, ends with its reply and has no chunks`() throws {
        let head = try #require(try read("GET / HTTP/1.0\r\n\r\n").first?.head)
        #expect(!head.keepsAlive)
        #expect(throws: RequestError.self) {
            try read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n")
        }
    }
}
