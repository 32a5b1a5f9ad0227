@testable import SyncCore

extension Schedule {
    /// A schedule with fewer steps that fails alike, found within so many runs.
    func shrunk(failing failure: String, runLimit: Int = 200) -> Schedule {
        var best = self
        var runs = 0
        var size = max(steps.count / 2, 1)
        while runs < runLimit {
            var start = 0
            var isShorter = false
            while start < best.steps.count, runs < runLimit {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
                runs += 1
                if let other = Run(candidate).failure, Self.alike(other, failure) {
                    best = candidate
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(size / 2, 1)
        }
        return best
    }

    /// The words of a failure say what went wrong, its names and numbers where.
    private static func alike(_ one: String, _ other: String) -> Bool {
        func words(_ text: String) -> [Substring] {
            text.split { !$0.isLetter }.filter { $0.count > 3 }.prefix(3).map { $0 }
        }
        return words(one) == words(other)
    }
}
