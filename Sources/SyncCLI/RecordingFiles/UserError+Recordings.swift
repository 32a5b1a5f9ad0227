import ProgramKit
import SyncCore

/// Messages for errors in recordings.
extension UserError {
    /// Describes a format error as `file:line: reason`.
    init(_ file: String, _ error: FormatError, _ format: RecordingFormat?) {
        let place =
            switch error.place {
            case .text(let line, _): "\(line)"
            case .byte(let offset): "byte \(offset)"
            }
        let reason = Self.words(for: error.reason, format?.rawValue ?? "a recording")
        self = .failure("\(file):\(place): \(reason)")
    }

    /// Describes an archive that cannot be read.
    init(_ file: String, _ error: ArchiveError) {
        switch error {
        case .damaged(let words):
            self = .failure("\(file): the archive is damaged here: \(words)")
        case .encrypted:
            self = .failure("\(file): it is encrypted", hint: "unpack it with its password")
        case .tooLarge:
            self = .failure("\(file): unpacked, it exceeds the size limit for a recording")
        case .tooManyEntries:
            self = .failure("\(file): it exceeds the limit of files in an archive")
        case .nested:
            self = .failure(
                "\(file): an archive inside an archive is not imported",
                hint: "unpack the outer archive and import the inner one"
            )
        }
    }

    /// Returns the reason why no sentence of an NMEA feed could be used.
    static func words(forUseless counters: FeedCounters) -> String {
        switch (counters.badChecksum, counters.missingChecksum) {
        case _ where !counters.ignored.isEmpty:
            "its sentences (\(counters.ignored.keys.sorted().prefix(5).joined(separator: ", "))) "
                + "contain no track data"
        case (let bad, let missing) where missing > bad: "its sentences have no checksums"
        case (1..., _): "none of its sentences has a correct checksum"
        default: "it is not NMEA 0183"
        }
    }

    private static func words(for reason: FormatError.Reason, _ format: String) -> String {
        switch reason {
        case .malformed: "not well-formed XML"
        case .malformedJSON: "not well-formed JSON"
        case .truncated: "the file ends too early"
        case .documentType: "a document type declaration, which is not allowed"
        case .tooDeep: "elements are nested too deep"
        case .tooLarge: "the file exceeds the size limit"
        case .tooManyElements(let limit): "more than \(limit) elements"
        case .notThisFormat:
            switch format {
            case "FIT": "not FIT"
            case "GeoJSON": "JSON, but not GeoJSON"
            default: "XML, but not GPX, TCX or KML"
            }
        case .badChecksum: "the checksum does not match"
        case .noDefinition(let type): "a message of type \(type) without a definition"
        case .useless(let counters):
            "no usable NMEA sentence: \(Self.words(forUseless: counters))"
        case .noFix: "the log contains no fix"
        case .missingCoordinate: "a point without latitude or longitude"
        case .badCoordinate(let text): "invalid latitude or longitude: '\(text)'"
        case .badNumber(let element, let text): "invalid number in <\(element)>: '\(text)'"
        case .badTime(let text): "invalid time: '\(text)'"
        }
    }
}
