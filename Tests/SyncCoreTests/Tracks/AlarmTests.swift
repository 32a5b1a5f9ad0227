import Testing

@testable import SyncCore

@Suite struct AlarmTests {
    private func states(_ values: [Text: Value] = [:]) -> [SettingState] {
        Setting.all.map { setting in
            SettingState(
                setting: setting,
                value: values[setting.key] ?? setting.defaultValue,
                isDefault: values[setting.key] == nil,
                unusable: nil
            )
        }
    }

    private func events(_ heels: [Double], every milliseconds: Int64 = 1000) -> [AlarmWatch.Event] {
        var watch = AlarmWatch(Alarm.all(of: states()))
        return heels.enumerated().flatMap { index, heel in
            var sample = Sample(time: UnixTime(milliseconds: Int64(index) * milliseconds))
            sample[.heel] = heel
            return watch.add(sample)
        }
    }

    @Test func `a heel within five degrees of the best raises nothing`() {
        #expect(events([10, 20, -10, -20, 15, 10, 20, 10, 20]).isEmpty)
    }

    @Test func `a heel beyond the best is one episode, whatever the side`() {
        let events = events([15, 21, -25, 22, 23, 30, 21, 15, 15, 15, 15, 15])
        guard case .raised(let raised) = events.first, case .cleared(let cleared) = events.last,
            events.count == 2
        else {
            Issue.record("\(events)")
            return
        }
        #expect(raised.alarm.kind == .overHeel && raised.alarm.message == "Too much heel")
        #expect(raised.raised.milliseconds == 1000)
        #expect(cleared.cleared?.milliseconds == 7000)
        #expect(cleared.peak == 30)
        #expect(cleared.readingCount == 6)
    }

    @Test func `one that flickers at its limit is one episode`() {
        let heels = (0..<200).map { $0 % 3 == 0 ? 20.5 : 19.5 }
        let events = events([21, 21, 21, 21] + heels + [15, 15, 15, 15, 15])
        #expect(events.count == 2)
    }

    @Test func `what lies on both sides of a gap is no one episode`() {
        #expect(events([25, 25, 25], every: 600_000).isEmpty)
        var watch = AlarmWatch(Alarm.all(of: states()))
        var all: [AlarmWatch.Event] = []
        for second in [100, 101, 102, 103, 104, 5, 6, 7, 8, 9] as [Int64] {
            var sample = Sample(time: UnixTime(milliseconds: second * 1000))
            sample[.heel] = 25
            all += watch.add(sample)
        }
        #expect(all.count == 3, "a clock that was set back ends one, and another begins")
        var broken = Sample(time: UnixTime(milliseconds: 9500))
        broken[count: .heel] = .min
        #expect(watch.add(broken).isEmpty)
    }

    @Test func `a moment is no alarm`() {
        #expect(events([15, 25, 15, 15, 15, 15, 15, 25, 25, 15]).isEmpty)
    }

    @Test func `the settings say what is best and what is said`() {
        let alarms = Alarm.all(
            of: states([
                "optimumHeel": .integer(10), "underHeelAlarm": .text(""),
                "overHeelAlarm": .text("Ease"), "speedAlarm": .integer(5),
            ])
        )
        #expect(alarms.map(\.kind) == [.overHeel, .speed])
        #expect(alarms.map(\.message) == ["Ease", "Too fast"])
        #expect(alarms[0].excess(151) == 1 && alarms[0].excess(-150) == nil)
        #expect(alarms[1].excess(501) == 1 && alarms[1].excess(500) == nil)
    }

    @Test func `a mark is read as it was written`() {
        var random = SplitMix64(seed: 1)
        let note = Mark("tacked", at: UnixTime(milliseconds: 5), id: .random(using: &random))
        #expect(Mark(note.field, note.value) == note)
        guard case .cleared(let episode) = events([25, 25, 25, 25, 15, 15, 15, 15]).last else {
            Issue.record("no episode")
            return
        }
        let mark = Mark(episode)
        #expect(Mark(mark.field, mark.value) == mark)
        #expect(mark.field == "heel-over/0")
        #expect(Mark("x", .map(["time": .integer(1)])) == nil)
    }
}
