@testable import SyncCore
import Testing

@Suite struct TrackStartTests {
    private static let time = UnixTime(milliseconds: Time.start)

    @Test func `what is written is read back, and null where nothing is known`() throws {
        let zone = try #require(ZoneName("Europe/Amsterdam"))
        let offset = try #require(UTCOffset(minutes: 120))
        let whole = TrackStart(Self.time, offset: offset, zone: zone)
        #expect(
            whole.value
                == .list([.integer(Time.start), .integer(120), .text("Europe/Amsterdam")])
        )
        #expect(TrackStart(Self.time).value == .list([.integer(Time.start), .null, .null]))
        for start in [whole, TrackStart(Self.time), TrackStart(Self.time, offset: offset)] {
            #expect(TrackStart(start.value) == start)
        }
    }

    @Test(
        arguments: [
            [.integer(Time.start)], [.integer(Time.start), .integer(1081), .null],
            [.integer(Time.start), .integer(.min), .text("../../etc/passwd")],
            [.integer(Time.start), .float(120), .integer(1)],
            [.integer(Time.start), .text("+02:00"), .text("/etc/localtime")],
            [.integer(Time.start), .list([]), .text("Europe/Amsterdam\u{0}")],
        ] as [[Value]]
    )
    func `parts of another shape are not known`(parts: [Value]) {
        #expect(TrackStart(.list(parts)) == TrackStart(Self.time))
    }

    @Test(
        arguments: [
            nil, .null, .integer(Time.start), .text("2026"), .list([]), .list([.null]),
            .list([.text("2026-05-01"), .integer(120)]), .map([:]),
        ] as [Value?]
    )
    func `without an instant it is no start`(value: Value?) {
        #expect(TrackStart(value) == nil)
    }

    @Test func `more parts, of a newer program, are passed over`() {
        let parts = TrackStart(Self.time).value.list ?? []
        #expect(TrackStart(.list(parts + [.text("new")])) == TrackStart(Self.time))
    }
}
