import Testing

@testable import SyncCLI

@Suite struct FeedAddressTests {
    @Test(
        arguments: [
            ("-", .standardInput), ("/dev/ttyUSB0", .file("/dev/ttyUSB0")),
            ("log.nmea", .file("log.nmea")),
            ("tcp://boat:10110", .tcp(host: "boat", port: "10110")),
            ("tcp://boat:10110/", .tcp(host: "boat", port: "10110")),
            ("tcp://[::1]:10110", .tcp(host: "::1", port: "10110")), ("tcp://boat", nil),
            ("tcp://:1", nil), ("tcp://boat:0", nil), ("tcp://boat:70000", nil),
            ("udp://boat:1", nil),
        ] as [(String, FeedAddress?)]
    )
    func `a source is a path, a dash or a place in the network`(
        text: String,
        address: FeedAddress?
    ) {
        #expect(FeedAddress(text) == address)
    }

    @Test(arguments: ["/dev/ttyUSB0", "tcp://boat:10110", "tcp://[::1]:10110"])
    func `an address reads as it was written`(text: String) {
        #expect(FeedAddress(text)?.description == text)
    }
}
