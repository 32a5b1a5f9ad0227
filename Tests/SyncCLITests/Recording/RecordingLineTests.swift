import Testing

import ProgramKit
@testable import SyncCLI
@testable import SyncCore

@Suite struct RecordingLineTests {
    private func line(
        _ samples: [Sample],
        _ settings: [(Setting, Value)] = [],
        sport: String? = nil
    ) -> String {
        let states = Setting.all.map { setting in
            let value = settings.first { $0.0.key == setting.key }?.1
            return SettingState(
                setting: setting,
                value: value ?? setting.defaultValue,
                isDefault: value == nil,
                unusable: nil
            )
        }
        let test = TestContext()
        var line = RecordingLine(states, FixRule(sport: sport), sport, test.context.output)
        line.add(samples)
        return line.text
    }

    /// A fix a second, due north at so many metres a second.
    private func fixes(_ count: Int, at speed: Double, from second: Int = 0) -> [Sample] {
        (second..<second + count).map { index in
            let time = UnixTime(milliseconds: 1_777_629_600_000 + Int64(index) * 1000)
            var sample = Sample(time: time)
            sample[.latitude] = 52 + Double(index) * speed / 111_266
            sample[.longitude] = 5
            return sample
        }
    }

    @Test func `who stood is told how long they moved`() {
        let moving = fixes(121, at: 5)
        #expect(line(moving) == "2:00  121 points  600 m")
        var standing = moving
        for second in 121...180 {
            var sample = moving[120]
            sample.time = UnixTime(milliseconds: 1_777_629_600_000 + Int64(second) * 1000)
            standing.append(sample)
        }
        #expect(line(standing).hasPrefix("3:00  181 points  600 m  moving 2:0"))
    }

    @Test(
        arguments: [
            ([.headingMagnetic: 90], false, "heading 90° magnetic"),
            ([.headingMagnetic: 90, .variation: 2], true, "heading 92° true"),
            ([.headingTrue: 90, .variation: 2], false, "heading 88° magnetic"),
            // By the model, which has 2.6° here.
            ([.headingTrue: 90], false, "heading 87° magnetic"),
            ([.headingTrue: 359.9, .headingMagnetic: 12], true, "heading 0° true"),
        ] as [([Channel: Double], Bool, String)]
    )
    func `one heading is told, from the north that is wanted`(
        readings: [Channel: Double],
        isTrue: Bool,
        words: String
    ) {
        var samples = fixes(1, at: 0)
        for (channel, value) in readings { samples[0][channel] = value }
        let text = line(samples, [(.trueNorth, .bool(isTrue))])
        #expect(text.hasSuffix(words) && text.ranges(of: "heading").count == 1)
    }

    @Test func `a heading whose variation nobody knows keeps its north`() {
        var sample = Sample(time: UnixTime(milliseconds: 1_777_629_600_000))
        sample[.headingTrue] = 90
        #expect(line([sample]).hasSuffix("heading 90° true"))
    }

    @Test(arguments: [(94, "warm up"), (95, "zone 1"), (113, "zone 1"), (171, "zone 5")])
    func `a heart beats in a zone`(rate: Int, words: String) {
        var samples = fixes(1, at: 0)
        samples[0][count: .heartRate] = Int64(rate)
        #expect(line(samples).hasSuffix("\(rate) bpm \(words)"))
    }
}
