/// Why a file is not what it should be, and where.
package struct FormatError: Error, Hashable {
    /// Where in the file.
    package let place: Place
    /// What is wrong there.
    package let reason: Reason

    /// A place in a file.
    package enum Place: Hashable, Sendable {
        /// In a text: the line, and the column in bytes, both from 1.
        case text(line: Int, column: Int)
        /// In other files: the offset in bytes, from 0.
        case byte(Int)
    }

    package init(line: Int, column: Int, reason: Reason) {
        place = .text(line: line, column: column)
        self.reason = reason
    }

    package init(byte: Int, reason: Reason) {
        place = .byte(byte)
        self.reason = reason
    }

    /// Whether the file is something else altogether, and no damaged recording.
    package var isOfAnotherKind: Bool {
        switch reason {
        case .notThisFormat: true
        case .useless(let counters): counters.badChecksum + counters.missingChecksum == 0
        default: false
        }
    }

    /// Whether it is the fault of single points, and all others were read.
    package var isOfPoints: Bool { reason.isOfOnePoint }

    /// What can be wrong with a file.
    package enum Reason: Error, Hashable {
        /// Not well-formed XML; the number is expat's, from `expat.h`.
        case malformed(code: Int)
        /// Not JSON.
        case malformedJSON
        /// The file ends before it should, or is empty.
        case truncated
        /// A document type declaration, which no track needs and bombs do.
        case documentType
        /// Elements are nested deeper than any track needs.
        case tooDeep
        /// More bytes than a file, a text or an attribute may have, or more tracks than any file has.
        case tooLarge
        /// More elements than any track needs.
        case tooManyElements(limit: Int)
        /// The root element is another one, or the file does not begin as it should.
        case notThisFormat
        /// A checksum is not that of the bytes before it.
        case badChecksum
        /// A message of a local type that nothing was said about.
        case noDefinition(Int)
        /// Not one sentence of NMEA 0183 tells anything of a track.
        case useless(FeedCounters)
        /// Sentences of NMEA 0183 of a receiver that had no fix, and of no sensor.
        case noFix
        /// A point without latitude or longitude.
        case missingCoordinate
        /// A latitude or longitude that is no number or out of range.
        case badCoordinate(String)
        /// A number that is none, or out of range, in the element named.
        case badNumber(element: String, String)
        /// A time that is none.
        case badTime(String)

        /// Whether it is one point's fault, and the rest of the file can be read.
        var isOfOnePoint: Bool {
            switch self {
            case .missingCoordinate, .badCoordinate, .badNumber, .badTime: true
            default: false
            }
        }
    }
}
