/// An incremental parser for the requests of one connection (RFC 9112).
///
/// Accepts input in pieces of any size. It buffers at most one head.
struct RequestParser: Sendable {
    /// The next element of the input.
    enum Event: Hashable, Sendable {
        /// A head; its body follows.
        case head(RequestHead)
        /// The next bytes of a body.
        case body(ArraySlice<UInt8>)
        /// The end of a body, also of an empty one.
        case end
    }

    private enum State: Hashable, Sendable {
        case head
        case content(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
    }

    private let headByteLimit: Int
    private var state = State.head
    /// The complete lines of a head.
    private var lines: [[UInt8]] = []
    /// The start of an incomplete line.
    private var line: [UInt8] = []
    /// The bytes of this head, or of the lines between two chunks.
    private(set) var heldByteCount = 0

    init(headByteLimit: Int) { self.headByteLimit = headByteLimit }

    /// Whether the input ends within a head.
    var isWithinHead: Bool { state == .head && heldByteCount > 0 }

    /// Removes the bytes of the next event from `input`, or returns nil if more are needed.
    ///
    /// After an error nothing more can be parsed on the connection.
    mutating func next(_ input: inout ArraySlice<UInt8>) throws(RequestError) -> Event? {
        while true {
            switch state {
            case .head:
                guard let line = try takeLine(&input) else { return nil }
                if let head = try headEnding(with: line) { return .head(head) }
            case .content(0):
                return end()
            case .content(let rest), .chunk(let rest):
                return content(rest, &input)
            case .chunkSize:
                guard let line = try takeLine(&input) else { return nil }
                let count = try Self.chunkByteCount(line)
                state = count == 0 ? .trailers : .chunk(count)
            case .chunkEnd:
                guard let line = try takeLine(&input) else { return nil }
                guard line.isEmpty else {
                    throw .malformed("a chunk does not have its declared size")
                }
                heldByteCount = 0
                state = .chunkSize
            case .trailers:
                guard let line = try takeLine(&input) else { return nil }
                if line.isEmpty { return end() }
                _ = try RequestHead.field(line)
            }
        }
    }

    /// Returns the head if its lines end with this one.
    private mutating func headEnding(with line: [UInt8]) throws(RequestError) -> RequestHead? {
        guard line.isEmpty else {
            guard lines.count <= RequestHead.fieldLimit else { throw .headTooLarge }
            lines.append(line)
            return nil
        }
        let head = try RequestHead(parsing: lines)
        lines = []
        heldByteCount = 0
        switch head.framing {
        case .length(let count): state = .content(count)
        case .chunked: state = .chunkSize
        }
        return head
    }

    private mutating func content(_ rest: Int, _ input: inout ArraySlice<UInt8>) -> Event? {
        guard !input.isEmpty else { return nil }
        let part = input.prefix(rest)
        input = input.dropFirst(part.count)
        let rest = rest - part.count
        if case .chunk = state {
            state = rest == 0 ? .chunkEnd : .chunk(rest)
        } else {
            state = .content(rest)
        }
        return .body(part)
    }

    private mutating func end() -> Event {
        state = .head
        heldByteCount = 0
        return .end
    }

    /// Returns a line without its CR LF, or nil if it is incomplete.
    private mutating func takeLine(
        _ input: inout ArraySlice<UInt8>
    ) throws(RequestError) -> [UInt8]? {
        let lineFeed = input.firstIndex(of: UInt8(ascii: "\n"))
        let part = input[..<(lineFeed.map { $0 + 1 } ?? input.endIndex)]
        heldByteCount += part.count
        guard heldByteCount <= headByteLimit else { throw .headTooLarge }
        input = input[part.endIndex...]
        line += part
        guard lineFeed != nil else { return nil }
        guard line.firstIndex(of: UInt8(ascii: "\r")) == line.count - 2 else {
            throw .malformed("a line must end with CR LF, and contain neither before that")
        }
        defer { line = [] }
        return line.dropLast(2)
    }

    /// Parses a chunk's size; extensions after a semicolon are ignored.
    private static func chunkByteCount(_ line: [UInt8]) throws(RequestError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        let text = String(decoding: digits, as: UTF8.self)
        guard (1...15).contains(digits.count), digits.allSatisfy(\.isHexadecimal),
            let count = Int(text, radix: 16)
        else { throw .malformed("a chunk's size is not a hexadecimal number") }
        return count
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
