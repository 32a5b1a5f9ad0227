import SyncCore

/// Requests of one connection.
///
/// The parser is the server's, whose program cannot be linked: its files are links in `Server`.
enum HTTPTarget {
    private static let headByteLimit = 1024

    static func check(_ input: [UInt8]) {
        let whole = Conversation(of: [input[...]])
        let pieced = Conversation(of: Pieces(of: input))
        precondition(whole == pieced, "a connection may be cut anywhere")
        for exchange in whole.exchanges { check(exchange) }
    }

    private static func check(_ exchange: Exchange) {
        let head = exchange.head
        let byteCount = head.request.headers.reduce(0) {
            $0 + $1.key.utf8.count + $1.value.utf8.count
        }
        // A byte that is no UTF-8 becomes three.
        precondition(byteCount <= 3 * headByteLimit, "a head has a limit")
        if case .length(let count) = head.framing {
            precondition(exchange.body.count <= count, "a body is as long as its head says")
            precondition(!exchange.isWhole || exchange.body.count == count, "a body ends too early")
        }
        guard head.request.headers["host"] != nil, let copy = try? RequestHead(parsing: lines(head))
        else { return }
        precondition(trimmed(copy.request) == trimmed(head.request), "a head comes back")
        precondition(copy.framing == head.framing, "a body is framed alike")
    }

    /// Without the white space where an empty value was joined to others.
    private static func trimmed(_ request: HTTPRequest) -> HTTPRequest {
        var copy = request
        copy.headers = request.headers.mapValues { value in
            let start = value.drop { $0 == " " || $0 == "\t" }
            let end = start.lastIndex { $0 != " " && $0 != "\t" }
            return end.map { String(start[...$0]) } ?? ""
        }
        return copy
    }

    private static func lines(_ head: RequestHead) -> [[UInt8]] {
        let request = head.request
        let query = request.query.map { "?" + $0 } ?? ""
        let first = "\(request.method) \(request.path)\(query) HTTP/1.1"
        return [Array(first.utf8)] + request.headers.map { Array("\($0): \($1)".utf8) }
    }

    /// A request as it came, to the last byte or not.
    private struct Exchange: Equatable {
        let head: RequestHead
        var body: [UInt8] = []
        var isWhole = false
    }

    /// What a connection says, however it is cut.
    private struct Conversation: Equatable {
        private(set) var exchanges: [Exchange] = []
        private(set) var error: RequestError?

        init(of pieces: some Sequence<ArraySlice<UInt8>>) {
            var parser = RequestParser(headByteLimit: headByteLimit)
            do throws(RequestError) {
                for piece in pieces { try read(piece, with: &parser) }
            } catch {
                self.error = error
            }
        }

        private mutating func read(
            _ piece: ArraySlice<UInt8>,
            with parser: inout RequestParser
        ) throws(RequestError) {
            var rest = piece
            while let event = try parser.next(&rest) {
                switch event {
                case .head(let head): exchanges.append(Exchange(head: head))
                case .body(let bytes): exchanges[exchanges.count - 1].body += bytes
                case .end: exchanges[exchanges.count - 1].isWhole = true
                }
            }
            precondition(rest.isEmpty, "bytes are taken until they are an event")
        }
    }
}
