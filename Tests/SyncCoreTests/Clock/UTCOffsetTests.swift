@testable import SyncCore
import Testing

@Suite struct UTCOffsetTests {
    @Test(arguments: [
        (0, "+00:00"), (120, "+02:00"), (-210, "-03:30"), (345, "+05:45"), (-30, "-00:30"),
        (840, "+14:00"), (1080, "+18:00"), (-1080, "-18:00"),
    ])
    func `an offset is written and read back`(minutes: Int, text: String) throws {
        let offset = try #require(UTCOffset(minutes: minutes))
        #expect(offset.description == text)
        #expect(UTCOffset(iso8601: text.utf8) == offset)
    }

    @Test(arguments: [1081, -1081, Int64.max, .min])
    func `no clock is farther from UTC`(minutes: Int64) {
        #expect(UTCOffset(minutes: minutes) == nil)
    }

    @Test(arguments: [("+02", 120), ("-0330", -210), (" +05:45", 345)])
    func `short forms are read`(text: String, minutes: Int) {
        #expect(UTCOffset(iso8601: text.utf8)?.minutes == minutes)
    }

    @Test(arguments: ["", "Z", "-00:00", "2", "+2", "+02:60", "+02:00x", "02:00", "+19:00", "+-2"])
    func `anything else is no offset`(text: String) {
        #expect(UTCOffset(iso8601: text.utf8) == nil)
    }
}
