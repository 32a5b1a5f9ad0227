internal import CExpat

/// Hears what an ``XMLParser`` reads; a thrown reason becomes an error with line and column.
protocol XMLHandler: AnyObject {
    /// A start tag. `name` comes with its prefix, as the document spells it.
    func start(_ name: String, _ attributes: [XMLAttribute]) throws(FormatError.Reason)

    /// An end tag, and the text since the tag before it.
    func end(_ name: String, text: [UInt8]) throws(FormatError.Reason)

    /// Whether the document is read on after an error that was thrown here; at its end that is thrown.
    func readsOn(after reason: FormatError.Reason) -> Bool
}

extension XMLHandler {
    /// An error ends the reading.
    func readsOn(after reason: FormatError.Reason) -> Bool { false }
}

/// The text of elements.
enum XMLText {
    /// Without the white space around it.
    static func trimmed(_ bytes: [UInt8]) -> String {
        let start = bytes.drop(while: \.isWhiteSpace)
        let end = start.lastIndex { !$0.isWhiteSpace }
        return end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    }

    /// An instant; nil for an empty element.
    static func time(_ bytes: [UInt8]) throws(FormatError.Reason) -> WrittenTime? {
        if let time = WrittenTime(iso8601: bytes) { return time }
        guard bytes.allSatisfy(\.isWhiteSpace) else {
            throw .badTime(trimmed(Array(bytes.prefix(40))))
        }
        return nil
    }

    /// The part of a name after its prefix.
    static func local(_ name: String) -> Substring {
        name.utf8.lastIndex(of: UInt8(ascii: ":")).map { name[$0...].dropFirst() } ?? name[...]
    }
}

/// One attribute of a start tag.
struct XMLAttribute {
    let name: String
    let value: [UInt8]
}

/// Reads XML piece by piece with expat, for documents that anyone may have written.
///
/// Refused: document types (and so entities), more than 1 GiB, more than fifty million elements,
/// deeper than 64 elements, a text or attribute of more than 1 MiB, and a document whose root
/// element does not close. Nothing of the document is kept here but the text of one element.
final class XMLParser {
    private lazy var parser = makeParser()
    private let handler: any XMLHandler
    private var text: [UInt8] = []
    private var depth = 0
    private var elementCount = 0
    private let elementLimit: Int
    private var byteCount = 0
    private var failure: FormatError?
    /// The first error after which the document was read on.
    private(set) var fault: FormatError?

    private static let byteLimit = 1 << 30
    private static let depthLimit = 64
    /// A million points with ten readings each have twelve million.
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

    /// Reads on.
    func feed(_ bytes: [UInt8]) throws(FormatError) {
        var start = 0
        while start < bytes.count {
            let count = min(Self.pieceSize, bytes.count - start)
            byteCount += count
            guard byteCount <= Self.byteLimit else { throw error(.tooLarge) }
            try check(unsafe cexpat_parse(parser, bytes, start, count, false), isFinal: false)
            // A token without an end would be read again from its start with every piece.
            let pending = byteCount - Int(cexpat_offset(parser))
            guard pending <= Self.tokenLimit + Self.pieceSize else { throw error(.tooLarge) }
            start += count
        }
    }

    /// Makes sure that the document ended; what ended it too early is thrown before ``fault``.
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

    /// Keeps the first error, and stops expat, which still may call a handler once more.
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
        guard elementCount <= elementLimit else {
            return fail(.tooManyElements(limit: elementLimit))
        }
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
