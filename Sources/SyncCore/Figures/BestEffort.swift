/// The shortest time in which a track covered a distance.
///
/// Time is by the clock: a pause counts in the time, but its gap does not count in the distance.
/// The start and the end may lie between two fixes, at an interpolated time. An effort never
/// exceeds the sport's speed limit or spans a place where the time goes backwards.
package struct BestEffort: Hashable, Sendable {
    package let metres: Double
    package let seconds: Double
    /// The time when the effort began.
    package let start: UnixTime
    /// The distance from the track's start to where the effort began, in metres.
    package let startMetres: Double

    /// The distances in metres with a best effort: from 400 m to the marathon.
    package static let distances: [Double] = [
        400, 800, 1000, 1609.344, 5000, 10_000, 21_097.5, 42_195,
    ]
}

extension Path {
    /// Returns the best effort over `metres`, the first of equals, or nil if there is none.
    package func bestEffort(over metres: Double, _ rule: FixRule) -> BestEffort? {
        var best: BestEffort?
        for run in runs
        where run.last.map({ $0.metres - metres >= run[run.startIndex].metres }) == true {
            run.eachEffort(over: metres) { effort in
                let isFaster = best.map { effort.seconds < $0.seconds } ?? true
                guard isFaster, effort.seconds > 0, metres <= effort.seconds * rule.speedLimit
                else { return }
                best = effort
            }
        }
        return best
    }
}

extension ArraySlice<Path.Node> {
    /// Enumerates the efforts that begin or end at a fix; the fastest is one of them.
    fileprivate func eachEffort(over metres: Double, _ body: (BestEffort) -> Void) {
        var (start, end) = (startIndex, startIndex)
        for index in indices {
            let node = self[index]
            let first = node.metres - metres
            if first >= self[startIndex].metres {
                while self[start + 1].metres <= first { start += 1 }
                let began = self[start].time(at: first, self[start + 1])
                body(BestEffort(metres, began, first, node.timed))
            }
            let last = node.metres + metres
            while end < endIndex, self[end].metres < last { end += 1 }
            guard end < endIndex else { continue }
            let ended = self[end - 1].time(at: last, self[end])
            body(BestEffort(metres, node.timed, node.metres, ended))
        }
    }
}

extension Path.Node {
    /// Unix milliseconds; every node of a run has a time.
    fileprivate var timed: Double { Double(time ?? 0) }

    /// Interpolates the Unix milliseconds at a distance between this node and the next.
    fileprivate func time(at place: Double, _ next: Path.Node) -> Double {
        timed + (place - metres) / (next.metres - metres) * (next.timed - timed)
    }
}

extension BestEffort {
    /// Creates an effort from its start and end in Unix milliseconds.
    fileprivate init(_ metres: Double, _ start: Double, _ startMetres: Double, _ end: Double) {
        (self.metres, self.startMetres) = (metres, startMetres)
        self.start = UnixTime(milliseconds: Int64(start.rounded()))
        seconds = (end - start) / 1000
    }
}
