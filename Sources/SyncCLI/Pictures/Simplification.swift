extension [Page.Spot] {
    /// Fewer spots, so that the line is nowhere farther than a tolerance from where it was
    /// (Ramer, Douglas and Peucker), with both ends.
    ///
    /// Spots that are near the one before are left out first: a line of a million lies on a few
    /// hundred points of a page.
    func simplified(tolerance: Double, limit: Int) -> [Page.Spot] {
        let near = withoutNeighbours(within: tolerance / 2)
        var tolerance = tolerance
        var kept = near.kept(tolerance: tolerance)
        while kept.count > limit, tolerance < 1e6 {
            tolerance *= 1.5
            kept = near.kept(tolerance: tolerance)
        }
        return kept
    }

    private func withoutNeighbours(within distance: Double) -> [Page.Spot] {
        guard let start = first, let end = last else { return [] }
        var spots = [start]
        var before = start
        for spot in dropFirst() where spot.squaredDistance(to: before) > distance * distance {
            spots.append(spot)
            before = spot
        }
        if before != end { spots.append(end) }
        return spots
    }

    private func kept(tolerance: Double) -> [Page.Spot] {
        guard count > 2 else { return self }
        var isKept = Array<Bool>(repeating: false, count: count)
        (isKept[0], isKept[count - 1]) = (true, true)
        var parts = [(0, count - 1)]
        while let (start, end) = parts.popLast() {
            guard end - start > 1 else { continue }
            let farthest = (start + 1..<end).lazy
                .map { ($0, self[$0].squaredDistance(from: self[start], to: self[end])) }
                .max { $0.1 < $1.1 }
            guard let (index, distance) = farthest, distance > tolerance * tolerance else {
                continue
            }
            isKept[index] = true
            parts += [(start, index), (index, end)]
        }
        return indices.filter { isKept[$0] }.map { self[$0] }
    }
}

extension Page.Spot {
    fileprivate func squaredDistance(to other: Page.Spot) -> Double {
        let (x, y) = (other.x - self.x, other.y - self.y)
        return x * x + y * y
    }

    /// From the line between two spots.
    fileprivate func squaredDistance(from start: Page.Spot, to end: Page.Spot) -> Double {
        let (x, y) = (end.x - start.x, end.y - start.y)
        let length = x * x + y * y
        guard length > 0 else { return squaredDistance(to: start) }
        let along = ((self.x - start.x) * x + (self.y - start.y) * y) / length
        let part = min(max(along, 0), 1)
        return squaredDistance(to: Page.Spot(x: start.x + part * x, y: start.y + part * y))
    }
}
