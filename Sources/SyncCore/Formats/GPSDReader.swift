internal import FoundationEssentials

/// Reads gpsd's JSON protocol (gpsd_json(5)), one report a line.
///
/// Reports with the same time become one sample: the fix from TPV, heading, heel and pitch from
/// ATT, and satellites from the preceding SKY. A second ATT reading of a channel at the same time
/// starts a new sample. An ATT without a time takes the time of the preceding TPV; before the first
/// TPV it has none.
package struct GPSDReader: FeedReader {
    /// The command that makes gpsd send its reports.
    package static let request = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)

    package private(set) var counters = FeedCounters()
    private var line: [UInt8] = []
    private var isTooLong = false
    private var ready: [Sample] = []
    /// The sample that later reports may still add to.
    private var pending: Sample?
    /// Readings from before the first fix with a time; `flush(at:)` gives them the recorder's time.
    private var early = Sample()
    private var satellites = Sample()
    /// The last sample handed over; gpsd repeats a fix with each sentence of its epoch.
    private var released = Sample()

    /// In bytes; longer than any report of gpsd.
    private static let lengthLimit = 64 << 10

    private var timelessFlushes = 0

    /// How many flushes a sample with a position waits for the receiver's first time.
    private static let timelessFlushLimit = 4

    /// Creates a reader for a new connection.
    ///
    /// gpsd repeats its last fix; `last` is the time of the newest one that the track already has.
    package init(after last: UnixTime? = nil) {
        guard let last else { return }
        released = Sample(time: last)
        for channel in Self.fixChannels { released[count: channel] = 0 }
    }

    private static let fixChannels: [Channel] = [
        .latitude, .longitude, .altitude, .speed, .course, .accuracy, .variation, .depth,
    ]

    package mutating func feed(_ bytes: [UInt8]) -> [Sample] {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                endLine()
            } else if line.count < Self.lengthLimit {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
        return take()
    }

    package mutating func flush(at now: UnixTime?) -> [Sample] {
        if let now, !early.readings.isEmpty {
            early.time = now
            ready.append(early)
            early = Sample()
        }
        if let pending, pending.time == nil, !mayGetTime(pending) { self.pending?.time = now }
        release()
        return take()
    }

    /// Returns whether the sample should wait: the receiver's time, due soon, beats the recorder's.
    private mutating func mayGetTime(_ sample: Sample) -> Bool {
        timelessFlushes += 1
        return sample.isPoint && timelessFlushes <= Self.timelessFlushLimit
    }

    package mutating func finish() -> [Sample] {
        // A report without its line end is incomplete.
        line = []
        return flush(at: nil)
    }

    private mutating func take() -> [Sample] {
        defer { ready = [] }
        return ready
    }

    private mutating func endLine() {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        guard !isTooLong, let report = try? JSONDecoder().decode(Report.self, from: Data(line))
        else {
            if line.contains(where: { !$0.isWhiteSpace }) { counters.unreadable += 1 }
            return
        }
        take(report)
    }

    private mutating func take(_ report: Report) {
        switch report.class {
        case "TPV": add(report.fix, of: report)
        case "ATT": add(report.attitude, of: report)
        case "SKY":
            satellites = report.satellites
            counters.sentences += 1
        default: counters.ignore(report.class)
        }
    }

    /// Ignores a report without readings: the receiver knows nothing yet.
    private mutating func add(_ readings: Sample, of report: Report) {
        counters.sentences += 1
        let told = report.time.flatMap { UnixTime(iso8601: Array($0.utf8)) }
        let isFix = report.class == "TPV"
        if let held = pending, held.time == nil, !held.isPoint, isFix || told != nil {
            // gpsd sends ATT after the TPV of its epoch, so this ATT belongs to an earlier epoch.
            early.take(held)
            pending = nil
        }
        // A receiver may know its position before it knows the date.
        if pending?.time == nil { pending?.time = told }
        let time = told ?? pending?.time
        let readings = isFix && released.time == time ? readings.without(released) : readings
        guard !readings.readings.isEmpty else { return }
        if let held = pending, held.time != time || !isFix && held.has(anyOf: readings) {
            release()
        }
        var sample = pending ?? Sample(time: time)
        sample.take(readings)
        if isFix {
            sample.take(satellites)
            satellites = Sample()
        }
        pending = sample
    }

    private mutating func release() {
        guard let sample = pending, let time = sample.time else { return }
        pending = nil
        guard UnixTime.writable.contains(time.milliseconds) else { return }
        if released.time == time { released.take(sample) } else { released = sample }
        ready.append(sample)
    }
}

extension Sample {
    fileprivate mutating func take(_ other: Sample) {
        for reading in other.readings { self[count: reading.channel] = reading.count }
    }

    fileprivate func without(_ other: Sample) -> Sample {
        Sample(ascending: readings.filter { other[count: $0.channel] == nil })
    }

    fileprivate func has(anyOf other: Sample) -> Bool {
        other.readings.contains { self[count: $0.channel] != nil }
    }
}

/// The members of all report classes that become readings.
///
/// `wanglet` is ignored: depending on its source, it is an angle to the bow or to true north.
private struct Report: Decodable {
    let `class`: String
    let time: String?
    let mode: Int?
    let lat: Double?
    let lon: Double?
    let altMSL: Double?
    let alt: Double?
    let altHAE: Double?
    let speed: Double?
    let track: Double?
    let magvar: Double?
    let eph: Double?
    let depth: Double?
    let wtemp: Double?
    let wspeedt: Double?
    let wspeedr: Double?
    let wangler: Double?
    let hdop: Double?
    let uSat: Double?
    let heading: Double?
    let mheading: Double?
    let roll: Double?
    let pitch: Double?

    /// The readings of a TPV: position from mode 2 (2D fix), altitude from mode 3 (3D fix).
    var fix: Sample {
        var sample = Sample()
        let mode = mode ?? 0
        if mode >= 2, let lat, let lon, abs(lat) <= 90, abs(lon) <= 180 {
            (sample[.latitude], sample[.longitude]) = (lat, lon)
            sample.set(.speed, speed, in: 0...1000)
            sample.set(.course, track, in: 0...360)
            sample.set(.accuracy, eph, in: 0...1e6)
        }
        if mode >= 3 { sample.set(.altitude, altMSL ?? alt ?? altHAE, in: -1e5...1e5) }
        sample.set(.variation, magvar, in: -180...180)
        sample.set(.depth, depth, in: 0...12_000)
        sample.set(.waterTemperature, wtemp, in: -100...200)
        sample.set(.windSpeedTrue, wspeedt, in: 0...1000)
        sample.set(.windSpeedApparent, wspeedr, in: 0...1000)
        sample.set(.windAngleApparent, wangler, in: 0...360)
        return sample
    }

    var attitude: Sample {
        var sample = Sample()
        sample.set(.headingTrue, heading, in: 0...360)
        sample.set(.headingMagnetic, mheading, in: 0...360)
        sample.set(.heel, roll, in: -180...180)
        sample.set(.pitch, pitch, in: -180...180)
        return sample
    }

    var satellites: Sample {
        var sample = Sample()
        sample.set(.dilution, hdop, in: 0...99)
        sample.set(.satellites, uSat, in: 0...200)
        return sample
    }
}

extension Sample {
    fileprivate mutating func set(
        _ channel: Channel,
        _ value: Double?,
        in range: ClosedRange<Double>
    ) {
        guard let value, range.contains(value) else { return }
        self[channel] = value
    }
}
