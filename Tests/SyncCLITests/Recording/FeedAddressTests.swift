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
            ("tcp://bo[a]t:1", .tcp(host: "bo[a]t", port: "1")),
            ("tcp://:1", nil), ("tcp://boat:0", nil), ("tcp://boat:70000", nil),
            ("udp://boat:1", .udp(host: "boat", port: "1")),
            ("udp://:10110", .udp(host: nil, port: "10110")), ("udp://", nil),
            ("ftp://boat:1", nil),
        ] as [(String, FeedAddress?)]
    )
    func `a source is a path, a dash or a place in the network`(
        text: String,
        address: FeedAddress?
    ) {
        #expect(FeedAddress(nmea: text) == address)
    }

    @Test(
        arguments: [
            ("localhost", .gpsd(host: "localhost", port: "2947")),
            ("boat:29470", .gpsd(host: "boat", port: "29470")),
            ("[::1]:2947", .gpsd(host: "::1", port: "2947")),
            ("::1", .gpsd(host: "::1", port: "2947")), ("boat:", nil), ("", nil),
        ] as [(String, FeedAddress?)]
    )
    func `a gpsd is a host, with a port or its own`(text: String, address: FeedAddress?) {
        #expect(FeedAddress(gpsd: text) == address)
    }

    @Test(arguments: ["/dev/ttyUSB0", "udp://:10110", "tcp://boat:10110", "tcp://[::1]:10110"])
    func `an address reads as it was written`(text: String) {
        #expect(FeedAddress(nmea: text)?.description == text)
    }
}
