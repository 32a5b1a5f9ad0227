import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// The times of a track, from the file or the recorder to the screen.
@Suite struct TrackZoneTests {
    private let scratch: ScratchFolder
    private var folder: String { scratch.path }

    init() throws {
        scratch = try ScratchFolder()
    }

    /// Runs a command on a device, as if its machine were set to a zone.
    private func run(
        _ words: [String],
        in zone: String? = nil,
        on device: String = "data",
        columns: Int? = nil
    ) async -> String {
        var environment = ["WAKE_DATA": "\(folder)/\(device)"]
        environment["TZ"] = zone
        var test = TestContext(environment: environment)
        test.context.output.columns = columns
        let code = await Wake.program.run(words, in: test.context)
        let errors = test.error.take()
        #expect(code == .success, "\(words): \(errors)")
        return test.output.take()
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private func gpx(_ times: [String]) -> String {
        "<gpx><trk><name>way</name><trkseg>"
            + times.map { "<trkpt lat=\"1\" lon=\"2\"><time>\($0)</time></trkpt>" }.joined()
            + "</trkseg></trk></gpx>"
    }

    private func replica(_ device: String) throws -> Replica {
        try Replica(path: "\(folder)/\(device)/replica.db")
    }

    /// The `start` cells of all tracks, by track.
    private func starts(on device: String) async throws -> [Identifier: Value] {
        let replica = try replica(device)
        let space = try await replica.read { try $0.spaces.own() }
        var starts: [Identifier: Value] = [:]
        for track in try await replica.read({ try $0.tracks.all(in: space) }) {
            let cells = try await replica.read {
                try $0.rows.cells(TrackField.collection, .id(track.id), in: space)
            }
            starts[track.id] = cells[TrackField.start]?.value
        }
        return starts
    }

    @Test func `a file makes the same cells in every zone`() async throws {
        var files = [
            try write(gpx(["2014-06-01T23:30:00Z"]), to: "utc.gpx"),
            try write(gpx(["2014-06-01T23:30:00+09:00"]), to: "offset.gpx"),
        ]
        let sail = await run(["sample", "--seconds", "5"])
        files.append(try write(sail, to: "sail.nmea"))
        let zones = [nil, "Europe/Amsterdam", "America/St_Johns"]
        var cells: [[Identifier: Value]] = []
        for (index, zone) in zones.enumerated() {
            _ = await run(["init", "--name", "boat"], in: zone, on: "\(index)")
            _ = await run(["import"] + files, in: zone, on: "\(index)")
            cells.append(try await starts(on: "\(index)"))
        }
        #expect(cells[0].count == 3 && cells.allSatisfy { $0 == cells[0] })
        let offsets = cells[0].values.compactMap { TrackStart($0)?.offset?.minutes }
        #expect(offsets == [540])
        #expect(cells[0].values.allSatisfy { TrackStart($0)?.zone == nil })
    }

    @Test(
        arguments: [
            (nil, nil, "UTC"), ("Asia/Kathmandu", 345, "+05:45"), ("Nowhere/Land", nil, "UTC"),
        ] as [(String?, Int64?, String)]
    )
    func `a recorder writes the zone of its machine`(
        zone: String?,
        minutes: Int64?,
        shown: String
    ) async throws {
        _ = await run(["init", "--name", "boat"])
        let log = try write(await run(["sample", "--seconds", "5"]), to: "log.nmea")
        _ = await run(["record", "--nmea", log], in: zone)
        let cell = try await starts(on: "data").values.first?.list
        #expect(cell?.dropFirst().first == (minutes.map(Value.integer) ?? .null))
        #expect(cell?.last == (minutes == nil ? .null : zone.map { .text(Text($0)) }))
        #expect(await run(["tracks", "list"], in: "Asia/Tokyo").contains(" \(shown) "))
    }

    @Test func `a file is named by the day on the clocks of its track`() async throws {
        _ = await run(["init", "--name", "boat"])
        let file = try write(gpx(["2025-10-25T23:30:00Z", "2025-10-26T01:30:00Z"]), to: "a.gpx")
        _ = await run(["import", file])
        let id = try #require(try await starts(on: "data").keys.first).description
        let days = [
            ("", "2025-10-25"), ("+00:29", "2025-10-25"), ("+00:30", "2025-10-26"),
            ("Europe/Amsterdam", "2025-10-26"), ("America/New_York", "2025-10-25"),
            ("Pacific/Kiritimati", "2025-10-26"), ("-12:00", "2025-10-25"),
        ]
        for (index, (zone, day)) in days.enumerated() {
            _ = await run(["tracks", "set", id, "zone", zone])
            let target = "\(folder)/out\(index)"
            _ = await run(["export", "--format", "gpx", "--folder", target], in: "Asia/Tokyo")
            let names = try FileManager.default.contentsOfDirectory(atPath: target)
            #expect(names.count == 1 && names[0].hasPrefix(day + "-way-"), "\(zone): \(names)")
            let text = try String(contentsOfFile: "\(target)/\(names[0])", encoding: .utf8)
            #expect(text.contains("<time>2025-10-25T23:30:00Z</time>"))
            #expect(await run(["tracks", "list"], columns: 60).contains(" \(day) "))
        }
    }

    @Test func `a zone that is taken away leaves what the file told`() async throws {
        _ = await run(["init", "--name", "boat"])
        let file = try write(gpx(["2025-10-25T23:30:00+09:00"]), to: "a.gpx")
        _ = await run(["import", file])
        let id = try #require(try await starts(on: "data").keys.first).description
        _ = await run(["tracks", "set", id, "zone", "Europe/Amsterdam"])
        #expect(await run(["tracks", "list"]).contains("2025-10-25 16:30 +02:00"))
        _ = await run(["tracks", "set", id, "zone", ""])
        #expect(await run(["tracks", "list"]).contains("2025-10-25 23:30 +09:00"))
    }

    @Test(
        arguments: [
            "../../../../etc/passwd", "/etc/localtime", "file:/etc/passwd", "localtime",
            "\u{1b}[31m",
        ],
        [Int64.min, .max]
    )
    func `a hostile zone from another device is passed over and kept`(
        name: String,
        instant: Int64
    ) async throws {
        _ = await run(["init", "--name", "boat"])
        let file = try write(gpx(["2025-10-25T23:30:00Z"]), to: "a.gpx")
        _ = await run(["import", file])
        let id = try #require(try await starts(on: "data").keys.first)
        let hostile = Value.list([.integer(instant), .integer(99_999), .text(Text(name))])
        let key = Key(TrackField.collection, .id(id), TrackField.start)
        let replica = try replica("data")
        _ = try await replica.write {
            try $0.rows.write(
                [Edit(key, hostile)],
                in: try $0.spaces.own(),
                at: Moment(UnixTime(milliseconds: 1_777_627_800_000))
            )
        }
        for words in [["show", id.description], ["list"], ["history", id.description]] {
            let text = await run(["tracks"] + words)
            #expect(!text.contains(name))
        }
        let json = await run(["tracks", "list", "--json"])
        #expect(json.contains(#""utcOffset": null"#) && json.contains(#""zone": null"#))
        #expect(try await starts(on: "data")[id] == hostile)
        _ = await run(["export", "--format", "gpx", "--folder", "\(folder)/out"])
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/out")
        #expect(names.allSatisfy { $0.hasPrefix("track-way-") })
    }

    @Test func `a list on a narrow terminal shortens no time`() async throws {
        _ = await run(["init", "--name", "boat"])
        let name = String(repeating: "a long name ", count: 9)
        let file = try write(gpx(["2025-10-25T23:30:00+02:00"]), to: "a.gpx")
        _ = await run(["import", file])
        let id = try #require(try await starts(on: "data").keys.first).description
        _ = await run(["tracks", "rename", id, name])
        for columns in [80, 100, 120] {
            let lines = await run(["tracks", "list"], columns: columns).split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
            #expect(lines[1].contains("2025-10-25 23:30 +02:00"), "\(lines)")
        }
    }
}
