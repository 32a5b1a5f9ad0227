import Foundation
import Harness
import Testing

@testable import SyncCLI
@testable import SyncCore

@Suite struct TrimTests {
    /// Written again, it would win over what another device did to it meanwhile.
    @Test func `a trim of one end does not write the other`() async throws {
        let folder = try ScratchFolder()
        let boat = LiveDevice(folder: folder.path + "/boat")
        _ = await boat.tell("init", "--name", "boat")
        let file = folder.path + "/sail.gpx"
        try TwoDevicesTests.document.write(toFile: file, atomically: true, encoding: .utf8)
        let imported = await boat.tell("import", file, "--json")
        let track = String(try #require(imported.firstMatch(of: /"id": ?"([^"]+)"/)).1)
        _ = await boat.tell("tracks", "trim", track, "--from", "10:00", "--to", "10:01")
        let before = try await ends(on: boat)
        _ = await boat.tell("tracks", "trim", track, "--from", "10:01")
        let after = try await ends(on: boat)
        #expect(before.end == after.end && before.end != nil)
        #expect(before.start != after.start)
    }

    private func ends(on boat: LiveDevice) async throws -> (start: Cell?, end: Cell?) {
        let replica = try Replica(path: Library.path(in: boat.folder))
        return try await replica.read {
            let space = try $0.spaces.own()
            let track = try $0.tracks.all(in: space)[0].id
            let row = try $0.rows.cells(TrackField.collection, .id(track), in: space)
            return (row[TrackEdits.trimStart], row[TrackEdits.trimEnd])
        }
    }
}
