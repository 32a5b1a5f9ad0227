extension [Plot.Point] {
    /// Thins points for a plot of `columns` without visible change.
    ///
    /// Keeps the first, lowest, highest and last point of each column.
    func thinned(to columns: Int, of range: ClosedRange<Double>) -> [Plot.Point] {
        guard count > columns * 4, range.length > 0 else { return self }
        var points: [Plot.Point] = []
        var start = startIndex
        func column(_ index: Int) -> Int {
            Int((self[index].x - range.lowerBound) / range.length * Double(columns))
        }
        while start < endIndex {
            let here = column(start)
            var end = start
            var (least, greatest) = (start, start)
            while end < endIndex, column(end) == here {
                if self[end].y < self[least].y { least = end }
                if self[end].y > self[greatest].y { greatest = end }
                end += 1
            }
            for index in Set([start, least, greatest, end - 1]).sorted() {
                points.append(self[index])
            }
            start = end
        }
        return points
    }
}
