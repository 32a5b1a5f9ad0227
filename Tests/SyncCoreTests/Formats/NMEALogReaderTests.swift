@testable import SyncCore
import Testing

/// What a log tells by itself, on whichever machine and day it is read.
@Suite struct NMEALogReaderTests {
    private static func read(_ bodies: [String]) throws -> ImportedFile {
        let text = bodies.map { "$\($0)*\([$0.utf8.reduce(0, ^)].hexadecimal)\r\n" }.joined()
        var reader = NMEALogReader()
        try reader.feed(Array(text.utf8))
        return try reader.finish()
    }

    private static func gga(_ time: String) -> String {
        "GPGGA,\(time),5200.0,N,00500.0,E,1,08,,,M,,M,,"
    }

    private static let empty = [
        "GPRMC,120000,V,,,,,,,010620,,,N", "GPRMC,120001,V,,,,,,,,,,N",
        "GPGGA,120001,,,,,0,00,,,M,,M,,",
    ]

    @Test func `a log of nothing but empty fixes is told so`() {
        #expect(throws: FormatError(line: 1, column: 1, reason: .noFix)) {
            try Self.read(Self.empty)
        }
    }

    @Test(arguments: [[], empty])
    func `sensors without a fix have no times`(fixes: [String]) throws {
        let file = try Self.read(["IIHDM,1.0"] + fixes + ["IIHDM,2.0", "IIHDM,3.0"])
        let track = try #require(file.tracks.first)
        #expect(track.samples.compactMap { $0[.headingMagnetic] } == [1, 2, 3])
        #expect(track.samples.allSatisfy { $0.time == nil })
        #expect(track.start == nil)
    }

    @Test func `fixes that no sentence dates have no times, and it is told`() throws {
        let file = try Self.read([Self.gga("235959"), "IIHDM,1.0", "IIHDM,2.0", Self.gga("000000")])
        let track = try #require(file.tracks.first)
        #expect(track.samples.map(\.isPoint) == [true, false, true])
        #expect(track.samples.allSatisfy { $0.time == nil })
        #expect(file.passedOver == [.timeOfDay: 2])
    }

    @Test func `one date in a log dates all of it`() throws {
        let rmc = "GPRMC,000000,A,5200.0,N,00500.0,E,10.0,90.0,010620,,,A"
        let file = try Self.read([Self.gga("235959"), rmc, Self.gga("000001")])
        let times = file.tracks.first?.samples.compactMap { $0.time?.iso8601 }
        #expect(
            times == ["2020-05-31T23:59:59Z", "2020-06-01T00:00:00Z", "2020-06-01T00:00:01Z"]
        )
        #expect(file.passedOver.isEmpty)
    }

    @Test func `what waits for a date is bounded, and nothing of it is lost`() throws {
        let sensors = Array(repeating: "IIHDM,1.0", count: 10_000)
        let file = try Self.read([Self.gga("120000")] + sensors)
        let track = try #require(file.tracks.first)
        #expect(track.samples.count { $0[.headingMagnetic] != nil } == 10_000)
        #expect(track.samples.allSatisfy { $0.time == nil })
    }
}
