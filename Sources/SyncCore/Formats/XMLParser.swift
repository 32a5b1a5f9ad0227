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
@safe final class XMLParser {
    private let parser: XML_Parser
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
        guard let parser = unsafe XML_ParserCreate(nil) else {
            preconditionFailure("expat has memory")
        }
        unsafe self.parser = parser
        self.handler = handler
        self.elementLimit = elementLimit
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { unsafe XMLParser.from($0)?.start($1, $2) },
            { unsafe XMLParser.from($0)?.end($1) }
        )
        unsafe XML_SetCharacterDataHandler(parser) { unsafe XMLParser.from($0)?.append($1, $2) }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
            unsafe XMLParser.from(context)?.fail(.documentType)
        }
    }

    deinit {
        unsafe XML_ParserFree(parser)
    }

    /// Reads on.
    func feed(_ bytes: [UInt8]) throws(FormatError) {
        var start = 0
        while start < bytes.count {
            let count = min(Self.pieceSize, bytes.count - start)
            byteCount += count
            guard byteCount <= Self.byteLimit else { throw error(.tooLarge) }
            try unsafe bytes.withUnsafeBufferPointer { buffer throws(FormatError) in
                guard let base = buffer.baseAddress else { return }
                try unsafe parse(UnsafeRawPointer(base + start), count, isFinal: false)
            }
            // A token without an end would be read again from its start with every piece.
            let pending = byteCount - Int(unsafe XML_GetCurrentByteIndex(parser))
            guard pending <= Self.tokenLimit + Self.pieceSize else { throw error(.tooLarge) }
            start += count
        }
    }

    /// Makes sure that the document ended; what ended it too early is thrown before ``fault``.
    func finish() throws(FormatError) {
        try unsafe parse(nil, 0, isFinal: true)
        if let fault { throw fault }
    }

    private func parse(
        _ bytes: UnsafeRawPointer?,
        _ count: Int,
        isFinal: Bool
    ) throws(FormatError) {
        let bytes = unsafe bytes?.assumingMemoryBound(to: CChar.self)
        let status = unsafe XML_Parse(parser, bytes, Int32(count), isFinal ? 1 : 0)
        if let failure { throw failure }
        guard status != XML_STATUS_OK else { return }
        let code = unsafe XML_GetErrorCode(parser)
        let isCut = isFinal && code != XML_ERROR_FINISHED
        throw error(isCut ? .truncated : .malformed(code: Int(code.rawValue)))
    }

    private func error(_ reason: FormatError.Reason) -> FormatError {
        FormatError(
            line: Int(unsafe XML_GetCurrentLineNumber(parser)),
            column: Int(unsafe XML_GetCurrentColumnNumber(parser)) + 1,
            reason: reason
        )
    }

    /// Keeps the first error, and stops expat, which still may call a handler once more.
    private func fail(_ reason: FormatError.Reason) {
        guard failure == nil else { return }
        failure = error(reason)
        _ = unsafe XML_StopParser(parser, 0)
    }
}

extension XMLParser {
    private func take(_ reason: FormatError.Reason) {
        guard handler.readsOn(after: reason) else { return fail(reason) }
        fault = fault ?? error(reason)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> XMLParser? {
        unsafe context.map {
            unsafe Unmanaged<XMLParser>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private func start(
        _ name: UnsafePointer<CChar>?,
        _ values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        guard failure == nil, let name = unsafe name else { return }
        depth += 1
        elementCount += 1
        guard depth <= Self.depthLimit else { return fail(.tooDeep) }
        guard elementCount <= elementLimit else {
            return fail(.tooManyElements(limit: elementLimit))
        }
        text.removeAll(keepingCapacity: true)
        do throws(FormatError.Reason) {
            try unsafe handler.start(String(cString: name), attributes(values))
        } catch {
            take(error)
        }
    }

    private func attributes(
        _ values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) throws(FormatError.Reason) -> [XMLAttribute] {
        guard var next = unsafe values else { return [] }
        var attributes: [XMLAttribute] = []
        while let name = unsafe next[0], let value = unsafe next[1] {
            let count = unsafe length(value)
            guard count <= Self.tokenLimit else { throw .tooLarge }
            let bytes = unsafe UnsafeBufferPointer(start: value, count: count)
            attributes.append(
                XMLAttribute(
                    name: unsafe String(cString: name),
                    value: unsafe bytes.map { UInt8(bitPattern: $0) }
                )
            )
            unsafe next += 2
        }
        return attributes
    }

    private func length(_ text: UnsafePointer<CChar>) -> Int {
        var count = 0
        while unsafe text[count] != 0 { count += 1 }
        return count
    }

    private func end(_ name: UnsafePointer<CChar>?) {
        guard failure == nil, let name = unsafe name else { return }
        depth -= 1
        do throws(FormatError.Reason) {
            try handler.end(unsafe String(cString: name), text: text)
        } catch {
            take(error)
        }
        text.removeAll(keepingCapacity: true)
    }

    private func append(_ characters: UnsafePointer<CChar>?, _ count: Int32) {
        guard failure == nil, let characters = unsafe characters else { return }
        guard text.count + Int(count) <= Self.tokenLimit else { return fail(.tooLarge) }
        let bytes = unsafe UnsafeBufferPointer(start: characters, count: Int(count))
        unsafe text.append(contentsOf: bytes.lazy.map { UInt8(bitPattern: $0) })
    }
}
