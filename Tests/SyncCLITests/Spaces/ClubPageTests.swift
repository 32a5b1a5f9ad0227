import Foundation
import Harness
import ProgramKit
@testable import SyncCore
import Testing

@testable import SyncCLI

/// The page for a crew or club, command by command, as its readers type it.
@Suite(.processes) struct ClubPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/CLUB.md")

    /// The blocks of commands, in order.
    private func blocks() throws -> [[String]] {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        return text.components(separatedBy: "```").enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }
            .map { $0.element.split(separator: "\n").map(String.init) }
    }

    /// The words of a command line, without its name; a quoted name is one word.
    private func words(_ line: String) -> [String] {
        line.split(separator: "\"").enumerated().flatMap { place, part in
            place.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
        .dropFirst().map(\.self)
    }

    @Test func `every command of the page does what the page says`() async throws {
        let folder = try ScratchFolder()
        let server = try ServerProcess(folder: folder.path + "/server")
        let ann = LiveDevice(folder: folder.path + "/ann")
        let bob = LiveDevice(folder: folder.path + "/bob")
        let race = SharedFolder.path + "/data/fit/fit-sample.gpx"
        var names = ["LINK": try server.invite("Ann"), "race.gpx": race]
        func run(_ line: String, on device: LiveDevice) async -> String {
            let words = words(line).map { names[$0] ?? $0 }
            let answer = await device.run(words)
            #expect(answer.code == .success, "\(line): \(answer.err)")
            return answer.out
        }
        let blocks = try blocks()
        #expect(blocks.count == 8)
        #expect(blocks[0].allSatisfy { $0.hasPrefix("wake-server ") }, "the server runs already")
        for line in blocks[1] {
            let out = await run(line, on: ann)
            if line.hasPrefix("wake invite") {
                names["LINK"] = out.split(separator: "\n").first.map(String.init)
            }
        }
        for line in blocks[2] { _ = await run(line, on: bob) }
        var shown: [String] = []
        for line in blocks[3] { shown.append(await run(line, on: ann)) }
        #expect(shown[1].contains(/fit-sample .* phone/), "\(shown[1])")
        names["ID"] = String(try #require(shown[2].firstMatch(of: /(\w{8}) +phone/)).1)
        #expect(await run(blocks[4][0], on: ann).contains("is owner now"))
        // What Bob adds while he is removed.
        _ = await run("wake sync", on: bob)
        _ = await run("wake places add Pier 52.85,5.3 --space \"Sail club\"", on: bob)
        #expect(await run(blocks[5][0], on: ann).hasPrefix("removed "))
        _ = await bob.run("sync")
        #expect(await run(blocks[5][1], on: ann).contains("'Pier'"))
        #expect(await run(blocks[5][2], on: ann).hasPrefix("adopted "))
        let audit = await run(blocks[6][0], on: ann)
        for part in ["joined as a contributor", "an owner", "removed ", "adopted 1 held set"] {
            #expect(audit.contains(part), "\(part) in \(audit)")
        }
        _ = await run("wake import \(race)", on: ann)
        let own = await run("wake tracks list", on: ann)
        names["TRACK"] = String(try #require(own.firstMatch(of: /(\w{8}) .*fit-sample/)).1)
        #expect(await run(blocks[7][0], on: ann).contains("Sail club"))
        withExtendedLifetime(server) {}
    }
}
