import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

@Suite struct MarkReportTests {
    @Test(arguments: [Int64.min, 0, .max], [Int64.min, 0, .max])
    func `a mark of any times can be shown`(time: Int64, cleared: Int64) async throws {
        let shore = try await Shore()
        _ = await shore.run("import", try shore.put("one.gpx", Sail.gpx()))
        let track = try #require(try await shore.tracks().first).id
        let mark = Value.map([
            "time": .integer(time), "cleared": .integer(cleared), "kind": .text("heel"),
            "text": .text("too far over"),
        ])
        let key = Key(Mark.collection, .id(track), Text("heel/\(time)"))
        let replica = try Replica(path: Library.path(in: shore.folder + "/data"))
        try await replica.write {
            try $0.rows.write(
                [Edit(key, mark)],
                in: try $0.spaces.own(),
                at: Moment(UnixTime(milliseconds: 1_777_627_800_000))
            )
        }
        let outcome = await shore.run("tracks", "show", track.description)
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.text.contains("too far over (alarm, for "), "\(outcome.text)")
    }
}
