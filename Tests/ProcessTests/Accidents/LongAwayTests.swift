import Foundation
import Harness
import SyncCore
import Testing

/// M7: a phone that was away for 18 months, and whose clock is two hours ahead, comes back.
@Suite(
    .processes,
    .enabled(if: Tool.faketime != nil, "not here: faketime is not installed")
)
struct LongAwayTests {
    private static let hour: Int64 = 3_600_000
    private static let day = 24 * hour
    private static let away = 548 * day
    private static let sharedCount = 110
    private static let recordedCount = 40

    /// One of the tracks that both devices had when the phone left.
    private struct Shared {
        let id: Identifier
        let number: Int

        /// The boat deletes every tenth while the phone is away.
        var isDeleted: Bool { number % 10 == 7 }
        /// The boat wrote the name of every fifth after the phone did, and before the phone's clock
        /// says that it did.
        var isRenamedLater: Bool { number % 5 == 0 }
        /// The boat wrote the notes of every third long before the phone did.
        var isNotedEarlier: Bool { number % 3 == 0 }
    }

    /// When something happened, by a clock that is right: so long before the test began.
    private struct Past {
        let now = UnixTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))

        func callAsFunction(_ milliseconds: Int64, clockAhead: Int64 = 0) -> UnixTime {
            UnixTime(milliseconds: now.milliseconds - milliseconds + clockAhead)
        }
    }

    private let past = Past()

    /// What the clocks of a machine show in a boot in which no server tells the time.
    private func shown(_ wall: UnixTime) -> Moment {
        Moment(wall: wall, uptimeMilliseconds: wall.milliseconds, boot: .zero)
    }

    private func replica(of device: Device) async throws -> (Replica, Identifier) {
        let replica = try Replica(path: device.path + "/replica.db")
        return (replica, try await replica.read { try $0.spaces.own() })
    }

    private func edit(_ track: Identifier, _ field: Text, _ text: String) -> Edit {
        Edit(Key(TrackField.collection, .id(track), field), .text(Text(text)))
    }

    /// Writes each edit at its own time, as somebody does who edits now and then.
    private func write(
        _ edits: [Edit],
        on device: Device,
        from start: UnixTime,
        to end: UnixTime
    ) async throws {
        let (replica, space) = try await replica(of: device)
        let step = (end.milliseconds - start.milliseconds) / Int64(max(1, edits.count))
        for (index, edit) in edits.enumerated() {
            let time = UnixTime(milliseconds: start.milliseconds + Int64(index) * step)
            #expect(
                try await replica.write { try $0.rows.write([edit], in: space, at: shown(time)) }
                    == 1
            )
        }
    }

    /// What both devices had before the phone left.
    private func make(on boat: Device) async throws -> [Shared] {
        let (replica, space) = try await replica(of: boat)
        var shared: [Shared] = []
        for number in 0..<Self.sharedCount {
            let start = past(Self.away + Int64(Self.sharedCount + 48 - number) * Self.hour)
            let recording = try await replica.write {
                try $0.recordings.start(
                    name: "old \(number)",
                    sport: nil,
                    in: space,
                    at: shown(start)
                )
            }
            try await replica.write { try $0.recordings.stop(recording, at: shown(start)) }
            shared.append(Shared(id: recording.track, number: number))
        }
        return shared
    }

    /// Forty sails of the phone; the last ends a day before it comes back.
    private func record(on phone: Device) async throws -> [Identifier] {
        let (replica, space) = try await replica(of: phone)
        var tracks: [Identifier] = []
        for number in 0..<Self.recordedCount {
            let days = Self.away / Self.day * Int64(Self.recordedCount - number)
            let start = past(days / 41 * Self.day, clockAhead: 2 * Self.hour)
            var recording = try await replica.write {
                try $0.recordings.start(
                    name: "away \(number)",
                    sport: "sailing",
                    in: space,
                    at: shown(start)
                )
            }
            let samples = (0..<100 + number).map { second in
                var sample = Sample(
                    time: UnixTime(milliseconds: start.milliseconds + Int64(second) * 1000)
                )
                sample[count: .latitude] = 520_000_000 + Int64(second) * 90
                sample[count: .longitude] = 51_000_000 + Int64(number) * 1000
                return sample
            }
            recording = try await replica.write { [recording] in
                try $0.recordings.append(samples, to: recording, at: shown(start))
            }
            try await replica.write { [recording] in
                try $0.recordings.stop(recording, at: shown(start))
            }
            tracks.append(recording.track)
        }
        return tracks
    }

    /// Five hundred edits of the phone, the last three hours before it comes back.
    private func editAway(_ shared: [Shared], on phone: Device) async throws -> Int {
        var edits: [Edit] = []
        for field in ["sport", "colour", "gear", "notes", "name"] as [Text] {
            let tracks = field == "name" || field == "notes" ? shared : Array(shared.prefix(93))
            edits += tracks.map { edit($0.id, field, "phone \($0.number)") }
        }
        try await write(
            edits,
            on: phone,
            from: past(Self.away, clockAhead: 2 * Self.hour),
            to: past(3 * Self.hour, clockAhead: 2 * Self.hour)
        )
        return edits.count
    }

    /// What the boat did a year ago, before the phone wrote in the same places.
    private func noteAtHome(_ shared: [Shared], on boat: Device) async throws {
        let notes = shared.filter(\.isNotedEarlier).map {
            edit($0.id, "notes", "boat \($0.number)")
        }
        let year = 365 * Self.day
        try await write(notes, on: boat, from: past(year + 1000), to: past(year))
    }

    /// What the boat did two hours ago, which is later than all that the phone did, and earlier
    /// than the phone's clock said.
    private func editAtHome(_ shared: [Shared], on boat: Device) async throws {
        let names = shared.filter(\.isRenamedLater).map { edit($0.id, "name", "boat \($0.number)") }
        let deletions = shared.filter(\.isDeleted).map {
            Edit(Key(TrackField.collection, .id($0.id), FieldSchema.deleted.name), .bool(true))
        }
        let twoHours = 2 * Self.hour
        try await write(
            names + deletions,
            on: boat,
            from: past(twoHours),
            to: past(twoHours - 1000)
        )
    }

    /// Both devices show the later edit of each field, and nothing that was deleted.
    private func expectLater(_ shared: [Shared], on device: Device) async throws {
        let (replica, space) = try await replica(of: device)
        for track in shared {
            let cells = try await replica.read {
                try $0.rows.cells(TrackField.collection, .id(track.id), in: space)
            }
            let name = track.isRenamedLater ? "boat \(track.number)" : "phone \(track.number)"
            #expect(cells["name"]?.value == .text(Text(name)), "\(device.name)")
            #expect(cells["notes"]?.value == .text(Text("phone \(track.number)")))
            #expect((cells["deleted"]?.value == .bool(true)) == track.isDeleted)
        }
        let trash = try await replica.read { try $0.tracks.all(in: space, deleted: true) }
        #expect(Set(trash.map(\.id)) == Set(shared.filter(\.isDeleted).map(\.id)))
    }

    /// Every edit of the phone is in a set of the server's log, whether it won or not.
    private func expectSent(by phone: Device, editCount: Int) async throws {
        let (replica, space) = try await replica(of: phone)
        let keys = try await replica.read { try $0.spaces.keys(of: space) }
        let hashes = try ServerLog(of: phone.site).hashes
        var edits: Set<Key> = []
        for bytes in try await replica.read({ try $0.queue.ownItems() }) {
            let item = try PushItem(decoding: bytes[...])
            let upload = try Upload(parsing: item.upload)
            #expect(hashes.contains(upload.hash))
            guard !upload.isControl else { continue }
            let changes = try ChangeSet(opening: upload, body: item.body ?? [], with: keys).changes
            let written = changes.filter { $0.cell.value.text?.hasPrefix("phone ") ?? false }
            edits.formUnion(written.map(\.key))
        }
        #expect(edits.count == editCount)
    }

    /// Both devices hold the same, and their chains and tags are right.
    private func expectSame(_ devices: [Device]) async throws {
        for question in [["fingerprint"], ["tracks", "list"], ["trash"]] {
            var answers: Set<String> = []
            for device in devices {
                answers.insert(try await device.start(question + ["--json"]).finish().output)
            }
            #expect(answers.count == 1, "\(question)")
        }
        for device in devices { try await device("verify") }
    }

    /// Starts the server as it was so long ago, at the same address as before.
    private func serve(_ site: Site, at address: String, clock: String) async throws
        -> RunningServer
    {
        let words = ["serve", "--data", site.path + "/server", "--listen", address]
        return try await RunningServer(
            try site.start(BuiltProgram.server.path, words + ["--health", "none"], clock: clock),
            site: site
        )
    }

    @discardableResult
    private func run(_ device: Device, _ words: String..., clock: String) async throws -> String {
        let words = ["--data", device.path] + words
        return try await device.site.start(BuiltProgram.wake.path, words, clock: clock).finish()
            .checked().output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What a server said of the time holds for one start of a machine, and this one is another.
    private func restart(_ devices: Device...) throws {
        for device in devices {
            try Database(path: device.path + "/replica.db").run(
                "UPDATE self SET anchor_boot = \(Replica.randomIdentifier())"
            )
        }
    }

    /// Two devices in step, and a server, eighteen months ago; gives the server's address.
    private func begin(_ boat: Device, _ phone: Device) async throws -> (String, [Shared]) {
        let (site, clock) = (boat.site, "-549d")
        let server = try await serve(site, at: "127.0.0.1:0", clock: clock)
        let invitation = try await site.start(
            BuiltProgram.server.path,
            ["invite", "ann", "--data", site.path + "/server"],
            clock: clock
        ).finish().checked().output.trimmingCharacters(in: .whitespacesAndNewlines)
        for device in [boat, phone] {
            try await run(device, "init", "--name", device.name, clock: clock)
        }
        try await run(boat, "join", invitation, clock: clock)
        try await run(boat, "sync", clock: clock)
        struct Answer: Decodable { let link: String }
        let answer = try await run(boat, "devices", "link", "--json", clock: clock)
        let link = try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).link
        try await run(phone, "join", link, clock: clock)
        let shared = try await make(on: boat)
        for device in [phone, boat, phone] { try await run(device, "sync", clock: clock) }
        await server.kill()
        try restart(boat, phone)
        return (server.address, shared)
    }

    @Test func `M7 what was done in 18 months arrives at once and overwrites nothing newer`()
        async throws
    {
        let site = try Site()
        let (boat, phone) = (Device("boat", in: site), Device("phone", in: site))
        let (address, shared) = try await begin(boat, phone)
        let recorded = try await record(on: phone)
        let editCount = try await editAway(shared, on: phone)
        #expect(editCount >= 499)
        try await noteAtHome(shared, on: boat)
        let earlier = try await serve(site, at: address, clock: "-365d")
        try await run(boat, "sync", clock: "-365d")
        await earlier.kill()
        try restart(boat)
        let server = try await site.startServer(at: address)
        try await editAtHome(shared, on: boat)
        try await boat("sync")
        try await run(phone, "sync", clock: "+2h")
        try await boat("sync")
        for device in [phone, boat] { try await expectLater(shared, on: device) }
        try await expectSent(by: phone, editCount: editCount)
        let (replica, space) = try await replica(of: boat)
        for (number, id) in recorded.enumerated() {
            let track = try #require(try await replica.read { try $0.tracks.find(id, in: space) })
            #expect(track.pointCount == 100 + number && track.name == "away \(number)")
        }
        try await run(phone, "sync", clock: "+2h")
        try await expectSame([boat, phone])
        try ServerLog(of: site).expectDense()
        await server.kill()
    }
}
