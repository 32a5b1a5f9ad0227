/// All that is counted of a track, fed with its samples in their order, those that are believed
/// (``BelievedSamples``).
///
/// Any samples do, in any pieces: nothing here traps, and the figures are the same for the same samples.
/// The room taken is 32 bytes a fix.
package struct TrackFigures: Sendable {
    /// How far and how long.
    package private(set) var totals: Totals
    /// How far up and down.
    package private(set) var climb = Climb()
    /// How fast.
    package private(set) var speeds = Speeds()
    /// How long the heart beat in which zone.
    package private(set) var heartRate: HeartRateTimes
    /// Tacks and gybes; nil where the sport has none.
    package private(set) var manoeuvres: Manoeuvres?
    /// The way, for its parts.
    package private(set) var path = Path()
    private var legs = LegReader()
    private let rule: FixRule
    private var isMoving = false

    /// Nothing yet; `zones` are the lowest heart rates of the zones.
    package init(_ rule: FixRule, sport: SportKind, zones: [Int64]) {
        self.rule = rule
        totals = Totals(sport)
        heartRate = HeartRateTimes(bottoms: zones)
        manoeuvres = [.sail, .other].contains(sport) ? Manoeuvres() : nil
    }

    /// Goes on to a sample that is believed.
    package mutating func add(_ sample: Sample) {
        climb.add(sample)
        heartRate.add(sample)
        if let leg = legs.next(sample) {
            isMoving = totals.add(leg)
            path.add(leg)
            if isMoving { speeds.add(leg) }
        }
        manoeuvres?.add(sample, isMoving: isMoving)
    }

    /// The best efforts over ``BestEffort/distances``, as far as the track goes.
    package var bestEfforts: [BestEffort] {
        BestEffort.distances.compactMap { path.bestEffort(over: $0, rule) }
    }
}
