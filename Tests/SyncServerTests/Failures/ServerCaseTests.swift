import Foundation
import Harness
import SyncCore
import Testing

@testable import SyncServer

/// A server with damaged files, older than its file, or with half a request.
@Suite(.hangLimit) struct ServerCaseTests {
    @Test func `S8 the damaged view of one space harms no other, and is made anew`() async throws {
        let couple = try await Couple()
        let boat = couple.boat
        let bob = try TestDevice("bob", couple.server)
        try await bob.join(try await couple.server.invite())
        for device in [boat, bob] {
            try await device.set("name", .text("kept"), of: couple.track)
            try await device.sync()
        }
        // The same server after a restart, with one view of which nothing but the first page is good.
        let server = try await couple.server.copied(newEpoch: false)
        let anns = try await boat.space()
        let view = "/views/\(anns).db"
        try Database(path: couple.server.folder.path + view)
            .run("VACUUM INTO \(server.folder.path + view)")
        let file = try FileHandle(forUpdating: URL(filePath: server.folder.path + view))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xa5, count: Int(size) - 4096))
        try file.close()
        let compared = Locked<[Identifier: Bool]>([:])
        let network = LyingTransport(router: server.router) { reply in
            compared.withLock { $0[reply.space] = reply.page?.fingerprint != nil }
        }
        for _ in 0..<2 {
            for device in [bob, boat] {
                try await device.set("notes", .text("after"), of: couple.track)
                let result = try await device.sync(over: network)
                #expect(result.end == .complete && result.mismatches == 0)
                #expect(try await device.value("name", of: couple.track) == .text("kept"))
                #expect(try await device.replica.read { try $0.maintenance.status() }.isSent)
            }
            let bobs = try await bob.space()
            #expect(compared.withLock { $0[bobs] } == true)
        }
        #expect(compared.withLock { $0[anns] } == true, "made anew")
    }

    @Test func `S10 a store that a newer server wrote is refused untouched`() async throws {
        let folder = try TestFolder()
        let path = folder.path + "/store.db"
        func open() throws -> SQLiteStore {
            try SQLiteStore(
                path: path,
                receipts: Author.serverKeys.receiptSecret,
                newEpoch: Identifier(number: 7)
            )
        }
        var store: SQLiteStore? = try open()
        let epoch = await store?.epoch
        store = nil
        let database = try Database(path: path)
        let present = try database.userVersion()
        try database.execute("PRAGMA user_version=\(present + 1)")
        #expect(throws: MigrationError.newer(version: present + 1, known: present)) {
            try open()
        }
        #expect(try database.userVersion() == present + 1)
        try database.execute("PRAGMA user_version=\(present)")
        #expect(try await open().epoch == epoch)
    }

    @Test(arguments: [0.1, 0.5, 0.999])
    func `N3 a request that breaks off is not half done`(share: Double) async throws {
        let bed = try await RouteBed()
        var author = bed.author
        let items = try (0..<20).map { _ in
            let sealed = try author.next()
            return PushItem(upload: sealed.upload, body: sealed.body).encoded
        }
        let request = try bed.author.signed(
            bed.sync(items, from: bed.author),
            at: bed.server.clock.wall
        )
        var text = "POST \(request.path) HTTP/1.1\r\nhost: test:1\r\n"
        for (name, value) in request.headers where name != "host" && name != "content-length" {
            text += "\(name): \(value)\r\n"
        }
        let head = Array((text + "content-length: \(request.body.count)\r\n\r\n").utf8)
        let loop = EventLoop()
        let listener = try await Listener(
            on: loop,
            address: "127.0.0.1:0",
            settings: .test(),
            responder: bed.server.router
        )
        let sent = Int(Double(request.body.count) * share)
        for isBrokenOff in [true, false, true] {
            let client = try RawClient(port: listener.port)
            client.send(head + request.body.prefix(sent))
            isBrokenOff ? client.reset() : client.shutDown()
            if !isBrokenOff { _ = await client.receiveAll() }
        }
        func stored() async throws -> UInt64 {
            try await bed.server.store.page(
                of: author.space,
                after: 0,
                for: author.device,
                byteLimit: 1
            ).head
        }
        let before = author.person.controls + 1
        #expect(try await stored() == before)
        let client = try RawClient(port: listener.port)
        client.send(head + request.body)
        client.shutDown()
        #expect(await client.receiveAll().hasPrefix("HTTP/1.1 200"))
        #expect(try await stored() == before + 20)
        await listener.stop()
        await loop.stop()
    }
}
