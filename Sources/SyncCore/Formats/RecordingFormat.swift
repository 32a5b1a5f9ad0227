/// The recording formats that can be imported, detected by their first bytes.
package enum RecordingFormat: String, CaseIterable, Sendable {
    case gpx = "GPX"
    case tcx = "TCX"
    case kml = "KML"
    case fit = "FIT"
    case geoJSON = "GeoJSON"
    case nmea = "NMEA 0183"

    /// The number of bytes that suffice to detect the format.
    package static let headSize = 4096

    /// Detects the format from a file's first bytes, or returns nil if it is none of these.
    package init?(head: some Collection<UInt8>) {
        let head = Array(head.prefix(Self.headSize))
        if head.count >= 12, head[8..<12].elementsEqual(Array(".FIT".utf8)) {
            self = .fit
        } else if let root = Self.root(of: head) {
            // For other XML, the GPX reader reports the error with its line.
            self = Self.roots[root] ?? .gpx
        } else if Self.isJSON(head) {
            self = .geoJSON
        } else if head.contains(UInt8(ascii: "$")) || head.contains(UInt8(ascii: "!")) {
            self = .nmea
        } else {
            return nil
        }
    }

    private static let roots: [String: RecordingFormat] = [
        "gpx": .gpx, "TrainingCenterDatabase": .tcx, "kml": .kml,
    ]

    private static func isJSON(_ head: [UInt8]) -> Bool {
        let text = head.starts(with: [0xef, 0xbb, 0xbf]) ? head.dropFirst(3) : head[...]
        return text.first { !$0.isWhiteSpace } == UInt8(ascii: "{")
    }

    /// Returns the local name of the root element, whatever the encoding.
    ///
    /// Returns an empty name if the element lies beyond the head, and nil if the text is not XML.
    private static func root(of head: [UInt8]) -> String? {
        let marks: [UInt8] = [0xef, 0xbb, 0xbf, 0xff, 0xfe]
        // In UTF-16, every ASCII character has a zero byte.
        let text = head.drop { marks.contains($0) }.filter { $0 != 0 }.drop(while: \.isWhiteSpace)
        guard text.first == UInt8(ascii: "<") else { return nil }
        for part in withoutComments(text).split(separator: UInt8(ascii: "<")) {
            guard let first = part.first, first != UInt8(ascii: "?"), first != UInt8(ascii: "!")
            else { continue }
            let name = part.prefix { !$0.isWhiteSpace && $0 != 0x3e && $0 != 0x2f }
            return XMLText.local(String(decoding: name, as: UTF8.self))
        }
        return ""
    }

    private static func withoutComments(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var rest = text
        var kept: [UInt8] = []
        while let start = rest.firstRange(of: Array("<!--".utf8)) {
            kept += rest[..<start.lowerBound]
            let end = rest[start.upperBound...].firstRange(of: Array("-->".utf8))
            rest = end.map { rest[$0.upperBound...] } ?? []
        }
        return kept + rest
    }

    package func reader() -> any RecordingReader {
        switch self {
        case .gpx: XMLRecordingReader(GPXReader())
        case .tcx: XMLRecordingReader(TCXReader())
        case .kml: XMLRecordingReader(KMLReader())
        case .fit: FITReader()
        case .geoJSON: GeoJSONReader()
        case .nmea: NMEALogReader()
        }
    }

    /// Parses a complete file of this format.
    package func read(_ document: [UInt8]) throws(FormatError) -> ImportedFile {
        var reader = reader()
        try reader.feed(document)
        return try reader.finish()
    }
}
