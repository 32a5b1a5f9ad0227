@testable import SyncCore
import Testing

@testable import SyncServer

/// What every store promises to the operator and to the server's tools.
@Suite struct MaintenanceContractTests {
    private let scene: StoreScene

    init() throws {
        scene = try StoreScene()
    }

    private func mark(_ store: any Store) async throws -> BackupMark? {
        try await store.backupMark(of: scene.ann.space, for: scene.ann.device)
    }

    @Test(arguments: StoreKind.allCases)
    func `a space's mark is that of the last verified backup of this epoch`(
        kind: StoreKind
    ) async throws {
        let bed = try StoreBed(kind)
        let store = bed.store
        try await scene.fill(store)
        #expect(try await mark(store) == nil)
        var extents = try await store.readSnapshot { try $0.spaces() }
        let (ann, bob) = (scene.ann, scene.bob)
        let heads = [ann.space: ann.person.controls + 3, bob.space: bob.person.controls]
        #expect(extents.heads == heads)
        let place = try #require(extents.firstIndex { $0.space == ann.space })
        extents[place].whole = 2
        try await store.noteBackup(of: extents, epoch: .zero, at: scene.now)
        #expect(try await mark(store) == nil)
        for _ in 0..<2 {
            try await store.noteBackup(of: extents, epoch: store.epoch, at: scene.now)
            #expect(try await mark(store) == BackupMark(position: 2, time: scene.now))
        }
        let times = try await store.readSnapshot { try $0.backupTimes() }
        #expect(times == heads.map { _ in scene.now })
        await #expect(throws: StoreError.notFound) {
            try await store.backupMark(of: scene.ann.space, for: scene.bob.device)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a copy has everything, and what comes later is not in it`(
        kind: StoreKind
    ) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        let path = bed.folder.path + "/copy.db"
        try await bed.store.copy(to: path)
        let state = try await scene.state(of: bed.store)
        _ = try await bed.append(scene.next, by: scene.ann)
        // A backup is a SQLite store, whatever the store is.
        let copy = try SQLiteStore(
            existing: path,
            receipts: Author.serverKeys.receiptSecret,
            migrates: false
        )
        #expect(try await scene.state(of: copy) == state)
        #expect(try await scene.state(of: bed.store) != state)
        await #expect(throws: CopyError.self) {
            try await bed.store.copy(to: bed.folder.path + "/none/copy.db")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a snapshot counts what there is and finds nothing wrong`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        let space = scene.ann.space
        try await bed.store.readSnapshot { (snapshot: any StoreSnapshot) throws in
            #expect(try snapshot.structureFaults().isEmpty && snapshot.straySpaces().isEmpty)
            // Entries and chunks: those of the control sets, three sets, and a chunk.
            let people = [scene.ann.person, scene.bob.person]
            let founding = people.map { $0.sets.count + $0.chunks.count }.reduce(0, +)
            #expect(try snapshot.itemCount() == founding + 4)
            let chunk = ChunkPlace(space: space, hash: Author.chunk(1).hash)
            #expect(try snapshot.hasChunk(chunk))
            #expect(try !snapshot.hasChunk(ChunkPlace(space: space, hash: .zero)))
            #expect(try snapshot.wantedChunks().map(\.hash) == [Digest(of: [9])])
            #expect(try snapshot.revocationsNotInForce().isEmpty)
        }
        let inspection = try await bed.store.readSnapshot {
            try Inspection(of: $0, keys: Author.serverKeys)
        }
        #expect(inspection.findings.words == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a device that was revoked before a restore stays out`(
        kind: StoreKind
    ) async throws {
        let bed = try StoreBed(kind)
        try await scene.fill(bed.store)
        let lost = scene.newcomer.device
        for _ in 0..<2 {
            try await bed.store.replayRevocations([scene.second.device, lost])
        }
        #expect(try await bed.store.device(scene.second.device)?.isRevoked == true)
        #expect(try await bed.store.device(scene.ann.device)?.isRevoked == false)
        // Not even with a good link.
        try await scene.newcomer.person.found(in: bed.store, at: bed.now)
        #expect(try await bed.store.device(lost)?.isRevoked == true)
        let noted = try await bed.store.readSnapshot { try $0.revocations() }
        #expect(noted == [scene.second.device, lost])
    }

    @Test(arguments: StoreKind.allCases)
    func `the epoch stays the same when the store is opened again`(kind: StoreKind) async throws {
        let bed = try StoreBed(kind)
        try await bed.store.checkWritable(at: bed.now)
        #expect(!bed.store.isWithoutReserve)
        #expect(try kind.open(in: bed.folder).epoch == bed.store.epoch)
        #expect(try bed.kind.open(in: try TestFolder()).epoch != bed.store.epoch)
    }
}
