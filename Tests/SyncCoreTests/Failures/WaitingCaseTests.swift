import Testing

@testable import SyncCore

/// What a fleet does that lost its server and finds it again.
@Suite struct WaitingCaseTests {
    /// How long a device waits before each new attempt, in milliseconds.
    private func waits(jitter: Double) -> [Int] {
        let busy = SyncFailure.busy(ServerRefusal(type: .unavailable, detail: "starting"))
        var engine = SyncEngine()
        engine.attemptLimit = 12
        _ = engine.handle(.begin)
        var waits: [Int] = []
        while case .wait(let milliseconds) = engine.handle(.failed(busy, jitter: jitter)) {
            waits.append(milliseconds)
            _ = engine.handle(.woke)
        }
        return waits
    }

    @Test func `N10 a thousand devices spread their next attempts evenly`() {
        let fleet = (0..<1000).map { waits(jitter: Double($0) / 999) }
        let longest = waits(jitter: 1)
        #expect(longest.count == 11 && longest == longest.sorted())
        for attempt in longest.indices {
            let moments = fleet.map { $0[attempt] }
            #expect(moments.allSatisfy { $0 >= longest[attempt] / 2 && $0 <= longest[attempt] })
            let width = max(longest[attempt] / 200, 1)
            let crowds = Dictionary(grouping: moments) { $0 / width }.mapValues(\.count)
            #expect(crowds.values.allSatisfy { $0 <= 12 }, "attempt \(attempt)")
        }
    }
}
