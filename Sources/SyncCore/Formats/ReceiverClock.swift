/// Corrects receivers whose GPS week number rolled over.
///
/// The week number wraps after 1024 weeks, so an old receiver is wrong by exactly that period
/// (IS-GPS-200, 20.3.3.3.1.1). The recorder's clock may be wrong too. Therefore only offsets of
/// whole periods are corrected.
package enum ReceiverClock {
    private static let periodWeeks: Int64 = 1024
    private static let periodMilliseconds = periodWeeks * 7 * UnixTime.day
    /// The accepted error of the recorder's clock.
    private static let toleranceMilliseconds = 7 * UnixTime.day
    private static let hour: Int64 = 3_600_000

    /// Corrects the time of a sample received at `now`; see ``Channel/clockMend``.
    package static func mend(_ sample: inout Sample, at now: UnixTime) {
        guard let time = sample.time else { return }
        let behind = now.milliseconds - time.milliseconds
        let periods = (behind + periodMilliseconds / 2) / periodMilliseconds
        if periods > 0, abs(behind - periods * periodMilliseconds) <= toleranceMilliseconds {
            sample[count: .time] = time.milliseconds + periods * periodMilliseconds
            sample[count: .clockMend] = periods * periodWeeks
        } else if behind < -hour {
            sample[count: .clockMend] = -1
        }
    }
}
