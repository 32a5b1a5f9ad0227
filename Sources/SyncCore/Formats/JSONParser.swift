internal import CYajl

/// An event of a JSON document, in document order.
enum JSONEvent: Equatable {
    case null
    case bool(Bool)
    /// The number's text, so that no number is too large or too long.
    case number([UInt8])
    case string([UInt8])
    case startObject
    case key([UInt8])
    case endObject
    case startArray
    case endArray
}

/// Receives the events of a ``JSONParser``, which adds line and column to a thrown reason.
protocol JSONHandler: AnyObject {
    func take(_ event: JSONEvent) throws(FormatError.Reason)
}

/// Parses untrusted JSON (RFC 8259) piece by piece with yajl.
///
/// Limits: 1 GiB, 64 levels of nesting, 1 MiB for a string or key. A document that is incomplete,
/// or continues after its end, is rejected. Memory use is bounded: the parser holds only one token.
final class JSONParser {
    private lazy var parser = makeParser()
    /// Owns this parser and outlives it.
    private unowned let handler: any JSONHandler
    /// The rest of the byte order mark that some programs write.
    private var mark = byteOrderMark[...]
    private var depth = 0
    private var byteCount = 0
    private var byteCountAtEvent = 0
    private var place = (line: 1, column: 1)
    private var failure: FormatError.Reason?

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    private static let byteLimit = 1 << 30
    private static let depthLimit = 64
    private static let tokenLimit = 1 << 20
    private static let pieceSize = 64 << 10

    init(handler: any JSONHandler) { self.handler = handler }

    private func makeParser() -> cyajl_parser {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let parser = unsafe cyajl_new(context) { context, event, bytes, count in
            let parser = unsafe Unmanaged<JSONParser>.fromOpaque(context).takeUnretainedValue()
            let bytes = unsafe UnsafeBufferPointer(start: bytes, count: count)
            return unsafe parser.hand(JSONEvent(event, Array(bytes)))
        }
        guard let parser else { preconditionFailure("yajl has memory") }
        return parser
    }

    func feed(_ bytes: [UInt8]) throws(FormatError) {
        var rest = bytes[...]
        while byteCount == 0, let next = mark.first, rest.first == next {
            (mark, rest) = (mark.dropFirst(), rest.dropFirst())
        }
        if byteCount == 0, !rest.isEmpty, !mark.isEmpty {
            // The beginning of a mark alone is not one, and not JSON either.
            rest = Self.byteOrderMark[..<mark.startIndex] + rest
        }
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceSize))
            rest = rest.dropFirst(piece.count)
            byteCount += piece.count
            guard byteCount <= Self.byteLimit else { throw error(.tooLarge) }
            guard unsafe cyajl_parse(parser, piece, piece.count) else {
                move(over: Array(piece.prefix(cyajl_consumed(parser))))
                throw error(failure ?? .malformedJSON)
            }
            move(over: piece)
            guard byteCount - byteCountAtEvent <= Self.tokenLimit + Self.pieceSize
            else { throw error(.tooLarge) }
        }
    }

    /// Checks that the document is complete.
    func finish() throws(FormatError) {
        let isEnded = cyajl_finish(parser)
        if let failure { throw error(failure) }
        guard isEnded, byteCount > 0 else { throw error(.truncated) }
    }

    private func move(over bytes: [UInt8]) {
        let newline = UInt8(ascii: "\n")
        guard let last = bytes.lastIndex(of: newline) else {
            place.column += bytes.count
            return
        }
        place.line += bytes.count { $0 == newline }
        place.column = bytes.count - last
    }

    private func error(_ reason: FormatError.Reason) -> FormatError {
        FormatError(line: place.line, column: place.column, reason: reason)
    }
}

/// Events from yajl.
extension JSONParser {
    /// Passes an event to the handler; returning false makes yajl stop.
    private func hand(_ event: JSONEvent) -> Bool {
        do throws(FormatError.Reason) {
            try take(event)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func take(_ event: JSONEvent) throws(FormatError.Reason) {
        byteCountAtEvent = byteCount
        switch event {
        case .startObject, .startArray: depth += 1
        case .endObject, .endArray: depth -= 1
        case .string(let bytes) where bytes.count > Self.tokenLimit: throw .tooLarge
        case .key(let bytes) where bytes.count > Self.tokenLimit: throw .tooLarge
        default: break
        }
        guard depth <= Self.depthLimit else { throw .tooDeep }
        try handler.take(event)
    }
}

extension JSONEvent {
    fileprivate init(_ event: cyajl_event, _ bytes: [UInt8]) {
        self =
            switch event {
            case .null: .null
            case .false: .bool(false)
            case .true: .bool(true)
            case .number: .number(bytes)
            case .string: .string(bytes)
            case .startObject: .startObject
            case .key: .key(bytes)
            case .endObject: .endObject
            case .startArray: .startArray
            case .endArray: .endArray
            }
    }
}
