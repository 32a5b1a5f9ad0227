extension [Page.Spot] {
    /// Simplifies a polyline with the Ramer-Douglas-Peucker algorithm.
    ///
    /// No omitted spot is farther than `tolerance` from the result, unless `limit` forces more
    /// omissions. Keeps both ends and the `limit` most significant spots.
    /// Spots close to their predecessor are dropped first: on a page, a line of a million spots
    /// covers a few hundred positions.
    func simplified(tolerance: Double, limit: Int) -> [Page.Spot] {
        let near = withoutNeighbours(within: tolerance / 2)
        let weights = near.weights
        let most = weights.sorted(by: >).dropFirst(limit).first ?? 0
        let least = Swift.max(tolerance * tolerance, most)
        return near.indices.filter { weights[$0] > least }.map { near[$0] }
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

    /// The squared tolerance up to which each spot is kept.
    ///
    /// This is its squared distance from the line without it, and at most the weight of the spot
    /// that split off this part of the line.
    private var weights: [Double] {
        var weights = Array<Double>(repeating: .infinity, count: count)
        var parts = [(start: 0, end: count - 1, weight: Double.infinity)]
        while let part = parts.popLast() {
            guard part.end - part.start > 1 else { continue }
            var (farthest, distance) = (part.start + 1, -1.0)
            for index in part.start + 1..<part.end {
                let here = self[index].squaredDistance(from: self[part.start], to: self[part.end])
                if here > distance { (farthest, distance) = (index, here) }
            }
            let weight = Swift.min(distance, part.weight)
            weights[farthest] = weight
            parts.append((part.start, farthest, weight))
            parts.append((farthest, part.end, weight))
        }
        return weights
    }
}

extension Page.Spot {
    fileprivate func squaredDistance(to other: Page.Spot) -> Double {
        let (x, y) = (other.x - self.x, other.y - self.y)
        return x * x + y * y
    }

    /// Returns the squared distance from the segment between two spots.
    fileprivate func squaredDistance(from start: Page.Spot, to end: Page.Spot) -> Double {
        let (x, y) = (end.x - start.x, end.y - start.y)
        let length = x * x + y * y
        guard length > 0 else { return squaredDistance(to: start) }
        let along = ((self.x - start.x) * x + (self.y - start.y) * y) / length
        let part = min(max(along, 0), 1)
        return squaredDistance(to: Page.Spot(x: start.x + part * x, y: start.y + part * y))
    }
}
