internal import CYajl

/// What a document of JSON is made of, in its order.
enum JSONEvent: Equatable {
    case null
    case bool(Bool)
    /// As the document spells it: no number is too great or too long to be told.
    case number([UInt8])
    case string([UInt8])
    case startObject
    case key([UInt8])
    case endObject
    case startArray
    case endArray
}

/// Hears what a ``JSONParser`` reads; a thrown reason becomes an error with line and column.
protocol JSONHandler: AnyObject {
    func take(_ event: JSONEvent) throws(FormatError.Reason)
}

/// Reads JSON (RFC 8259) piece by piece with yajl, for documents that anyone may have written.
///
/// Refused: more than 1 GiB, deeper than 64 levels, a text of more than 1 MiB, and a document that
/// does not end or goes on after its end. Nothing of the document is kept here but one text.
@safe final class JSONParser {
    private var parser: yajl_handle?
    /// yajl keeps the address.
    private let callbacks = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    /// It has this parser, and outlives it.
    private unowned let handler: any JSONHandler
    private var depth = 0
    private var byteCount = 0
    private var byteCountAtEvent = 0
    private var place = (line: 1, column: 1)
    private var failure: FormatError.Reason?

    private static let byteLimit = 1 << 30
    private static let depthLimit = 64
    private static let tokenLimit = 1 << 20
    private static let pieceSize = 64 << 10

    init(handler: any JSONHandler) {
        self.handler = handler
        unsafe callbacks.initialize(to: Self.doors)
        unsafe parser = yajl_alloc(callbacks, nil, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        unsafe yajl_free(parser)
        unsafe callbacks.deallocate()
    }

    /// Reads on.
    func feed(_ bytes: [UInt8]) throws(FormatError) {
        // Some programs put a mark of the byte order before the text.
        let skipped = byteCount == 0 && bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        var rest = bytes.dropFirst(skipped)
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceSize))
            rest = rest.dropFirst(piece.count)
            byteCount += piece.count
            guard byteCount <= Self.byteLimit else { throw error(.tooLarge) }
            try check(unsafe yajl_parse(parser, piece, piece.count), piece)
            move(over: piece)
            guard byteCount - byteCountAtEvent <= Self.tokenLimit + Self.pieceSize else {
                throw error(.tooLarge)
            }
        }
    }

    /// Makes sure that the document ended.
    func finish() throws(FormatError) {
        let isEnded = unsafe yajl_complete_parse(parser) == yajl_status_ok
        if let failure { throw error(failure) }
        guard isEnded, byteCount > 0 else { throw error(.truncated) }
    }

    private func check(_ status: yajl_status, _ piece: [UInt8]) throws(FormatError) {
        guard status != yajl_status_ok else { return }
        move(over: Array(piece.prefix(unsafe yajl_get_bytes_consumed(parser))))
        throw error(failure ?? .malformedJSON)
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

/// What yajl calls.
extension JSONParser {
    private static let doors = unsafe yajl_callbacks(
        yajl_null: { unsafe JSONParser.hand(.null, $0) },
        yajl_boolean: { unsafe JSONParser.hand(.bool($1 != 0), $0) },
        yajl_integer: nil,
        yajl_double: nil,
        yajl_number: { context, text, count in
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
            return unsafe JSONParser.hand(.number(Array(bytes)), context)
        },
        yajl_string: { context, text, count in
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
            return unsafe JSONParser.hand(.string(Array(bytes)), context)
        },
        yajl_start_map: { unsafe JSONParser.hand(.startObject, $0) },
        yajl_map_key: { context, text, count in
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
            return unsafe JSONParser.hand(.key(Array(bytes)), context)
        },
        yajl_end_map: { unsafe JSONParser.hand(.endObject, $0) },
        yajl_start_array: { unsafe JSONParser.hand(.startArray, $0) },
        yajl_end_array: { unsafe JSONParser.hand(.endArray, $0) }
    )

    /// Hands an event on; 0 has yajl end.
    private static func hand(_ event: JSONEvent, _ context: UnsafeMutableRawPointer?) -> Int32 {
        guard let context = unsafe context else { return 0 }
        let parser = unsafe Unmanaged<JSONParser>.fromOpaque(context).takeUnretainedValue()
        do throws(FormatError.Reason) {
            try parser.take(event)
            return 1
        } catch {
            parser.failure = error
            return 0
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
