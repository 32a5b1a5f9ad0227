@testable import SyncCore
import Harness
import Testing

@Suite struct NMEAReaderTests {
    /// A sentence with its checksum and line end.
    private static func line(_ body: String) -> String {
        "$\(body)*\([body.utf8.reduce(0, ^)].hexadecimal)\r\n"
    }

    private static func read(
        _ bodies: [String],
        fallback: String = "2020-06-01T12:00:00Z"
    ) -> [Sample] {
        var reader = Self.reader(fallback)
        return reader.feed(Array(bodies.map(line).joined().utf8)) + reader.finish()
    }

    private static func reader(_ fallback: String = "2020-06-01T12:00:00Z") -> NMEAReader {
        NMEAReader(fallbackDate: UnixTime(iso8601: fallback.utf8) ?? UnixTime(milliseconds: 0))
    }

    private static func rmc(_ time: String, _ date: String, _ minutes: String = "00") -> String {
        "GPRMC,\(time),A,52\(minutes).0,N,005\(minutes).0,E,10.0,90.0,\(date),,,A"
    }

    private static func times(_ samples: [Sample]) -> [String] {
        samples.compactMap { $0.time?.iso8601 }
    }

    @Test func `one epoch is one sample`() throws {
        let samples = Self.read([
            Self.rmc("120000", "010620"),
            "GPGGA,120000,5230.0,N,00530.0,W,1,08,0.9,12.3,M,,M,,",
            "GPVTG,91.0,T,,M,11.0,N,,K,A",
            "IIHDG,100.5,1.0,W,2.5,E", "WIMWV,350.0,R,20.0,K,A", "WIMWV,40.0,T,5.0,M,A",
            "SDDPT,4.2,0.5", "SDDBT,30.0,f,9.0,M,,F", "YXMTW,18.5,C",
            "VWVHW,102.0,T,99.0,M,5.0,N,,K", "IIHDT,103.0",
            "IIXDR,A,-5.5,D,ROLL,A,1.5,D,PTCH,C,,C,AIRTEMP,P,1.0132,B,BARO,A,2,D,RUDDER",
        ])
        let sample = try #require(samples.first)
        #expect(samples.count == 2, "VHW and HDT both say the true heading")
        #expect(sample.time == UnixTime(iso8601: "2020-06-01T12:00:00Z".utf8))
        #expect(sample[count: .segment] == 0)
        #expect(sample[.latitude] == 52.5 && sample[.longitude] == -5.5)
        #expect(sample[.speed] == 5.14 && sample[.course] == 90)
        #expect(sample[.altitude] == 12.3 && sample[.satellites] == 8 && sample[.dilution] == 0.9)
        #expect(sample[.headingMagnetic] == 99.5 && sample[.variation] == 2.5)
        #expect(sample[.windAngleApparent] == 350 && sample[.windSpeedApparent] == 5.56)
        #expect(sample[.windAngleTrue] == 40 && sample[.windSpeedTrue] == 5)
        #expect(sample[.depth] == 4.2 && sample[.waterTemperature] == 18.5)
        #expect(sample[.waterSpeed] == 2.57 && sample[.headingTrue] == 102)
        #expect(samples.last?[.headingTrue] == 103)
        #expect(samples.last?[.heel] == -5.5 && samples.last?[.pitch] == 1.5)
        #expect(samples.last?[.temperature] == nil)
        #expect(samples.last?[.pressure] == 1013.2 && samples.last?[.rudder] == 2)
    }

    @Test func `where the wind blows from is no angle to the bow`() {
        let wind = "WIMWD,326.4,T,325.0,M,11.0,N,5.7,M"
        let alone = Self.read([wind, Self.rmc("120000", "010620"), wind])
        #expect(alone.compactMap { $0[.windDirectionTrue] } == [326.4, 326.4])
        #expect(alone.compactMap { $0[.windSpeedTrue] } == [5.7])
        #expect(alone.compactMap { $0[.windAngleTrue] }.isEmpty)
        let both = Self.read([wind, "WIMWV,40.0,T,5.0,M,A", wind])
        #expect(both.compactMap { $0[.windSpeedTrue] } == [5])
    }

