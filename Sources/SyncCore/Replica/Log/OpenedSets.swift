/// The change sets that were opened last, for a walk over many rows that share them.
final class OpenedSets {
    /// Two sets of the greatest size, some megabytes each.
    private static let cellLimit = 2 * Limits.cellLimit

    private var sets: [Int64: ChangeSet] = [:]
    /// The numbers of the sets, the one opened first in front.
    private var numbers: [Int64] = []
    private var cellCount = 0

    /// Returns a set by its number, from `open` unless it was opened lately.
    func set(_ number: Int64, open: () throws -> ChangeSet?) rethrows -> ChangeSet? {
        if let known = sets[number] { return known }
        guard let set = try open() else { return nil }
        sets[number] = set
        numbers.append(number)
        cellCount += set.cells.count
        while cellCount > Self.cellLimit, numbers.count > 1 {
            cellCount -= sets.removeValue(forKey: numbers.removeFirst())?.cells.count ?? 0
        }
        return set
    }
}
