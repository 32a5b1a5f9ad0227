/// Assembles the readings of sentences into samples without losing any.
///
/// An *epoch* starts with the first sentence of a time T and ends before the first sentence of
/// another time. The receiver's fix makes one sample at T. Sensor readings fill the current *slot*;
/// a repeated channel starts a new slot. The first slot joins the fix's sample. The slots are
/// spread evenly from T to the next epoch's T, at most one second apart. Slots before the first T
/// lie in the second before it.
///
/// The date comes from sentences that state one. Other epochs take the instant nearest to the
/// previous epoch. Epochs before the first date wait for it, up to a limit. After that ``fallback``
/// supplies the date; if it is nil, their samples have no times.
struct EpochAssembler {
    /// Completed samples.
    private(set) var ready: [Sample] = []
    /// The `segment` reading of the samples to come.
    var segment: Int64?
    /// An instant near undated epochs, used if no date comes, or nil.
    let fallback: UnixTime?
    /// The number of epochs that were emitted without a date.
    private(set) var undatedCount = 0

    private var epoch = Epoch()
    /// Epochs that only lack a date.
    private var held: [Epoch] = []
    private var heldSlots = 0
    /// The latest epoch's instant, from which undated epochs take their day.
    private var anchor: Int64?
    /// The interval between slots in the last epoch of at most one second.
    private var slotMilliseconds: Int64 = 100

    private static let slotLimit = 4096
    /// In the year 9999, so that sums of times cannot overflow.
    private static let lastFallback = UnixTime(milliseconds: 253_402_214_400_000)
    private static let flushedHeldLimit = 16

    /// The sentences that share one time of day.
    private struct Epoch {
        var timeOfDay: Int64?
        var date: CivilDate?
        var fix = Sample()
        var slots: [Sample] = []
        /// Where the slots begin, in milliseconds after T; above 0 if earlier slots were flushed.
        var offset: Int64 = 0
        /// The milliseconds over which the slots are spread.
        var span: Int64 = 0
        var isContinued = false

        var isEmpty: Bool { fix.readings.isEmpty && slots.isEmpty }
    }

    init(fallback: UnixTime?, segment: Int64?) {
        self.fallback = fallback.map(Self.bounded)
        self.segment = segment
    }

    /// Returns the completed samples and removes them.
    mutating func take() -> [Sample] {
        defer { ready = [] }
        return ready
    }

    mutating func add(_ reading: NMEAReading) {
        if let time = reading.timeOfDay, time != epoch.timeOfDay { begin(at: time) }
        if let date = reading.date { epoch.date = date }
        if reading.isFix { addFix(reading) } else { addSlots(reading) }
    }

    private mutating func addFix(_ reading: NMEAReading) {
        if let place = reading.place { epoch.fix.coordinate = place }
        for (channel, value) in reading.values
        where reading.overrides || epoch.fix[count: channel] == nil {
            epoch.fix[channel] = value
        }
    }

    private mutating func addSlots(_ reading: NMEAReading) {
        for (channel, value) in reading.values {
            if epoch.slots.last.map({ $0[count: channel] != nil }) ?? true {
                if epoch.slots.count >= Self.slotLimit { emitEarly(at: nil) }
                epoch.slots.append(Sample())
            }
            epoch.slots[epoch.slots.count - 1][channel] = value
        }
    }
}

/// From epochs to samples.
extension EpochAssembler {
    private static let second: Int64 = 1000

    /// Closes the current epoch and begins one at another time.
    private mutating func begin(at time: Int64) {
        if epoch.timeOfDay == nil {
            epoch.timeOfDay = (time + UnixTime.day - Self.second) % UnixTime.day
        }
        let interval = Self.difference(from: epoch.timeOfDay ?? time, to: time)
        close(interval: interval > 0 ? interval : slotMilliseconds * Int64(epoch.slots.count))
        epoch.timeOfDay = time
    }

    private mutating func close(interval: Int64) {
        let count = Int64(epoch.slots.count)
        epoch.span = max(0, min(interval - epoch.offset, count * Self.second))
        if count > 0, epoch.span > 0, interval <= Self.second {
            slotMilliseconds = max(1, epoch.span / count)
        }
        settle(epoch)
        epoch = Epoch()
    }

    /// Emits an epoch, or holds it until a date is known.
    private mutating func settle(_ epoch: Epoch) {
        if let instant = instant(of: epoch) {
            settleHeld(before: instant)
            emit(epoch, at: instant)
            anchor = instant
        } else if !epoch.isEmpty {
            held.append(epoch)
            heldSlots += max(1, epoch.slots.count)
            if heldSlots > Self.slotLimit { settleHeldByFallback() }
        }
    }

