/// An error in a file, with its location.
package struct FormatError: Error, Hashable {
    package let place: Place
    package let reason: Reason

    /// A location in a file.
    package enum Place: Hashable, Sendable {
        /// In a text file: line, and column in bytes, both from 1.
        case text(line: Int, column: Int)
        /// In a binary file: offset in bytes, from 0.
        case byte(Int)
    }

    package init(line: Int, column: Int, reason: Reason) {
        (place, self.reason) = (.text(line: line, column: column), reason)
    }

    package init(byte: Int, reason: Reason) { (place, self.reason) = (.byte(byte), reason) }

    /// Whether the file is of another format rather than a damaged recording.
    package var isOfAnotherKind: Bool {
        switch reason {
        case .notThisFormat: true
        case .useless(let counters): counters.badChecksum + counters.missingChecksum == 0
        default: false
        }
    }

    /// Whether only single points are invalid and all others were read.
    package var isOfPoints: Bool { reason.isOfOnePoint }

    package enum Reason: Error, Hashable {
        /// XML that is not well-formed; the code is expat's, from `expat.h`.
        case malformed(code: Int)
        /// Text that is not valid JSON.
        case malformedJSON
        /// The file is empty or ends too early.
        case truncated
        /// A document type declaration; tracks need none, and entity expansion attacks do.
        case documentType
        /// Elements nested too deeply.
        case tooDeep
        /// The file, a text or an attribute has too many bytes, or the file too many tracks.
        case tooLarge
        /// More elements than the limit.
        case tooManyElements(limit: Int)
        /// The file is of another format, such as XML with another root element.
        case notThisFormat
        /// A checksum that does not match its bytes.
        case badChecksum
        /// A FIT message whose local type has no definition.
        case noDefinition(Int)
        /// No sentence of NMEA 0183 could be used.
        case useless(FeedCounters)
        /// NMEA 0183 from a receiver without a fix and without sensors.
        case noFix
        /// A point without latitude or longitude.
        case missingCoordinate
        /// A latitude or longitude that is not a number or out of range.
        case badCoordinate(String)
        /// A value of the named element that is not a number or out of range.
        case badNumber(element: String, String)
        /// A time that cannot be parsed.
        case badTime(String)

        /// Whether the error concerns one point and the rest of the file can be read.
        var isOfOnePoint: Bool {
            switch self {
            case .missingCoordinate, .badCoordinate, .badNumber, .badTime: true
            default: false
            }
        }
    }
}
