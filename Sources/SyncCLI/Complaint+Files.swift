import SyncCore

/// The words for files.
extension Complaint {
    init(describing error: FileError) {
        let hint: String? =
            switch error.action {
            case .write where error.isMissing: "make its folder first"
            case .write where error.isTaken: "--force writes over it"
            case .read, .write, .make: nil
            }
        self.init(
            error.isMissing && error.action == .read ? .notFound : .failure,
            "cannot \(error.action.rawValue) \(error.path): \(error.reason)",
            hint: hint
        )
    }

    /// A file that is not what it should be: `file:line: reason`.
    init(_ file: String, _ error: FormatError) {
        self.init(.failure, "\(file):\(error.line): \(Self.words(for: error.reason))")
    }

    private static func words(for reason: FormatError.Reason) -> String {
        switch reason {
        case .malformed: "not well-formed XML"
        case .truncated: "the file ends too early"
        case .documentType: "a document type declaration, which no track needs"
        case .tooDeep: "elements are nested too deep"
        case .tooLarge: "more than a file may hold"
        case .notThisFormat: "XML, but not GPX"
        case .missingCoordinate: "a point without latitude or longitude"
        case .badCoordinate(let text): "no latitude and longitude: '\(text)'"
        case .badNumber(let element, let text): "no number in <\(element)>: '\(text)'"
        case .badTime(let text): "no time: '\(text)'"
        }
    }
}
