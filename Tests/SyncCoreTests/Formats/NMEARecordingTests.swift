@testable import SyncCore
import Testing

/// Real logs.
@Suite(.enabled(if: SharedData.isHere, "the recordings are not here"))
struct NMEARecordingTests {
    private static let fallback = UnixTime(milliseconds: 0)

    private static func read(_ name: String) throws -> (samples: [Sample], reader: NMEAReader) {
        var reader = NMEAReader(fallbackDate: fallback)
        let samples = reader.feed(try SharedData.bytes("nmea/\(name)"))
        return (samples + reader.finish(), reader)
    }

    /// The numbers in a field of the file's sentences of one type, read without the reader.
    private static func column(_ type: String, _ name: String, _ field: (Substring) -> Substring?)
        throws -> [Int64]
    {
        let text = String(decoding: try SharedData.bytes("nmea/\(name)"), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).filter { $0.dropFirst(3).hasPrefix(type) }
            .compactMap { field($0).flatMap { Double($0) } }.map { Int64(($0 * 10).rounded()) }
    }

    @Test func `all of a chart plotter's heel, trim and heading readings are there`() throws {
        let (samples, reader) = try Self.read("bundg_zeus_9.log")
        func transducer(_ name: String) throws -> [Int64] {
            try Self.column("XDR", "bundg_zeus_9.log") { line in
                let fields = line.split(separator: "*")[0].split(
                    separator: ",",
                    omittingEmptySubsequences: false
                )
                return fields.firstIndex { $0 == name }.map { fields[$0 - 2] }
            }
        }
        let headings = try Self.column("HDG", "bundg_zeus_9.log") { $0.split(separator: ",")[1] }
        #expect(samples.compactMap { $0[count: .heel] } == (try transducer("HEEL")))
        #expect(samples.compactMap { $0[count: .pitch] } == (try transducer("TRIM")))
        #expect(samples.compactMap { $0[count: .rudder] } == (try transducer("RUDDER")))
        #expect(samples.compactMap { $0[count: .headingMagnetic] } == headings)
        #expect(samples.compactMap { $0[count: .heel] }.count == 148)
        #expect(headings.count == 1457)
        #expect(reader.counters.badChecksum == 0)
    }

    @Test func `a chart plotter's positions come once a second, in order`() throws {
        let (samples, _) = try Self.read("bundg_zeus_9.log")
        let times = samples.compactMap { $0.time?.milliseconds }
        #expect(times.count == samples.count)
        #expect(times == times.sorted())
        let points = samples.filter(\.isPoint).compactMap { $0.time?.milliseconds }
        #expect(points.count == Set(points).count)
        #expect(points.count == 149)
        #expect(points.first == UnixTime(iso8601: "2018-08-20T09:47:36Z".utf8)?.milliseconds)
        for (earlier, later) in zip(points, points.dropFirst()) {
            #expect((1000...2000).contains(later - earlier), "\(earlier)")
        }
    }

    @Test func `a chart plotter's export carries heel and pitch at its points`() throws {
        let (samples, _) = try Self.read("bundg_zeus_9.log")
        let points = PointReadings(of: samples).points
        #expect(points.count { $0[.heel] != nil } >= 145)
        #expect(points.count { $0[.pitch] != nil } >= 145)
    }

    @Test func `a receiver that has no fix at first`() throws {
        let (samples, reader) = try Self.read("bt451.log")
        #expect(samples.allSatisfy { $0.isPoint && $0.time != nil })
        #expect(samples.first?.time == UnixTime(iso8601: "2009-12-09T15:25:04.5Z".utf8))
        #expect(reader.counters.badChecksum == 0)
        #expect(reader.counters.ignored["GSV"] == 36)
    }

    @Test func `a week number that rolled over is put right`() throws {
        let (samples, _) = try Self.read("april6_2019.log")
        #expect(samples.last?.time == UnixTime(iso8601: "2019-04-07T00:02:31.42Z".utf8))
    }
}
