/// All figures of a track, computed from its believed samples in order (``BelievedSamples``).
///
/// Accepts any samples, hostile ones included, without trapping. The figures do not depend on how
/// the samples were batched. Uses 32 bytes of memory for each fix.
package struct TrackFigures: Sendable {
    package private(set) var totals: Totals
    package private(set) var climb = Climb()
    package private(set) var speeds = Speeds()
    package private(set) var heartRate: HeartRateTimes
    /// The tacks and gybes, or nil for sports without a sail.
    package private(set) var manoeuvres: Manoeuvres?
    package private(set) var path = Path()
    private var legs = LegReader()
    private let rule: FixRule
    private var isMoving = false

    /// Creates empty figures; `zones` are the lowest heart rates of the zones.
    package init(_ rule: FixRule, sport: SportKind, zones: [Int64]) {
        self.rule = rule
        totals = Totals(sport)
        heartRate = HeartRateTimes(bottoms: zones)
        manoeuvres = [.sail, .other].contains(sport) ? Manoeuvres() : nil
    }

    /// Adds a believed sample.
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

    /// The best efforts over those ``BestEffort/distances`` that the track covers.
    package var bestEfforts: [BestEffort] {
        BestEffort.distances.compactMap { path.bestEffort(over: $0, rule) }
    }
}
