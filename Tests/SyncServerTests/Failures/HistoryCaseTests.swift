import Foundation
import Harness
import SyncCore
import Testing

@testable import SyncServer

/// Servers that lost their history, parts of it, or have two of them.
@Suite(.hangLimit) struct HistoryCaseTests {
    private let track = Identifier(number: 42)

    @Test(arguments: [true, false])
    func `S4 of two servers that went apart the sets of both are kept`(
        hasNewEpoch: Bool
    ) async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        try await boat.set("name", .text("before"), of: track)
        try await couple.settle()
        let other = try await couple.server.copied(newEpoch: hasNewEpoch)
        var written: Set<Value> = [.text("before")]
        for round in 0..<3 {
            for (device, server) in [(boat, couple.server), (phone, other)] {
                let value = Value.text(Text("\(server.folder.path.suffix(4)) \(round)"))
                couple.server.clock.advance(by: 1000)
                try await device.set("name", value, of: track)
                try await device.set(Text("only \(device === boat)"), value, of: track)
                try await device.sync(over: server.transport)
                written.insert(value)
            }
        }
        // From now on there is one.
        try await couple.devices.settle(with: other, expectsBreach: !hasNewEpoch)
        for device in couple.devices {
            let history = try await device.replica.read {
                try $0.history.entries(
                    of: TrackField.collection,
                    .id(track),
                    in: try $0.spaces.own()
                )
            }
            let names = history.filter { $0.change.key.field == "name" }
            #expect(Set(names.map(\.change.cell.value)) == written)
            #expect(try await device.value("only true", of: track) != nil)
            #expect(try await device.value("only false", of: track) != nil)
            #expect(try await device.value("name", of: track) == phone.value("name", of: track))
        }
    }

    @Test func `a conflict stays open after a restore, and so does one that comes later`()
        async throws
    {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let later = Identifier(number: 43)
        for row in [track, later] { try await boat.set("name", .text("first"), of: row) }
        try await couple.settle()
        try await writeApart(couple, at: track)
        try await couple.settle()
        let restored = try await couple.server.copied(newEpoch: true)
        try await couple.devices.settle(with: restored)
        for device in couple.devices {
            let conflicts = try await device.replica.read {
                try $0.conflicts.all(in: $0.spaces.own())
            }
            #expect(conflicts.map(\.winner.key.row) == [.id(track)])
        }
        try await writeApart(couple, at: later)
        try await couple.devices.settle(with: restored)
        for device in [boat, phone] {
            let conflicts = try await device.replica.read {
                try $0.conflicts.all(in: $0.spaces.own())
            }
            #expect(conflicts.map(\.winner.key.row) == [.id(later), .id(track)])
        }
    }

    /// Both devices write a name without knowing the other's.
    private func writeApart(_ couple: Couple, at row: Identifier) async throws {
        for device in couple.devices {
            couple.server.clock.advance(by: 1000)
            try await device.set("name", .text(device === couple.boat ? "ours" : "theirs"), of: row)
        }
    }

    @Test func `S5 S7 members that come back over weeks heal it a piece at a time`() async throws {
        let couple = try await Couple()
        let (boat, phone, clock) = (couple.boat, couple.phone, couple.server.clock)
        let recorded = try await boat.record(1, samples: 400)
        try await boat.set("name", .text("the boat's"), of: track)
        try await boat.sync()
        // The phone never got the points.
        var slow = couple.server.transport
        slow.before = { request in
            if request.path.contains("/chunks/") {
                throw TransportError.timedOut(authority: "test:1")
            }
        }
        try await phone.sync(over: slow)
        #expect(try await phone.replica.read { try $0.chunks.wantedCount() } == 1)
        let empty = try TestServer(clock: clock)
        let week: Int64 = 7 * 24 * 3_600_000
        clock.advance(by: week)
        try await phone.set("notes", .text("the phone's"), of: track)
        try await phone.sync(over: empty.transport)
        // A new device comes to what is there by then.
        let fresh = try TestDevice("fresh", empty)
        try await fresh.join(try await phone.link(at: empty))
        let result = try await fresh.sync()
        #expect(result.end == .complete && result.missingChunks == 1)
        let listed = try await fresh.replica.read {
            try $0.tracks.find(recorded, in: try $0.spaces.own())
        }
        #expect(listed?.missingChunkCount == 1 && listed?.sampleCount == 400)
        #expect(try await fresh.value("name", of: track) == .text("the boat's"))
        clock.advance(by: week)
        let brought = try await boat.sync(over: empty.transport)
        #expect(brought.brought == 1)
        let devices = [fresh, phone, boat]
        try await devices.settle(with: empty)
        let points = try await boat.samples(of: recorded)
        for device in devices {
            #expect(try await device.samples(of: recorded) == points && points.count == 400)
            #expect(try await device.value("notes", of: track) == .text("the phone's"))
        }
    }

    @Test(arguments: ["gone", "damaged"])
    func `S7 a chunk that the server lost or that its disk changed is brought again`(
        fate: String
    ) async throws {
        let couple = try await Couple()
        let boat = couple.boat
        let recorded = try await boat.record(1, samples: 400)
        try await boat.sync()
        let database = try Database(path: couple.server.folder.path + "/store.db")
        let lost = try database.run(
            fate == "gone"
                ? "DELETE FROM chunk" : "UPDATE chunk SET bytes = zeroblob(length(bytes))"
        )
        // The points, and the wraps of the space's secret.
        #expect(lost == 2)
        let fresh = try TestDevice("fresh", couple.server)
        try await fresh.join(try await boat.link())
        #expect(try await fresh.sync().missingChunks == 2)
        #expect(try await fresh.replica.read { try $0.chunks.wantedCount() } == 2)
        #expect(try await boat.sync().brought == 2)
        #expect(try await fresh.sync().chunks == 2)
        #expect(try await fresh.samples(of: recorded) == boat.samples(of: recorded))
        #expect(try await boat.sync().brought == 0)
    }

    @Test(arguments: [true, false], [true, false])
    func `I11 of a server and a device that were both put back nothing is lost`(
        withGuard: Bool,
        hasNewEpoch: Bool
    ) async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let server = try await couple.server.copied(newEpoch: hasNewEpoch)
        try await boat.set("name", .text("a"), of: track)
        try await boat.sync()
        let old = try await TestDevice(copyOf: boat, withGuard: withGuard)
        try await boat.set("notes", .text("b"), of: track)
        try await couple.settle()
        // The boat is the old copy from now on; it seals where "b" stood.
        try await old.set("sport", .text("c"), of: track)
        try await old.replica.write { try $0.sealer.seal(at: old.moment) }
        try await [old, phone].settle(with: server, expectsBreach: !hasNewEpoch)
        for device in [old, phone] {
            #expect(try await device.value("name", of: track) == .text("a"))
            #expect(try await device.value("notes", of: track) == .text("b"))
            #expect(try await device.value("sport", of: track) == .text("c"))
        }
        // And it goes on.
        try await old.set("name", .text("d"), of: track)
        try await [old, phone].settle(with: server, expectsBreach: !hasNewEpoch)
        #expect(try await phone.value("name", of: track) == .text("d"))
    }

    /// Looks at a device before and after every request.
    private struct Watched: Transport {
        let router: Router
        let look: @Sendable () async throws -> Void

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try await look()
            let response = await router.respond(to: request)
            try await look()
            return response
        }
    }

    /// What a person sees of the tracks.
    private func seen(by reader: Replica, in space: Identifier) async throws -> [Row: [Text: Value]]
    {
        let rows = try await reader.read { try $0.rows.list(TrackField.collection, in: space) }
        return Dictionary(
            uniqueKeysWithValues: rows.map { ($0.row, $0.cells.mapValues(\.value)) }
        )
    }

    /// Looks again and again; returns how often.
    private func poll(
        _ reader: Replica,
        of space: Identifier,
        for expected: [Row: [Text: Value]],
        until isOver: Locked<Bool>
    ) async throws -> Int {
        var polls = 0
        while !Task.isCancelled, !isOver.withLock({ $0 }) {
            let found = try await seen(by: reader, in: space)
            #expect(found == expected)
            polls += 1
        }
        return polls
    }

    @Test(arguments: ["put back", "wiped"])
    func `S13 in no moment of a new epoch anything looks lost, sent or not`(
        fate: String
    ) async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let backup = try await couple.server.copied(newEpoch: true)
        for number in 0..<30 {
            // One row that only the log has, and one that the phone writes to as well.
            try await boat.set("name", .integer(Int64(number)), of: Identifier(number: 900))
            try await boat.set("name", .integer(Int64(number)), of: track)
            try await boat.sync()
        }
        try await couple.settle()
        try await phone.set("notes", .text("not sent"), of: track)
        try await phone.replica.write { try $0.sealer.seal(at: phone.moment) }
        try await phone.set("sport", .text("not sealed"), of: track)
        let space = try await phone.space()
        let expected = try await seen(by: phone.replica, in: space)
        #expect(expected.values.map(\.count).sorted() == [1, 3])
        let server = fate == "wiped" ? try TestServer(clock: couple.server.clock) : backup
        // Another program on the same file sees what this one does, at any time.
        let reader = try Replica(path: phone.path)
        let (looks, isOver) = (Locked(0), Locked(false))
        let watched = Watched(router: server.router) {
            looks.withLock { $0 += 1 }
            let found = try await seen(by: reader, in: space)
            #expect(found == expected)
        }
        async let polls = poll(reader, of: space, for: expected, until: isOver)
        let result = try await phone.sync(over: watched)
        isOver.withLock { $0 = true }
        #expect(result.end == .complete && result.rebased == 1)
        #expect(looks.withLock { $0 } > 6)
        #expect(try await polls > 0)
        try await couple.devices.settle(with: server)
        #expect(try await boat.value("notes", of: track) == .text("not sent"))
        #expect(try await boat.value("sport", of: track) == .text("not sealed"))
    }
}
