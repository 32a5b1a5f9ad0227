/// Puts the readings of sentences together into samples, so that none is lost.
///
/// An *epoch* is the run of sentences from the first with a time T to the first with another time.
/// What the receiver says of its fix makes one sample at T. What sensors say fills the current
/// *slot*; a channel that the slot already has begins another. The first slot is part of the fix's
/// sample; the slots are spread evenly from T to the next epoch's T, at most a second apart. A
/// slot before the first T lies in the second before it.
///
/// Days come from sentences that have a date; other epochs are at the instant nearest to the one
/// before. Epochs before the first date wait for it, within bounds; then ``fallback`` decides, and
/// without one their samples have no times.
struct EpochAssembler {
    /// The samples that are complete.
    private(set) var ready: [Sample] = []
    /// Which part of the recording the samples belong to.
    var segment: Int64?
    /// Near which instant undated epochs are, when no date comes; nil where nobody knows.
    let fallback: UnixTime?
    /// Times of day whose date nobody knows.
    private(set) var undatedCount = 0

    private var epoch = Epoch()
    /// Complete but for the date.
    private var held: [Epoch] = []
    private var heldSlots = 0
    /// The last instant that is certain.
    private var anchor: Int64?
    /// What the sensors' rate was in the last whole epoch.
    private var slotMilliseconds: Int64 = 100

    private static let slotLimit = 4096
    /// The year 9999, so that no sum of times overflows.
    private static let lastFallback = UnixTime(milliseconds: 253_402_214_400_000)
    private static let flushedHeldLimit = 16

    /// One run of sentences.
    private struct Epoch {
        var timeOfDay: Int64?
        var date: CivilDate?
        var fix = Sample()
        var slots: [Sample] = []
        /// Milliseconds after T where the slots begin: above 0 when some were flushed before.
        var offset: Int64 = 0
        /// Milliseconds over which the slots are spread.
        var span: Int64 = 0
        var isContinued = false

        var isEmpty: Bool { fix.readings.isEmpty && slots.isEmpty }
    }

    init(fallback: UnixTime?, segment: Int64?) {
        self.fallback = fallback.map(Self.bounded)
        self.segment = segment
    }

    /// Hands over what is complete.
    mutating func take() -> [Sample] {
        defer { ready = [] }
        return ready
    }

    /// Adds what one sentence said.
    mutating func add(_ reading: NMEAReading) {
        if let time = reading.timeOfDay, time != epoch.timeOfDay { begin(at: time) }
        if let date = reading.date { epoch.date = date }
        if reading.isFix { addFix(reading) } else { addSlots(reading) }
    }

    private mutating func addFix(_ reading: NMEAReading) {
        if let place = reading.place {
            epoch.fix[count: .latitude] = Int64(place.latitude)
            epoch.fix[count: .longitude] = Int64(place.longitude)
        }
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

/// The way of an epoch to samples.
extension EpochAssembler {
    private static let second: Int64 = 1000

    /// Ends the epoch because one with another time begins.
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

    /// Makes samples of an epoch, now or when there is a date.
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
        held = []
        heldSlots = 0
    }

    private mutating func settleHeldByFallback() {
        guard let first = held.first?.timeOfDay else { return }
        anchor = fallback.map { Self.nearest(first, to: $0.milliseconds) }
        let epochs = held
        held = []
        heldSlots = 0
        for epoch in epochs {
            guard fallback == nil else {
                settle(epoch)
                continue
            }
            undatedCount += 1
            emit(epoch, at: nil)
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
        // A clock that ran past the year 9999 has no time that a file could hold.
        guard !sample.readings.isEmpty, instant.map(UnixTime.writable.contains) ?? true
        else { return }
        var sample = sample
        sample[count: .segment] = segment
        sample[count: .time] = instant
        ready.append(sample)
    }

    /// From one time of day to another, the short way round midnight.
    private static func difference(from start: Int64, to end: Int64) -> Int64 {
        let difference = (end - start) % UnixTime.day
        if difference > UnixTime.day / 2 { return difference - UnixTime.day }
        return difference <= -UnixTime.day / 2 ? difference + UnixTime.day : difference
    }

    /// The instant with this time of day that is nearest to another.
    private static func nearest(_ timeOfDay: Int64, to instant: Int64) -> Int64 {
        let (_, time) = UnixTime(milliseconds: instant).dayAndTime
        return instant + difference(from: time, to: timeOfDay)
    }
}

/// Ends that no sentence makes.
extension EpochAssembler {
    /// Makes samples of what there is, because the feed pauses; the epoch goes on.
    ///
    /// Without a time from the receiver, the slots lie before `now`, or wait when that is nil.
    mutating func flush(at now: UnixTime?) {
        guard epoch.timeOfDay != nil || now != nil else { return }
        let isDated = anchor != nil || epoch.date != nil
        guard isDated || epoch.timeOfDay == nil || held.count >= Self.flushedHeldLimit else {
            return
        }
        if !isDated, epoch.timeOfDay != nil { settleHeldByFallback() }
        emitEarly(at: now, spanLimit: Self.second)
    }

    private mutating func emitEarly(at now: UnixTime?, spanLimit: Int64 = .max) {
        let span = min(Int64(epoch.slots.count) * slotMilliseconds, spanLimit)
        guard epoch.timeOfDay != nil else {
            emitTimeless(before: now ?? fallback, span: span)
            return
        }
        epoch.span = span
        let rest = Epoch(
            timeOfDay: epoch.timeOfDay,
            date: epoch.date,
            offset: epoch.offset + span,
            isContinued: true
        )
        settle(epoch)
        epoch = rest
    }

    private mutating func emitTimeless(before now: UnixTime?, span: Int64) {
        epoch.span = span
        emit(epoch, at: now.map { Self.bounded($0).milliseconds - span })
        epoch = Epoch()
    }

    private static func bounded(_ time: UnixTime) -> UnixTime {
        min(max(time, UnixTime(milliseconds: 0)), lastFallback)
    }

    /// Makes samples of all that is left.
    mutating func finish() {
        if epoch.timeOfDay == nil {
            emitEarly(at: nil)
        } else {
            close(interval: slotMilliseconds * Int64(epoch.slots.count))
        }
        settleHeldByFallback()
    }
}
