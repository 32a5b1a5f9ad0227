/// The receiver's time as the recorder's clock sees it.
///
/// A receiver counts weeks to 1,024 and begins anew: an old one is wrong by that, to the second
/// (IS-GPS-200, 20.3.3.3.1.1). The recorder's clock may be wrong as well, so nothing but an
/// offset of whole such periods is mended.
package enum ReceiverClock {
    private static let periodWeeks: Int64 = 1024
    private static let periodMilliseconds = periodWeeks * 7 * UnixTime.day
    /// So far the recorder's clock may be off.
    private static let toleranceMilliseconds = 7 * UnixTime.day
    private static let hour: Int64 = 3_600_000

    /// Mends the time of a sample that came just now, and marks what is odd about it.
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
