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
        self.init(.failure, "\(file):\(place): \(reason)")
    }

    /// Describes an archive that cannot be read.
    init(_ file: String, _ error: ArchiveError) {
        switch error {
        case .damaged(let words):
            self.init(.failure, "\(file): the archive is damaged here: \(words)")
        case .encrypted:
            self.init(.failure, "\(file): it is encrypted", hint: "unpack it with its password")
        case .tooLarge:
            self.init(.failure, "\(file): it unpacks to more than a recording may hold")
        case .tooManyEntries:
            self.init(.failure, "\(file): more files than an archive of recordings has")
        case .nested:
            self.init(
                .failure,
                "\(file): an archive in an archive is not opened",
                hint: "unpack the outer one and import the inner"
            )
        }
    }

    /// Returns the reason why no sentence of an NMEA feed could be used.
    static func words(forUseless counters: FeedCounters) -> String {
        switch (counters.badChecksum, counters.missingChecksum) {
        case _ where !counters.ignored.isEmpty:
            "its sentences (\(counters.ignored.keys.sorted().prefix(5).joined(separator: ", "))) "
                + "tell nothing of a track"
        case (let bad, let missing) where missing > bad: "its sentences have no checksums"
        case (1..., _): "no sentence in it has the right checksum"
        default: "it is not NMEA 0183"
        }
    }

    private static func words(for reason: FormatError.Reason, _ format: String) -> String {
        switch reason {
        case .malformed: "not well-formed XML"
        case .malformedJSON: "not well-formed JSON"
        case .truncated: "the file ends too early"
        case .documentType: "a document type declaration, which no track needs"
        case .tooDeep: "elements are nested too deep"
        case .tooLarge: "more than a file may hold"
        case .tooManyElements(let limit): "more than \(limit) elements"
        case .notThisFormat:
            switch format {
            case "FIT": "not FIT"
            case "GeoJSON": "JSON, but no GeoJSON"
            default: "XML, but none of GPX, TCX and KML"
            }
        case .badChecksum: "the checksum is not that of the bytes before it"
        case .noDefinition(let type): "a message of type \(type), of which nothing was said"
        case .useless(let counters):
            "no NMEA sentence can be used: \(Self.words(forUseless: counters))"
        case .noFix: "no fix in this log"
        case .missingCoordinate: "a point without latitude or longitude"
        case .badCoordinate(let text): "no latitude and longitude: '\(text)'"
        case .badNumber(let element, let text): "no number in <\(element)>: '\(text)'"
        case .badTime(let text): "no time: '\(text)'"
        }
    }
}
