import SyncCore
import Testing

@testable import SyncCLI

@Suite struct ReplayTests {
    private func samples(_ seconds: [Int64]) -> PackedSamples {
        PackedSamples(seconds.map { Sample(time: UnixTime(milliseconds: $0 * 1000)) })
    }

    /// What comes until the end, with the time of the test's clock; nobody waits for more than half
    /// a second at once.
    private func play(
        _ seconds: [Int64],
        speed: Double
    ) async throws -> [(uptime: Int64, times: [Int64])] {
        let test = TestContext()
        let start = test.clock.now().milliseconds
        let replay = Replay(samples(seconds), speed: speed, test.context)
        var batches: [(uptime: Int64, times: [Int64])] = []
        while true {
            switch try await replay.next(within: 500) {
            case .samples(let samples):
                let times = samples.compactMap { $0.time.map { $0.milliseconds / 1000 } }
                batches.append((test.clock.now().milliseconds - start, times))
            case .end: return batches
            default: break
            }
        }
    }

    @Test func `samples come as far apart as they were`() async throws {
        let batches = try await play([10, 11, 11, 14], speed: 1)
        #expect(batches.map(\.uptime) == [0, 1000, 4000])
        #expect(batches.map(\.times) == [[10], [11, 11], [14]])
    }

    @Test func `or faster`() async throws {
        let batches = try await play([10, 20, 110], speed: 100)
        #expect(batches.map(\.uptime) == [0, 100, 1000])
    }

    @Test func `a recording whose times go back or are missing ends as well`() async throws {
        let batches = try await play([10, 5, 11], speed: 1)
        #expect(batches.flatMap(\.times) == [10, 5, 11])
        let test = TestContext()
        let replay = Replay(PackedSamples([Sample(), Sample()]), speed: 1, test.context)
        #expect(try await replay.next(within: 500) == .samples([Sample(), Sample()]))
        #expect(try await replay.next(within: 500) == .end)
    }
}
