import Foundation
import SyncCore
import Testing

@testable import SyncServer

/// Room on the disk that is held back.
@Suite struct ReserveTests {
    private let folder: TestFolder
    private var path: String { folder.path + "/reserve" }

    init() throws {
        folder = try TestFolder()
    }

    private func byteCount() throws -> Int {
        try #require(FileManager.default.contents(atPath: path)).count
    }

    @Test func `it is held, given back once, and held again`() throws {
        var reserve = Reserve(path, byteCount: 100_000)
        #expect(try reserve.isHeld && byteCount() == 100_000)
        var isFreed = reserve.free()
        #expect(isFreed)
        #expect(try !reserve.isHeld && byteCount() == 0)
        // Who comes a moment later finds the room that was just given back.
        isFreed = reserve.free()
        let isHeld = reserve.hold()
        #expect(isFreed && isHeld)
        #expect(try byteCount() == 100_000)
    }

    @Test func `one of no size is always held, and has nothing to give`() {
        var reserve = Reserve(path, byteCount: 0)
        let isFreed = reserve.free()
        #expect(reserve.isHeld && !isFreed)
    }

    @Test func `one that no disk has room for is not held`() {
        var reserve = Reserve(path, byteCount: 1 << 60)
        let isHeld = reserve.hold()
        #expect(!reserve.isHeld && !isHeld)
    }

    @Test func `a space is not made from what is held back`() async throws {
        let author = Author(device: 1)
        let store = try SQLiteStore(
            path: folder.path + "/store.db",
            receipts: Author.serverKeys.receiptSecret,
            newEpoch: Identifier(number: 1),
            reserveByteCount: 1 << 60
        )
        await #expect(throws: DatabaseError.full) {
            try await author.person.found(in: store, at: UnixTime(milliseconds: 0))
        }
        #expect(try await store.spaces(of: author.device).isEmpty)
    }

    @Test func `a device is revoked though nothing else is stored any more`() async throws {
        let couple = try await Couple()
        let (boat, phone) = (couple.boat, couple.phone)
        let full = try await couple.server.copied(newEpoch: false, reserveByteCount: 1 << 60)
        let id = try await phone.replica.read { try $0.identity.current() }.device
        try await boat.replica.write { try $0.controlSealer.revoke([id], at: boat.moment) }
        try await boat.sync(over: full.transport)
        let chain = try await full.store.chain(of: try await boat.space())
        #expect(chain?.cards[id]?.isLive == false)
        try await boat.set("name", "too much", of: couple.track)
        #expect(try await boat.sync(over: full.transport).pushed == 0)
    }
}
