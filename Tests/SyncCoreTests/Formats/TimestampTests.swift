@testable import SyncCore
import Harness
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0),
        ("2012-11-07T09:11:35Z", 1_352_279_495_000),
        ("2012-11-07 09:11:35", 1_352_279_495_000),
        ("2012-11-07t10:11:35.5+01:00", 1_352_279_495_500),
        ("2012-11-07T04:41:35,1239999-0430", 1_352_279_495_123),
        ("2012-11-07T11:11:35+02", 1_352_279_495_000),
        (" 2016-05-27T10:08:47.8Z\n", 1_464_343_727_800),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2000-02-29T00:00:00Z", 951_782_400_000),
    ])
    func `instants are read`(text: String, milliseconds: Int64) {
        #expect(UnixTime(iso8601: text.utf8)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2012", "2012-11-07", "2012-13-07T00:00:00Z", "2001-02-29T00:00:00Z",
        "2012-11-07T24:00:00Z", "2012-11-07T00:60:00Z", "2012-11-07T00:00:61Z",
        "2012-11-07T00:00:00.Z", "2012-11-07T00:00:00ZZ", "2012-11-07T00:00:00+1",
        "2012-11-07T00:00:00+25:00", "0000-01-01T00:00:00Z", "2012-11-07T00:00:0aZ",
        "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:60Z", "9999-12-31T23:59:59-00:01",
    ])
    func `anything else is no instant`(text: String) {
        #expect(UnixTime(iso8601: text.utf8) == nil)
    }

    @Test(arguments: Rounds.seeds(10))
    func `instants are written and read back`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
        let time = UnixTime(milliseconds: Int64.random(in: range, using: &random))
        #expect(UnixTime(iso8601: time.iso8601.utf8) == time)
    }

    @Test func `no instant traps when it is written`() {
        #expect(UnixTime(milliseconds: 0).iso8601 == "1970-01-01T00:00:00Z")
        #expect(UnixTime(milliseconds: -1).iso8601 == "1969-12-31T23:59:59.999Z")
        #expect(UnixTime(milliseconds: .max).iso8601.hasSuffix("Z"))
        #expect(UnixTime(milliseconds: .min).iso8601.hasPrefix("-"))
    }
}
