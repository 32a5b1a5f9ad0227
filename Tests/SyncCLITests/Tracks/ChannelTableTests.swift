import SyncCore
import Testing

@testable import SyncCLI

@Suite struct ChannelTableTests {
    @Test func `channels are in their order, whenever they begin, without time and place`() {
        var table = ChannelTable()
        for (index, sample) in Walk.samples(4).enumerated() {
            var sample = sample
            sample[.heel] = 10
            if index == 1 { sample[.speed] = 3 }
            if index > 1 { sample[.heartRate] = Double(100 + index) }
            table.add(sample)
        }
        #expect(table.rows.map(\.channel) == [.speed, .heel, .heartRate])
        #expect(table.rows.map(\.count) == [1, 4, 2])
        #expect(table.rows.map(\.mean) == [3, 10, 102.5])
        #expect(table.rows[2].range == 102...103)
    }
}
