/// Cells of many replicas, as they stand at one position of a space's log.
///
/// The content of its chunk is deterministic CBOR:
/// ```
/// rows = [+ [replica: bstr .size 16, cells: uint, low: uint, body: bstr]]
/// ```
/// A group has the cells that one replica wrote, as a ``Body`` whose first stamp time is `low`.
/// Groups ascend strictly by replica. A snapshot takes as many chunks as its cells need; a
/// ``ChunkManifest`` lists them.
package struct RowSnapshot: Sendable {
    /// The cells of each replica, ascending by replica.
    package let groups: [CellColumns]

    /// Encodes cells with distinct keys, at most ``Limits/cellLimit`` of them.
    ///
    /// Returns nil if they exceed the limits of a chunk.
    package static func chunk(of changes: [Change]) -> [UInt8]? {
        guard changes.count <= Limits.cellLimit else { return nil }
        let groups = Dictionary(grouping: changes, by: \.cell.stamp.replica)
            .sorted { $0.key < $1.key }
        var encoder = CBOREncoder()
        encoder.array(groups) { encoder, group in
            let low = group.value.lazy.map(\.cell.stamp.time).min() ?? 0
            encoder.array(4)
            encoder.bytes(group.key.bytes)
            encoder.unsigned(group.value.count)
            encoder.unsigned(low)
            encoder.bytes(Body.encode(group.value, from: low).bytes)
        }
        guard encoder.bytes.count <= Chunk.contentLimit else { return nil }
        let chunk = Chunk.encode(encoder.bytes, as: .rows)
        return chunk.count <= Chunk.byteLimit ? chunk : nil
    }

    /// Decodes an untrusted chunk.
    package init(chunk: [UInt8]) throws(ChunkError) {
        self = try Chunk.read(chunk, as: .rows) { try Self(from: &$0) }
    }

    private init(from decoder: inout CBORDecoder) throws {
        var cellCount = 0
        var groups: [CellColumns] = []
        for _ in 0..<(try decoder.nonEmptyArray()) {
            try decoder.array(count: 4)
            let replica = try decoder.identifier()
            if let last = groups.last?.replica, replica <= last { throw ChunkError.malformed }
            let (count, low) = (try decoder.count(), try decoder.unsigned())
            let body = Array(try decoder.bytes())
            // A cell takes at least one byte of the body.
            guard count <= body.count, low < 1 << 63 else { throw ChunkError.malformed }
            cellCount += count
            guard cellCount <= Limits.cellLimit else { throw ChunkError.malformed }
            let outline = Body.Outline(
                replica: replica,
                cellCount: count,
                stamps: low...(1 << 63) - 1
            )
            let cells = try Body.decode(body, by: outline)
            guard cells.places.contains(where: { $0.time == low }) else {
                throw ChunkError.malformed
            }
            groups.append(cells)
        }
        self.groups = groups
    }
}