    private func instant(of epoch: Epoch) -> Int64? {
        guard let time = epoch.timeOfDay else { return nil }
        if let date = epoch.date { return Int64(date.days) * UnixTime.day + time }
        return anchor.map { Self.nearest(time, to: $0) }
    }

    private mutating func settleHeld(before instant: Int64) {
        var next = instant
        var instants: [Int64] = []
        for epoch in held.reversed() {
            next = Self.nearest(epoch.timeOfDay ?? 0, to: next)
            instants.append(next)
        }
        for (epoch, instant) in zip(held, instants.reversed()) { emit(epoch, at: instant) }
        (held, heldSlots) = ([], 0)
    }

    private mutating func settleHeldByFallback() {
        guard let first = held.first?.timeOfDay else { return }
        anchor = fallback.map { Self.nearest(first, to: $0.milliseconds) }
        let epochs = held
        (held, heldSlots) = ([], 0)
        if fallback == nil { undatedCount += epochs.count }
        for epoch in epochs {
            if fallback == nil { emit(epoch, at: nil) } else { settle(epoch) }
        }
    }

    private mutating func emit(_ epoch: Epoch, at instant: Int64?) {
        let count = Int64(epoch.slots.count)
        var slots = epoch.slots[...]
        if epoch.isContinued || slots.isEmpty {
            emit(epoch.fix, at: instant)
        } else if var first = slots.popFirst() {
            for reading in epoch.fix.readings where first[count: reading.channel] == nil {
                first[count: reading.channel] = reading.count
            }
            emit(first, at: instant)
        }
        let done = count - Int64(slots.count)
        for (index, slot) in slots.enumerated() {
            let place = (Int64(index) + done) * epoch.span / max(1, count)
            emit(slot, at: instant.map { $0 + epoch.offset + place })
        }
    }

    private mutating func emit(_ sample: Sample, at instant: Int64?) {
        // File formats cannot store times after the year 9999.
        guard !sample.readings.isEmpty, instant.map(UnixTime.writable.contains) ?? true
        else { return }
        var sample = sample
        sample[count: .segment] = segment
        sample[count: .time] = instant
        ready.append(sample)
    }

    /// Returns the signed difference between two times of day, across midnight if that is shorter.
    private static func difference(from start: Int64, to end: Int64) -> Int64 {
        let difference = (end - start) % UnixTime.day
        if difference > UnixTime.day / 2 { return difference - UnixTime.day }
        return difference <= -UnixTime.day / 2 ? difference + UnixTime.day : difference
    }

    /// Returns the instant with this time of day that is nearest to another instant.
    private static func nearest(_ timeOfDay: Int64, to instant: Int64) -> Int64 {
        let (_, time) = UnixTime(milliseconds: instant).dayAndTime
        return instant + difference(from: time, to: timeOfDay)
    }
}

/// Flushing and finishing.
extension EpochAssembler {
    /// Emits the current readings because the feed pauses; the epoch continues.
    ///
    /// If the receiver has given no time yet, the slots end at `now`, or wait if `now` is nil.
    mutating func flush(at now: UnixTime?) {
        guard epoch.timeOfDay != nil || now != nil else { return }
        let isDated = anchor != nil || epoch.date != nil
        guard isDated || epoch.timeOfDay == nil || held.count >= Self.flushedHeldLimit
        else { return }
        if !isDated, epoch.timeOfDay != nil { settleHeldByFallback() }
        emitEarly(at: now, spanLimit: Self.second)
    }

    private mutating func emitEarly(at now: UnixTime?, spanLimit: Int64 = .max) {
        let span = min(Int64(epoch.slots.count) * slotMilliseconds, spanLimit)
        epoch.span = span
        guard epoch.timeOfDay != nil else {
            emit(epoch, at: (now ?? fallback).map { Self.bounded($0).milliseconds - span })
            epoch = Epoch()
            return
        }
        settle(epoch)
        (epoch.fix, epoch.slots, epoch.span) = (Sample(), [], 0)
        (epoch.offset, epoch.isContinued) = (epoch.offset + span, true)
    }

    private static func bounded(_ time: UnixTime) -> UnixTime {
        min(max(time, UnixTime(milliseconds: 0)), lastFallback)
    }

    /// Emits everything that is left.
    mutating func finish() {
        if epoch.timeOfDay == nil {
            emitEarly(at: nil)
        } else {
            close(interval: slotMilliseconds * Int64(epoch.slots.count))
        }
        settleHeldByFallback()
    }
}
