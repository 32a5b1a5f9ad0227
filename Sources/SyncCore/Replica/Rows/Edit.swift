/// One field to be written by this replica.
public struct Edit: Hashable, Sendable {
    /// The cell.
    public let key: Key
    /// The new value; null unsets the cell.
    public let value: Value
    /// Where the value comes from.
    public let origin: Origin

    /// Where an edit comes from.
    public enum Origin: Hashable, Sendable {
        /// A person, now.
        case person
        /// A file.
        ///
        /// Its stamp is below every other, and it never overwrites a cell.
        case file
        /// A recorder, with the number of samples in a chunk.
        ///
        /// The stamp grows with that number, whatever the time of packing. So a longer chunk wins
        /// over a shorter one of the same name, and an old copy never shortens a track.
        case recorder(sampleCount: Int)
    }

    /// Creates the edit that sets `key` to `value`.
    public init(_ key: Key, _ value: Value, origin: Origin = .person) {
        self.key = key
        self.value = value
        self.origin = origin
    }
}

extension Change {
    /// The edit that writes the same value again.
    var again: Edit {
        guard cell.stamp.isTimeless else { return Edit(key, cell.value) }
        let rank = Int(clamping: cell.stamp.time) - Int(Stamp.importTime)
        return Edit(key, cell.value, origin: rank > 0 ? .recorder(sampleCount: rank) : .file)
    }
}

extension Edit {
    private static let valueByteLimit = 128 * 1024

    func check() throws {
        let longest = max(key.collection.utf8.count, key.field.utf8.count)
        guard longest <= Limits.textByteLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: longest)
        }
        guard key.row.isWithinLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: key.row.encoded.count)
        }
        guard value.isEncodable() else { throw ReplicaError.notEncodable(field: key.field) }
        guard value.longestText <= Limits.textByteLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: value.longestText)
        }
        let byteCount = value.encoded.count
        guard byteCount <= Self.valueByteLimit else {
            throw ReplicaError.tooLarge(field: key.field, byteCount: byteCount)
        }
    }
}

extension Value {
    /// The byte count of the longest text inside.
    fileprivate var longestText: Int {
        switch self {
        case .null, .bool, .integer, .float, .bytes: 0
        case .text(let text): text.utf8.count
        case .list(let values): values.map(\.longestText).max() ?? 0
        case .map(let values):
            values.map { max($0.key.utf8.count, $0.value.longestText) }.max() ?? 0
        }
    }

    /// Returns whether every reader accepts the value.
    ///
    /// Numbers must be finite, and the depth must be within the codec's limit.
    fileprivate func isEncodable(depth: Int = Limits.bodyDepth) -> Bool {
        switch self {
        case .null, .bool, .integer, .text, .bytes: true
        case .float(let number): number.isFinite
        case .list(let values):
            depth < CBORDecoder.depthLimit && values.allSatisfy { $0.isEncodable(depth: depth + 1) }
        case .map(let values):
            depth < CBORDecoder.depthLimit
                && values.values.allSatisfy { $0.isEncodable(depth: depth + 1) }
        }
    }
}
