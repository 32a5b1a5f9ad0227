extension RandomAccessCollection where Index == Int {
    /// Binary search: returns the first index whose element satisfies `predicate`.
    ///
    /// The elements must be partitioned: those that satisfy it come last.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
