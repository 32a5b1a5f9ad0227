import Testing

@testable import SyncCore

@Suite struct GPSDReaderTests {
    private static let fix = """
        {"class":"TPV","mode":3,"time":"2018-08-20T09:47:37.000Z","lat":52.850155,"lon":5.313616667,\
        "altMSL":-4.0,"track":230.5,"speed":2.881,"magvar":1.4,"eph":11.4}

        """
    private static let time = UnixTime(milliseconds: 1_534_758_457_000)

    private func read(_ text: String, at now: UnixTime? = nil) -> [Sample] {
        var reader = GPSDReader()
        return reader.feed(Array(text.utf8)) + reader.flush(at: now)
    }

    @Test func `a fix with its satellites and its attitude is one sample`() {
        let text =
            #"{"class":"SKY","hdop":0.6,"uSat":12}"# + "\n" + Self.fix
            + #"{"class":"ATT","time":"2018-08-20T09:47:37.000Z","heading":231.0,"roll":-4.9}"#
            + "\n"
        let samples = read(text)
        #expect(samples.count == 1)
        #expect(samples.first?.time == Self.time)
        #expect(samples.first?[.latitude] == 52.850155)
        #expect(samples.first?[count: .longitude] == 53_136_167)
        #expect(samples.first?[.altitude] == -4)
        #expect(samples.first?[.speed] == 2.88)
        #expect(samples.first?[.dilution] == 0.6)
        #expect(samples.first?[.satellites] == 12)
        #expect(samples.first?[.heel] == -4.9)
    }

    @Test func `what is repeated of an epoch after a pause is no second point`() {
        var reader = GPSDReader()
        var samples = reader.feed(Array(Self.fix.utf8)) + reader.flush(at: nil)
        let more = Self.fix.replacing("}", with: #","depth":5.4}"#)
        samples += reader.feed(Array(more.utf8)) + reader.flush(at: nil)
        #expect(samples.count == 2)
        #expect(samples.count(where: \.isPoint) == 1)
        #expect(samples.last?[.depth] == 5.4)
        #expect(samples.last?.time == Self.time)
    }

    @Test func `heel at ten a second is a sample each`() {
        let heel = (0..<10).map {
            #"{"class":"ATT","time":"2018-08-20T09:47:37.\#($0)00Z","roll":\#($0)}"# + "\n"
        }
        #expect(read(heel.joined()).compactMap { $0[.heel] } == (0..<10).map(Double.init))
        let timeless = (0..<3).map { #"{"class":"ATT","roll":\#($0)}"# + "\n" }
        let now = UnixTime(milliseconds: 5)
        #expect(read(Self.fix + timeless.joined()).compactMap { $0[.heel] } == [0, 1, 2])
        #expect(read(timeless[0], at: now).map(\.time) == [now])
    }

    @Test func `a place before the first time waits for it`() {
        let timeless = #"{"class":"TPV","mode":2,"lat":52.85,"lon":5.31}"# + "\n"
        #expect(read(timeless + Self.fix).map(\.time) == [Self.time])
    }

    @Test func `an attitude without a time is none of a fix that comes after it`() {
        // gpsd sends the attitude of an epoch behind its fix.
        let heel = #"{"class":"ATT","roll":5.0}"# + "\n"
        let now = UnixTime(milliseconds: Self.time.milliseconds + 700)
        let samples = read(heel + Self.fix, at: now)
        #expect(samples.first { $0.isPoint }?[.heel] == nil)
        #expect(samples.filter { $0[.heel] == 5 }.map(\.time) == [now])
        let timeless = #"{"class":"TPV","mode":2,"lat":52.85,"lon":5.31}"# + "\n"
        let early = read(heel + timeless + Self.fix, at: now)
        #expect(early.first { $0.isPoint }?[.heel] == nil)
        #expect(early.filter { $0[.heel] == 5 }.map(\.time) == [now])
        let later = read(timeless + heel + Self.fix, at: now)
        #expect(later.map(\.time) == [Self.time] && later.first?[.heel] == 5)
    }

    @Test func `a receiver without a fix says nothing`() {
        let text = #"{"class":"TPV","mode":1,"time":"2018-08-20T09:47:37.000Z","lat":1,"lon":2}"#
        #expect(read(text + "\n").isEmpty)
        #expect(read(#"{"class":"TPV","mode":0}"# + "\n").isEmpty)
    }

    @Test(
        arguments: [
            "{", "[]", #"{"class":1}"#, #"{"class":"TPV","mode":"3"}"#, #"{"mode":3}"#, "\u{1}",
            #"{"class":"TPV","mode":3,"lat":1e999,"lon":0}"#,
            String(repeating: "[", count: 60_000), String(repeating: "x", count: 200_000),
        ]
    )
    func `what is no report is counted`(line: String) {
        var reader = GPSDReader()
        let samples = reader.feed(Array((line + "\n" + Self.fix).utf8)) + reader.finish()
        #expect(samples.count == 1)
        #expect(reader.counters.unreadable == 1)
        #expect(reader.counters.sentences == 1)
    }

    @Test func `values out of range are left out`() {
        let text =
            #"{"class":"TPV","mode":3,"time":"2018-08-20T09:47:37Z","lat":91,"lon":0,"depth":-1}"#
        #expect(read(text + "\n").isEmpty)
        let other = #"{"class":"DEVICES","devices":[]}"# + "\n"
        var reader = GPSDReader()
        _ = reader.feed(Array(other.utf8))
        #expect(reader.counters.ignored == ["DEVICES": 1])
    }

    @Test func `bytes may come in any pieces`() {
        let text = Array((Self.fix + Self.fix.replacing("37.000Z", with: "38.000Z")).utf8)
        for size in [1, 7, 100] {
            var reader = GPSDReader()
            var samples: [Sample] = []
            for start in stride(from: 0, to: text.count, by: size) {
                samples += reader.feed(Array(text[start..<min(start + size, text.count)]))
            }
            samples += reader.finish()
            #expect(samples.count == 2)
        }
    }
}
