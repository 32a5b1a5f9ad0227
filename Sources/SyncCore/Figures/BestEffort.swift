/// The least time in which a track went a distance.
///
/// By the clock: a pause on the way counts in the time, and its gap not in the distance. The start and
/// the end may lie between two fixes, where one went evenly. What is faster than the sport can be is
/// no effort; and none goes over a place where the times go back.
package struct BestEffort: Hashable, Sendable {
    /// The distance.
    package let metres: Double
    /// The least time.
    package let seconds: Double
    /// When it began, in Unix milliseconds.
    package let start: UnixTime
    /// Where it began: metres from the track's start.
    package let startMetres: Double

    /// The distances of which the best is told: 400 m to the marathon.
    package static let distances: [Double] = [
        400, 800, 1000, 1609.344, 5000, 10_000, 21_097.5, 42_195,
    ]
}

extension Path {
    /// The best effort over `metres`, of those that are the first; nil where the track is shorter.
    package func bestEffort(over metres: Double, _ rule: FixRule) -> BestEffort? {
        var best: BestEffort?
        for run in runs
        where run.last.map({ $0.metres - metres >= run[run.startIndex].metres }) == true {
            run.eachEffort(over: metres) { effort in
                let isFaster = best.map { effort.seconds < $0.seconds } ?? true
                guard isFaster, effort.seconds > 0, metres <= effort.seconds * rule.speedLimit
                else {
                    return
                }
                best = effort
            }
        }
        return best
    }
}

extension ArraySlice<Path.Node> {
    /// The efforts among which the fastest is: those that begin or end at a fix.
    fileprivate func eachEffort(over metres: Double, _ body: (BestEffort) -> Void) {
        var (start, end) = (startIndex, startIndex)
        for index in indices {
            let node = self[index]
            let first = node.metres - metres
            if first >= self[startIndex].metres {
                while self[start + 1].metres <= first { start += 1 }
                body(
                    BestEffort(
                        metres,
                        self[start].time(at: first, self[start + 1]),
                        first,
                        node.timed
                    )
                )
            }
            let last = node.metres + metres
            while end < endIndex, self[end].metres < last { end += 1 }
            guard end < endIndex else { continue }
            body(
                BestEffort(metres, node.timed, node.metres, self[end - 1].time(at: last, self[end]))
            )
        }
    }
}

extension Path.Node {
    /// Unix milliseconds, of a node in a run, where all have a time.
    fileprivate var timed: Double { Double(time ?? 0) }

    /// Unix milliseconds at a place between this node and the next.
    fileprivate func time(at place: Double, _ next: Path.Node) -> Double {
        timed + (place - metres) / (next.metres - metres) * (next.timed - timed)
    }
}

extension BestEffort {
    /// From and to Unix milliseconds.
    fileprivate init(_ metres: Double, _ start: Double, _ startMetres: Double, _ end: Double) {
        self.metres = metres
        self.startMetres = startMetres
        self.start = UnixTime(milliseconds: Int64(start.rounded()))
        seconds = (end - start) / 1000
    }
}
