@testable import SyncCore
import Testing

/// What fits one request: the server refuses what is beyond any of its limits.
@Suite struct RequestRoomTests {
    @Test func `items share the bytes and the sets of a request`() {
        #expect(fit([60, 36, 35], RequestRoom(bytes: 100)) == [true, false, true])
        let sets = [Int](repeating: 1, count: Limits.setLimit + 1)
        #expect(fit(sets, RequestRoom(bytes: .max)).filter { $0 }.count == Limits.setLimit)
    }

    @Test func `the head of a large item takes five bytes`() {
        let size = 1 << 16
        #expect(fit([size, size], RequestRoom(bytes: 2 * size + 5)) == [true, true])
        #expect(fit([size, size], RequestRoom(bytes: 2 * size + 4)) == [true, false])
    }

    @Test func `what comes out of the chunks of any set fits, and no byte more`() {
        let largest = [1] + Zstandard.compress([UInt8](repeating: 0, count: Chunk.contentLimit))
        let chunks = [[UInt8]](repeating: largest, count: Limits.chunkReferenceLimit)
        var room = RequestRoom(bytes: .max)
        let fits = [chunks, [[0, 1]], []].map { room.takes([1], with: $0) }
        #expect(fits == [true, false, true])
    }

    private func fit(_ sizes: [Int], _ room: RequestRoom) -> [Bool] {
        var room = room
        return sizes.map { room.takes([UInt8](repeating: 1, count: $0), with: []) }
    }
}
