import Foundation
@testable import SyncCore
import Testing

@testable import SyncServer

/// A server whose disk lost the end of its write-ahead log.
@Suite struct LostCommitTests {
    @Test(arguments: [false, true]) func `the operator is told, and devices bring what was lost`(
        isFoundByAnother: Bool
    ) async throws {
        let couple = try await Couple()
        for name in ["one", "two", "three"] {
            try await couple.boat.set("name", .text(Text(name)), of: couple.track)
            try await couple.settle()
        }
        // The files as a killed server leaves them, a frame in the middle of the log damaged.
        let copy = try TestFolder()
        for suffix in ["", "-wal"] {
            let bytes = try contents(of: couple.server.folder.path + "/store.db" + suffix)
            var damaged = bytes
            let frame = 32 + bytes.count / 4120 / 2 * 4120
            if suffix == "-wal" { for byte in frame..<frame + 90 { damaged[byte] ^= 0x5a } }
            try Data(damaged).write(to: URL(filePath: copy.path + "/store.db" + suffix))
        }
        if isFoundByAnother {
            let receipts = couple.server.service.keys.receiptSecret
            let path = copy.path + "/store.db"
            let tool = try SQLiteStore(existing: path, receipts: receipts, migrates: false)
            #expect(tool.hasLostCommits)
        }
        let server = try TestServer(clock: couple.server.clock, folder: copy)
        let (epoch, before) = await (server.store.epoch, couple.server.store.epoch)
        #expect(epoch != before)
        // Killed at once, it finds nothing lost any more.
        let killed = try TestFolder()
        for suffix in ["", "-wal"] {
            let bytes = try contents(of: copy.path + "/store.db" + suffix)
            try Data(bytes).write(to: URL(filePath: killed.path + "/store.db" + suffix))
        }
        let again = try TestServer(clock: couple.server.clock, folder: killed)
        #expect(await again.store.epoch == epoch)
        for device in couple.devices { try await device.sync(over: server.transport) }
        let told = "store.db: the disk lost the end of the write-ahead log; devices send it again"
        try await couple.devices.settle(with: server)
        for device in couple.devices {
            #expect(try await device.value("name", of: couple.track) == "three")
        }
        // Another notice, so that the first one need not be waited for.
        try server.damage("UPDATE log SET chain = zeroblob(32)")
        try await couple.boat.sync(over: server.transport)
        if !isFoundByAnother {
            var notices = server.store.notices.makeAsyncIterator()
            #expect(await notices.next() == told)
        }
    }

    enum Loss: CaseIterable {
        case damagedEnd, cutEnd, noLog
    }

    @Test(arguments: Loss.allCases)
    func `the end of the log is missed, though nothing of it is left`(loss: Loss) async throws {
        let couple = try await Couple()
        for name in ["one", "two", "three"] {
            try await couple.boat.set("name", .text(Text(name)), of: couple.track)
            try await couple.settle()
        }
        let copy = try TestFolder()
        for suffix in ["", "-wal", "-end"] {
            var bytes = try contents(of: couple.server.folder.path + "/store.db" + suffix)
            if suffix == "-wal" {
                let last = bytes.count - 4120
                switch loss {
                case .damagedEnd: for byte in last..<last + 90 { bytes[byte] ^= 0x5a }
                case .cutEnd: bytes.removeLast(4120 * 12)
                case .noLog: continue
                }
            }
            try Data(bytes).write(to: URL(filePath: copy.path + "/store.db" + suffix))
        }
        let server = try TestServer(clock: couple.server.clock, folder: copy)
        #expect(await server.store.epoch != couple.server.store.epoch)
        // Once is enough.
        let other = try TestServer(clock: couple.server.clock, folder: copy)
        #expect(await other.store.epoch == server.store.epoch)
        try await couple.devices.settle(with: server)
        for device in couple.devices {
            #expect(try await device.value("name", of: couple.track) == "three")
        }
        let again = try TestServer(clock: couple.server.clock, folder: copy)
        #expect(await again.store.epoch == server.store.epoch)
    }

    private func contents(of path: String) throws -> [UInt8] {
        Array(try #require(FileManager.default.contents(atPath: path)))
    }
}
