import Dispatch
import Testing

@testable import SyncCore
@testable import SyncServer

/// The laws of merging in millions of schedules of deliveries.
///
/// `WAKE_SCHEDULES` says how many.
@Suite struct MergeLawTests {
    @Test func `whatever is delivered in whatever order and pages, the greatest cells win`() {
        let clock = ContinuousClock()
        let start = clock.now
        let count = Wish.scheduleCount
        let failures = Locked<[UInt64]>([])
        let share = UInt64(1_000)
        let shares = Int((count + share - 1) / share)
        DispatchQueue.concurrentPerform(iterations: shares) { number in
            let first = UInt64(number) * share
            let deliveries = Deliveries()
            for seed in first..<min(first + share, count) where !deliveries.agree(seed: seed) {
                failures.withLock { $0.append(seed) }
            }
        }
        let found = failures.withLock { $0.sorted() }
        print("merging: " + SimulationTests.pace(count, of: "schedules", in: clock.now - start))
        #expect(found.isEmpty, "\(found.count) schedules failed, first \(found.first ?? 0)")
    }
}

/// Cells of few distinct parts, so that ties are common, and what may become of them on their way.
struct Deliveries {
    /// Two places; a cell stands for one of them.
    private static let placeCount = 2
    private let cells: [Cell]
    private let digests: [Fingerprint]
    /// The law, written once more: time, then replica, then the value's bytes.
    private let ranks: [Int]

    init() {
        var cells: [Cell] = []
        for time in 1...3 as ClosedRange<UInt64> {
            for replica in 1...2 {
                let stamp = Stamp(time: time, replica: Identifier(number: UInt128(replica)))
                cells += [.null, .integer(0), .integer(300), .text("a"), .text("")]
                    .map { (value: Value) in Cell(stamp: stamp, value: value) }
            }
        }
        self.cells = cells
        let ascending = cells.indices.sorted { left, right in
            let (left, right) = (cells[left], cells[right])
            return (left.stamp.time, left.stamp.replica.number, left.encoded.hexadecimal)
                < (right.stamp.time, right.stamp.replica.number, right.encoded.hexadecimal)
        }
        var ranks = [Int](repeating: 0, count: cells.count)
        for (rank, index) in ascending.enumerated() { ranks[index] = rank }
        self.ranks = ranks
        digests = cells.map { cell in
            Change(key: Key("track", .id(.zero), "name"), cell: cell).digest
        }
    }

    /// What one device has: of each place the number of the winning cell, and the sum of them all.
    private struct Device: Equatable {
        var winners = SIMD2<Int>(repeating: -1)
        var fingerprint = Fingerprint()
    }

    /// Whether all devices end alike that get the cells of this seed, each on its own way.
    func agree(seed: UInt64) -> Bool {
        var random = SplitMix64(seed: seed)
        let drawn = (0..<Int.random(in: 2...7, using: &random)).map { _ in
            Int(random.next() % UInt64(cells.count * Self.placeCount))
        }
        let model = model(of: drawn)
        for _ in 0..<2 {
            var order = drawn.shuffled(using: &random)
            order.append(order[Int(random.next() % UInt64(order.count))])
            // A page that is merged by itself first, as a base is made anew beside an overlay.
            let cut = Int(random.next() % UInt64(order.count + 1))
            var (device, page) = (Device(), Device())
            for number in order[..<cut] { merge(number, into: &device) }
            for number in order[cut...] { merge(number, into: &page) }
            for place in 0..<Self.placeCount where page.winners[place] >= 0 {
                merge(page.winners[place] * Self.placeCount + place, into: &device)
            }
            guard device == model else { return false }
        }
        return true
    }

    private func merge(_ number: Int, into device: inout Device) {
        let (place, index) = (number % Self.placeCount, number / Self.placeCount)
        let present = device.winners[place]
        guard present >= 0 else {
            device.winners[place] = index
            device.fingerprint.add(digests[index])
            return
        }
        var merged = cells[present]
        merged.merge(cells[index])
        guard merged != cells[present] else { return }
        device.winners[place] = index
        device.fingerprint.subtract(digests[present])
        device.fingerprint.add(digests[index])
    }

    private func model(of drawn: [Int]) -> Device {
        var device = Device()
        for place in 0..<Self.placeCount {
            let own = drawn.filter { $0 % Self.placeCount == place }.map { $0 / Self.placeCount }
            guard let winner = own.max(by: { ranks[$0] < ranks[$1] }) else { continue }
            device.winners[place] = winner
            device.fingerprint.add(digests[winner])
        }
        return device
    }
}