    @Test func `slots are spread between two epochs`() {
        let headings = (1...4).map { "IIHDM,\($0).0" }
        let samples = Self.read(
            ["IIHDM,0.0", Self.rmc("120000", "010620")] + headings
                + [Self.rmc("120001", "010620")]
        )
        #expect(
            Self.times(samples) == [
                "2020-06-01T11:59:59Z", "2020-06-01T12:00:00Z", "2020-06-01T12:00:00.250Z",
                "2020-06-01T12:00:00.500Z", "2020-06-01T12:00:00.750Z", "2020-06-01T12:00:01Z",
            ]
        )
        #expect(samples.map { $0[.headingMagnetic] } == [0, 1, 2, 3, 4, nil])
        #expect(samples.map { $0.isPoint } == [false, true, false, false, false, true])
    }

    @Test func `midnight rolls over, before the first date and after it`() {
        func gga(_ time: String) -> String { "GPGGA,\(time),5200.0,N,00500.0,E,1,08,,,M,,M,," }
        let samples = Self.read([
            gga("235958"), gga("235959"), Self.rmc("000000", "010120"), gga("120000"),
            gga("235959"), gga("000000.5"),
        ])
        #expect(
            Self.times(samples) == [
                "2019-12-31T23:59:58Z", "2019-12-31T23:59:59Z", "2020-01-01T00:00:00Z",
                "2020-01-01T12:00:00Z", "2020-01-01T23:59:59Z", "2020-01-02T00:00:00.500Z",
            ]
        )
    }

    @Test func `what would lie after the year 9999 is left out`() {
        let gga = "GPGGA,000001,5200.0,N,00500.0,E,1,08,,,M,,M,,"
        let samples = Self.read([
            "GPZDA,235959,31,12,9999,00,00", "IIHDM,1.0", gga,
            "GPZDA,120000,01,06,2020,00,00", "IIHDM,2.0",
        ])
        #expect(Self.times(samples) == ["9999-12-31T23:59:59Z", "2020-06-01T12:00:00Z"])
    }

    @Test func `without any date the fallback decides`() {
        let gll = "GPGLL,5200.0,N,00500.0,E,235900,A"
        let samples = Self.read([gll, "IIHDM,5"], fallback: "2020-06-02T00:10:00Z")
        #expect(Self.times(samples) == ["2020-06-01T23:59:00Z"])
        let timeless = Self.read(["IIHDM,5", "IIHDM,6"])
        #expect(timeless.compactMap { $0[.headingMagnetic] } == [5, 6])
        #expect(timeless.allSatisfy { $0.time != nil })
    }

    @Test(arguments: [
        "GPRMC,120000,V,5230.0,N,00530.0,E,,,010620,,,N",
        "GPGGA,120000,5230.0,N,00530.0,E,0,00,99.9,1.0,M,,M,,",
        "GPGLL,5230.0,N,00530.0,E,120000,V",
        "GPGLL,5260.0,N,00530.0,E,120000,A", "GPGLL,9130.0,N,00530.0,E,120000,A",
        "GPGLL,nan,N,inf,E,120000,A", "GPGLL,1e300,N,0x1p3,E,120000,A",
        "GPGLL,-5230.0,N,00530.0,E,120000,A", "GPGSA,A,1,,,,,,,,,,,,,99,99,99",
        "GPZDA,999999,99,99,9999,,", "GPRMC", "GPXDR,A", "GPXDR,A,1e300,D,HEEL",
    ])
    func `no fix and no sense make no sample`(body: String) {
        #expect(Self.read([body]).isEmpty)
    }

    @Test(
        arguments: [
            ("3.0,4.0", 5), ("0.6,0.8,1.2", 1), ("150,0", 150), (",", nil), ("-3,4", nil),
            ("1e300,1e300", nil),
        ] as [(String, Double?)]
    )
    func `deviations of a place are its accuracy`(deviations: String, metres: Double?) {
        let fix = "GPGLL,5230.0,N,00530.0,E,120000,A"
        let error = "GPGST,120000,7,,,,\(deviations)"
        for sentences in [[fix, error], [error, fix]] {
            let samples = Self.read(sentences + ["GPGLL,5230.0,N,00530.0,E,120001,A"])
            #expect(samples.map(\.isPoint) == [true, true])
            #expect(samples[0][.accuracy] == metres)
            #expect(samples[1][.accuracy] == nil)
        }
    }

    @Test func `zero-zero is kept, for a filter to flag`() {
        let samples = Self.read(["GPGLL,0000.0,N,00000.0,E,120000,A"])
        #expect(samples.map(\.isPoint) == [true])
    }

    @Test func `an overlong line counts, also if the next sentence ends it`() {
        var reader = Self.reader()
        let noise = String(repeating: "x", count: 10_000)
        _ = reader.feed(Array("\(noise)\(Self.line("IIHDM,1.0"))".utf8))
        #expect(reader.counters.sentences == 1)
        #expect(reader.counters.unreadable == 1)
    }

    @Test func `lines end anyhow, and what is no sentence is counted`() {
        var reader = Self.reader()
        let good = Self.line("IIHDM,1.0").dropLast()
        let text =
            "# hello\n\n\(good)\r\(good)\n\0\r\n\(good)\(good)\r\n"
            + "$IIHDM,1.0*00\r\n$IIHDM,1.0\r\n\u{1}noise\r\n$IIHD\(good)\n"
            + "$\(String(repeating: "x", count: 10_000))\n"
        _ = reader.feed(Array(text.utf8) + [0xff, 0xfe, 0x0a])
        #expect(reader.counters.sentences == 4)
        #expect(reader.counters.badChecksum == 1)
        #expect(reader.counters.missingChecksum == 1)
        #expect(reader.counters.unreadable == 6)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the pieces of the feed make no difference`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let start = UnixTime(milliseconds: 1_750_000_000_000)
        let bytes = SyntheticSail(seed: seed, start: start, seconds: 60).nmea
        var whole = Self.reader()
        var pieces = Self.reader()
        var samples: [Sample] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...100, using: &random)
            samples += pieces.feed(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(samples + pieces.finish() == whole.feed(bytes) + whole.finish())
    }

    @Test(arguments: Rounds.seeds(5))
    func `damaged bytes do no harm`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let start = UnixTime(milliseconds: 1_750_000_000_000)
        var bytes = SyntheticSail(seed: seed, start: start, seconds: 20).nmea
        for _ in 0..<200 {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        var reader = NMEAReader(
            fallbackDate: UnixTime(milliseconds: .max),
            acceptsMissingChecksum: true
        )
        let samples = reader.feed(bytes) + reader.flush() + reader.finish()
        #expect(samples.allSatisfy { $0.time != nil })
    }
}

