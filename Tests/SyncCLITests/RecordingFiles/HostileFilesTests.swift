import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// Files that are made to hurt whoever reads them, or that nothing good can be said of.
@Suite struct HostileFilesTests {
    private let scratch: ScratchFolder

    private var folder: String { scratch.path }

    init() throws {
        scratch = try ScratchFolder()
    }

    private func run(_ words: [String]) async -> (code: ExitCode, errors: String) {
        let test = TestContext(environment: ["WAKE_DATA": folder + "/data"])
        let code = await Wake.program.run(words, in: test.context)
        return (code, test.error.take())
    }

    private func tracks() async throws -> Int {
        let replica = try Replica(path: folder + "/data/replica.db")
        return try await replica.read { try $0.tracks.all(in: try $0.spaces.own()) }.count
    }

    /// A document of one track.
    private static func gpx(_ points: String) -> [UInt8] {
        Array("<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>".utf8)
    }

    private static func noise(_ seed: UInt64, from start: [UInt8] = []) -> [UInt8] {
        var generator = SplitMix64(seed: seed)
        return start + (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    private static let entities =
        "<!DOCTYPE g [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
        + "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><gpx><trk><name>&c;</name></trk></gpx>"

    static let files: [(name: String, bytes: [UInt8], words: String)] = [
        ("exponential", Array(entities.utf8), ":1: a document type declaration"),
        (
            "quadratic",
            Array(
                "<!DOCTYPE g [<!ENTITY a '\(String(repeating: "a", count: 99_999))'>]><gpx/>".utf8
            ),
            ":1: a document type declaration"
        ),
        (
            "external", Array("<!DOCTYPE g [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><gpx/>".utf8),
            ":1: a document type declaration"
        ),
        ("undefined", Array("<gpx><trk><name>&a;</name></trk></gpx>".utf8), ":1: not well-formed"),
        (
            "nested", Array(("<gpx>" + String(repeating: "<a>", count: 200_000)).utf8),
            ":1: elements are nested too deep"
        ),
        (
            "attribute", Array("<gpx x='\(String(repeating: "a", count: 20 << 20))'/>".utf8),
            ":1: the file exceeds the size limit"
        ),
        (
            "half a document", Array("<gpx><trk><trkseg>\n<trkpt".utf8),
            ":2: the file ends too early"
        ),
        ("no UTF-8", Array("<gpx><trk><name>".utf8) + [0xff, 0xfe], ":1: not well-formed XML"),
        (
            "no encoding", Array("<?xml version='1.0' encoding='x-y'?><gpx/>".utf8),
            "not well-formed"
        ),
        ("NUL in XML", Array("<gpx>".utf8) + [0], ":1: not well-formed XML"),
        (
            "a portal's page", Array("<html><body/></html>".utf8),
            ":1: XML, but not GPX, TCX or KML"
        ),
        (
            "NUL", [UInt8](repeating: 0, count: 100_000),
            ":1: not one of the formats GPX, TCX, KML, FIT, GeoJSON, NMEA 0183"
        ),
        ("nothing", [], ": the file is empty"),
        ("noise", noise(1), "no usable NMEA sentence: it is not NMEA 0183"),
        ("noise behind $", noise(2, from: [0x24]), "usable NMEA sentence: it is not NMEA 0183"),
        (
            "wrong checksums", Array("$GPGLL,4916.45,N,12311.12,W,225444,A*00\r\n".utf8),
            ":1: no usable NMEA sentence: none of its sentences has a correct checksum"
        ),
        (
            "half a sentence", Array("$GPGLL,4916.45,N,123".utf8),
            ":1: no usable NMEA sentence: its sentences have no checksums"
        ),
        (
            "no fix",
            Array(
                ("$GPRMC,120000,V,,,,,,,010620,,,N*55\r\n"
                    + "$GPGGA,120000,,,,,0,00,,,M,,M,,*65\r\n").utf8
            ),
            ":1: the log contains no fix"
        ),
        ("other JSON", Array(#"{"name":"x","version":1}"#.utf8), ":1: JSON, but not GeoJSON"),
        ("LaTeX", Array(#"{\documentclass"#.utf8), ":1: JSON, but not GeoJSON"),
        (
            "deep JSON",
            Array((#"{"type":"Feature","a":"# + String(repeating: "[", count: 200_000)).utf8),
            ":1: elements are nested too deep"
        ),
        (
            "half of GeoJSON", Array("{\"type\":\"FeatureCollection\",\n\"features\":[{".utf8),
            ":2: the file ends too early"
        ),
    ]

    @Test(arguments: files.indices)
    func `a hostile file is told by its name and reason, and leaves nothing`(
        index: Int
    ) async throws {
        let (name, bytes, words) = Self.files[index]
        let file = "\(folder)/\(name)"
        try Data(bytes).write(to: URL(filePath: file))
        _ = await run(["init", "--name", "boat"])
        let outcome = await run(["import", file])
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains(file), "\(outcome.errors)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(try await tracks() == 0)
    }

    @Test(
        arguments: [
            "nan", "inf", "-inf", "1e300", "0x1p3", "91", "-90.1", "", "1,5", "\u{663}", "1e",
            "9223372036854775808", "+", "1.5.5", "1 5",
        ]
    )
    func `a latitude that is none is refused with its line`(text: String) async throws {
        let file = folder + "/latitude.gpx"
        try Data(Self.gpx("\n<trkpt lat='\(text)' lon='2'/>")).write(to: URL(filePath: file))
        _ = await run(["init", "--name", "boat"])
        let outcome = await run(["import", file])
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("\(file):2: invalid latitude or longitude: '"))
        #expect(try await tracks() == 0)
    }

    @Test(
        arguments: [
            "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "9223372036854775808",
            "-9223372036854775808", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "yesterday",
            "2026-01-01T25:00:00Z",
        ]
    )
    func `a time that is none is refused with its line`(text: String) async throws {
        let file = folder + "/time.gpx"
        let point = "\n<trkpt lat='1' lon='2'><time>\(text)</time></trkpt>"
        try Data(Self.gpx(point)).write(to: URL(filePath: file))
        _ = await run(["init", "--name", "boat"])
        let outcome = await run(["import", file])
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("\(file):2: invalid time: '\(text)'"), "\(outcome.errors)")
    }

    @Test func `what is no file is told, and the good ones are taken in`() async throws {
        let good = folder + "/good.gpx"
        try Data(Self.gpx("<trkpt lat='1' lon='2'/>")).write(to: URL(filePath: good))
        _ = await run(["init", "--name", "boat"])
        let outcome = await run(
            ["import", "/dev/zero", folder, good, good, "/proc/self/mem", folder + "/missing"]
        )
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("cannot read /dev/zero: it is a device, not a file"))
        #expect(outcome.errors.contains("files that are not recordings"))
        #expect(outcome.errors.contains("cannot read /proc/self/mem: input/output error"))
        #expect(outcome.errors.contains("cannot read \(folder)/missing: no such file"))
        #expect(try await tracks() == 1)
    }

    @Test func `a text that no cell takes is cut and told, and no track is left out`() async throws
    {
        let notes = String(repeating: "ü", count: 20_000)
        let track = "<trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk>"
        let text =
            "<gpx>\(track)\(track.replacing("<trkseg>", with: "<desc>\(notes)</desc><trkseg>"))</gpx>"
        let file = folder + "/long.gpx"
        try Data(text.utf8).write(to: URL(filePath: file))
        _ = await run(["init", "--name", "boat"])
        let outcome = await run(["import", file])
        #expect(outcome.code == .success)
        #expect(outcome.errors.contains("long.gpx: shortened 1 text longer than 16 KiB"))
        #expect(try await tracks() == 2)
    }
}
