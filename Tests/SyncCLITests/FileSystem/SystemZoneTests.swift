import Foundation
import SyncCore
import Testing

@testable import SyncCLI

@Suite struct SystemZoneTests {
    private let scratch: ScratchFolder
    private var root: String { scratch.path }

    init() throws {
        scratch = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/etc",
            withIntermediateDirectories: true
        )
    }

    private func link(to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: root + "/etc/localtime",
            withDestinationPath: target
        )
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: "\(root)/etc/\(name)", atomically: true, encoding: .utf8)
    }

    @Test(arguments: [
        "/usr/share/zoneinfo/Europe/Amsterdam", "../usr/share/zoneinfo/Europe/Amsterdam",
        "/var/db/timezone/zoneinfo/Europe/Amsterdam",
    ])
    func `the link of the system names its zone`(target: String) throws {
        try link(to: target)
        try write("Asia/Tokyo\n", to: "timezone")
        #expect(SystemZone.name(below: root)?.text == "Europe/Amsterdam")
    }

    @Test func `a file of Debian names it where there is no link to the database`() throws {
        #expect(SystemZone.name(below: root) == nil)
        try write("TZif2", to: "localtime")
        #expect(SystemZone.name(below: root) == nil)
        try write("Asia/Tokyo\n", to: "timezone")
        #expect(SystemZone.name(below: root)?.text == "Asia/Tokyo")
    }

    @Test func `a link elsewhere and an empty file name none`() throws {
        try link(to: "/etc/my/zone")
        try write("\n", to: "timezone")
        #expect(SystemZone.name(below: root) == nil)
    }

    @Test(
        arguments: [
            (nil, "Asia/Tokyo"), ("Europe/Amsterdam", "Europe/Amsterdam"),
            (":Europe/Amsterdam", "Europe/Amsterdam"), (":/etc/localtime", "Asia/Tokyo"),
            ("/usr/share/zoneinfo/Europe/Amsterdam", "Europe/Amsterdam"), ("", nil), ("UTC", "UTC"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", nil), ("<+03>-3", nil), ("Mars/Base", nil),
            ("../../../etc/localtime", nil),
        ] as [(String?, String?)]
    )
    func `TZ goes before the system, and a zone that there is not is none`(
        variable: String?,
        name: String?
    ) {
        var test = TestContext(environment: variable.map { ["TZ": $0] } ?? [:])
        test.context.systemZone = { ZoneName("Asia/Tokyo") }
        let start = test.context.start(at: test.clock.now())
        #expect(start.zone?.text == name)
        #expect((start.offset == nil) == (name == nil))
        #expect(start.time == test.clock.now())
    }
}