/// A recorder that cannot wait for the next epoch.
@Suite struct NMEAFlushTests {
    private static func line(_ body: String) -> [UInt8] {
        Array("$\(body)*\([body.utf8.reduce(0, ^)].hexadecimal)\r\n".utf8)
    }

    private static let rmc = line("GPRMC,120000,A,5200.0,N,00500.0,E,10.0,90.0,010620,,,A")

    @Test func `a fix is there at once, and the rest of its epoch later`() {
        var reader = NMEAReader(fallbackDate: UnixTime(milliseconds: 0))
        #expect(reader.feed(Self.rmc + Self.line("IIHDM,1.0")).isEmpty)
        let first = reader.flush()
        #expect(first.count == 1)
        #expect(first.first?.isPoint == true)
        #expect(reader.flush().isEmpty)
        #expect(reader.feed(Self.line("IIHDM,2.0")).isEmpty)
        let second = reader.flush() + reader.finish()
        #expect(second.compactMap { $0[.headingMagnetic] } == [2])
        #expect(
            second.allSatisfy {
                !$0.isPoint
                    && $0.time ?? .init(milliseconds: 0) > first[0].time ?? .init(milliseconds: 0)
            }
        )
    }

    @Test(arguments: Rounds.seeds(10))
    func `flushing at any moment loses nothing`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let start = UnixTime(milliseconds: 1_750_000_000_000)
        let sail = SyntheticSail(seed: seed, start: start, seconds: 60)
        var reader = NMEAReader(fallbackDate: start)
        var samples: [Sample] = []
        for byte in sail.nmea {
            samples += reader.feed([byte])
            if Int.random(in: 0..<200, using: &random) == 0 { samples += reader.flush() }
        }
        samples += reader.finish()
        for channel in [.heel, .pitch, .depth, .headingMagnetic, .windAngleTrue] as [Channel] {
            let made = sail.samples.map { $0[count: channel] }
            #expect(samples.compactMap { $0[count: channel] } == made, "\(channel)")
        }
        let places = Set(samples.filter { $0.isPoint }.compactMap { $0.time })
        #expect(places.count == 60)
    }

    @Test func `sensors before any time wait, or lie before the wall clock`() {
        var reader = NMEAReader(fallbackDate: UnixTime(milliseconds: 0))
        _ = reader.feed(Self.line("IIHDM,1.0"))
        #expect(reader.flush().isEmpty)
        let samples = reader.flush(at: UnixTime(milliseconds: 1_000_000))
        #expect(samples.map { $0.time } == [UnixTime(milliseconds: 999_900)])
        #expect(reader.finish().isEmpty)
    }

    @Test func `a long time without a fix is not held without bound`() {
        var reader = NMEAReader(fallbackDate: UnixTime(milliseconds: 0))
        var count = 0
        for _ in 0..<10_000 { count += reader.feed(Self.line("IIHDM,1.0")).count }
        #expect(count >= 5000)
        #expect(count + reader.finish().count == 10_000)
    }
}
