internal import CExpat

/// Receives the events of an ``XMLParser``, which adds line and column to a thrown reason.
protocol XMLHandler: AnyObject {
    /// Handles a start tag; `name` includes the prefix, as in the document.
    func start(_ name: String, _ attributes: [XMLAttribute]) throws(FormatError.Reason)

    /// Handles an end tag; `text` is the text since the previous tag.
    func end(_ name: String, text: [UInt8]) throws(FormatError.Reason)

    /// Returns whether parsing continues after an error from this handler.
    ///
    /// `XMLParser.finish()` throws the first such error.
    func readsOn(after reason: FormatError.Reason) -> Bool
}

/// Conversions of element text and names.
enum XMLText {
    /// Decodes text without the white space around it.
    static func trimmed(_ bytes: [UInt8]) -> String {
        let start = bytes.drop(while: \.isWhiteSpace)
        let end = start.lastIndex { !$0.isWhiteSpace }
        return end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    }

    /// Parses an ISO 8601 time, or returns nil for an empty element.
    static func time(_ bytes: [UInt8]) throws(FormatError.Reason) -> WrittenTime? {
        if let time = WrittenTime(iso8601: bytes) { return time }
        guard bytes.allSatisfy(\.isWhiteSpace) else { throw .badTime(excerpt(bytes)) }
        return nil
    }

    /// Parses a number, or returns nil for an empty element.
    static func count(
        _ bytes: [UInt8],
        decimals: Int,
        _ name: String
    ) throws(FormatError.Reason) -> Int64? {
        if let count = Decimal(bytes)?.count(decimals: decimals) { return count }
        guard bytes.allSatisfy(\.isWhiteSpace)
        else { throw .badNumber(element: name, excerpt(bytes)) }
        return nil
    }

    /// Returns the beginning of a text, for an error.
    static func excerpt(_ bytes: [UInt8]) -> String { trimmed(Array(bytes.prefix(40))) }

    /// Returns the name without its prefix.
    static func local(_ name: String) -> String {
        name.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(name[$0...].dropFirst()) } ?? name
    }
}

struct XMLAttribute {
    let name: String
    let value: [UInt8]
}

extension [XMLAttribute] {
    /// The value of the named attribute, or nil if there is none.
    subscript(name: String) -> [UInt8]? { first { $0.name == name }?.value }
}

/// Parses untrusted XML piece by piece with expat.
///
/// Limits: 1 GiB, 50 million elements, 64 levels of nesting, 1 MiB for a text or attribute.
/// Document types, and so entities, are rejected, as is a document whose root element does not
/// close. Memory use is bounded: the parser holds only the text of one element.
final class XMLParser {
    private lazy var parser = makeParser()
    private let handler: any XMLHandler
    private var text: [UInt8] = []
    private var depth = 0
    private var elementCount = 0
    private let elementLimit: Int
    private var byteCount = 0
    private var failure: FormatError?
    /// The first error after which parsing continued.
    private(set) var fault: FormatError?

    private static let byteLimit = 1 << 30
    private static let depthLimit = 64
    /// A million points with ten readings each make twelve million elements.
    static let elementLimit = 50_000_000
    private static let tokenLimit = 1 << 20
    private static let pieceSize = 64 << 10

    init(handler: any XMLHandler, elementLimit: Int = XMLParser.elementLimit) {
        self.handler = handler
        self.elementLimit = elementLimit
    }

    private func makeParser() -> cexpat_parser {
        let parser = unsafe cexpat_new(
            Unmanaged.passUnretained(self).toOpaque(),
            { unsafe XMLParser.from($0).start($1, UnsafeBufferPointer(start: $2, count: $3)) },
            { unsafe XMLParser.from($0).end($1) },
            { unsafe XMLParser.from($0).append(UnsafeBufferPointer(start: $1, count: $2)) },
            { unsafe XMLParser.from($0).fail(.documentType) }
        )
        guard let parser else { preconditionFailure("expat has memory") }
        return parser
    }

    func feed(_ bytes: [UInt8]) throws(FormatError) {
        var start = 0
        while start < bytes.count {
            let count = min(Self.pieceSize, bytes.count - start)
            byteCount += count
            guard byteCount <= Self.byteLimit else { throw error(.tooLarge) }
            try check(unsafe cexpat_parse(parser, bytes, start, count, false), isFinal: false)
            // expat rescans an unfinished token from its start with every piece.
            let pending = byteCount - Int(cexpat_offset(parser))
            guard pending <= Self.tokenLimit + Self.pieceSize else { throw error(.tooLarge) }
            start += count
        }
    }

    /// Checks that the document is complete, then throws ``fault`` if there was one.
    func finish() throws(FormatError) {
        try check(cexpat_parse(parser, nil, 0, 0, true), isFinal: true)
        if let fault { throw fault }
    }

    private func check(_ code: Int32, isFinal: Bool) throws(FormatError) {
        if let failure { throw failure }
        guard code != 0 else { return }
        let isCut = isFinal && code != CEXPAT_FINISHED
        throw error(isCut ? .truncated : .malformed(code: Int(code)))
    }

    private func error(_ reason: FormatError.Reason) -> FormatError {
        FormatError(
            line: Int(cexpat_line(parser)),
            column: Int(cexpat_column(parser)) + 1,
            reason: reason
        )
    }

    /// Keeps the first error and stops expat, which may still call one more handler.
    private func fail(_ reason: FormatError.Reason) {
        guard failure == nil else { return }
        failure = error(reason)
        cexpat_stop(parser)
    }
}

extension XMLParser {
    private func take(_ reason: FormatError.Reason) {
        guard handler.readsOn(after: reason) else { return fail(reason) }
        fault = fault ?? error(reason)
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> XMLParser {
        unsafe Unmanaged<XMLParser>.fromOpaque(context).takeUnretainedValue()
    }

    private func start(
        _ name: UnsafePointer<CChar>,
        _ attributes: UnsafeBufferPointer<cexpat_attribute>
    ) {
        guard failure == nil else { return }
        depth += 1
        elementCount += 1
        guard depth <= Self.depthLimit else { return fail(.tooDeep) }
        guard elementCount <= elementLimit
        else { return fail(.tooManyElements(limit: elementLimit)) }
        text.removeAll(keepingCapacity: true)
        do throws(FormatError.Reason) {
            try unsafe handler.start(String(cString: name), Self.copies(of: attributes))
        } catch {
            take(error)
        }
    }

    private static func copies(
        of attributes: UnsafeBufferPointer<cexpat_attribute>
    ) throws(FormatError.Reason) -> [XMLAttribute] {
        try unsafe attributes.map { attribute throws(FormatError.Reason) in
            guard unsafe attribute.count <= tokenLimit else { throw .tooLarge }
            return unsafe XMLAttribute(
                name: String(cString: attribute.name),
                value: Array(UnsafeBufferPointer(start: attribute.value, count: attribute.count))
            )
        }
    }

    private func end(_ name: UnsafePointer<CChar>) {
        guard failure == nil else { return }
        depth -= 1
        do throws(FormatError.Reason) {
            try handler.end(unsafe String(cString: name), text: text)
        } catch {
            take(error)
        }
        text.removeAll(keepingCapacity: true)
    }

    private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard failure == nil else { return }
        guard text.count + bytes.count <= Self.tokenLimit else { return fail(.tooLarge) }
        unsafe text.append(contentsOf: bytes)
    }
}
