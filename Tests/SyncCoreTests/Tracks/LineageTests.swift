@testable import SyncCore
import Harness
import Testing

@Suite struct LineageTests {
    private static let streams: [Identifier: UInt64] = [a: 10, b: 20]
    private static let a = Identifier(number: 1)
    private static let b = Identifier(number: 2)

    private static func name(_ track: Identifier, _ index: Int) -> SampleName {
        SampleName(stream: streams[track] ?? 0, index: index)
    }

    private static func derived(_ parts: (Identifier, Int?, Int?)...) -> TrackEdits {
        var edits = TrackEdits()
        edits.parts = parts.map { track, start, end in
            let root = streams[track] == nil ? a : track
            return TrackEdits.Part(
                track,
                SampleRange(from: start.map { name(root, $0) }, to: end.map { name(root, $0) })
            )
        }
        return edits
    }

    private static func superseded(
        by successors: Identifier...,
        parts: [TrackEdits.Part]? = nil
    ) -> TrackEdits {
        var edits = TrackEdits()
        edits.successors = successors.sorted()
        edits.parts = parts
        return edits
    }

    private static func lineage(
        _ edits: [Identifier: TrackEdits],
        deleted: Set<Identifier> = []
    ) -> Lineage {
        Lineage(
            Dictionary(
                uniqueKeysWithValues: edits.map { id, edits in
                    (
                        id,
                        Lineage.Member(
                            edits: edits,
                            isDeleted: deleted.contains(id),
                            streams: streams[id].map { [$0] } ?? []
                        )
                    )
                }
            )
        )
    }

    private static func standings(_ lineage: Lineage, _ ids: Identifier...) -> [Track.Standing] {
        ids.map(lineage.standing)
    }

    private static func id(_ number: UInt128) -> Identifier { Identifier(number: number) }

    @Test func `a split shows its parts, and an undone one what it was`() {
        let (one, two) = (Self.id(11), Self.id(12))
        var edits: [Identifier: TrackEdits] = [
            Self.a: Self.superseded(by: one, two), one: Self.derived((Self.a, nil, 50)),
            two: Self.derived((Self.a, 50, nil)),
        ]
        let split = Self.lineage(edits)
        #expect(Self.standings(split, Self.a, one, two) == [.superseded, .shown, .shown])
        // The first one goes to the other's first sample.
        #expect(split.whole(of: one).shown.map(\.range) == [0..<50, 50..<51])
        #expect(split.whole(of: two).shown.map(\.range) == [50..<Int.max])
        edits[Self.a] = TrackEdits()
        let undone = Self.lineage(edits)
        #expect(Self.standings(undone, Self.a, one, two) == [.shown, .alternative, .alternative])
    }

    @Test func `of two that compete for a source the one that it names counts`() {
        let (one, two, three, join) = (Self.id(11), Self.id(12), Self.id(13), Self.id(14))
        let edits: [Identifier: TrackEdits] = [
            Self.a: Self.superseded(by: one, two), Self.b: Self.superseded(by: join),
            one: Self.derived((Self.a, nil, 50)), two: Self.derived((Self.a, 50, nil)),
            three: Self.derived((Self.a, nil, 20)),
            join: Self.derived((Self.a, nil, nil), (Self.b, nil, nil)),
        ]
        let lineage = Self.lineage(edits)
        #expect(Self.standings(lineage, Self.a, one, two) == [.superseded, .shown, .shown])
        #expect(
            Self.standings(lineage, Self.b, three, join) == [.shown, .alternative, .alternative]
        )
    }

    @Test(
        arguments: [
            [derived((a, nil, 50))], [derived((a, 50, nil))],
            [derived((a, nil, 50)), derived((a, 40, nil))],
            [derived((a, nil, 50)), derived((a, nil, 50)), derived((a, 50, nil))],
            [derived((a, nil, 50)), derived((a, 50, 20)), derived((a, 20, nil))],
            [derived((a, nil, 50)), derived((a, 50, nil), (b, nil, nil))],
            [derived((a, nil, nil)), TrackEdits()], [derived((a, nil, nil)), derived()],
        ]
    )
    func `a derivation that is not all of its sources hides none`(heirs: [TrackEdits]) {
        let ids = heirs.indices.map { Self.id(UInt128($0 + 11)) }
        var source = TrackEdits()
        source.successors = ids
        var edits = Dictionary(uniqueKeysWithValues: zip(ids, heirs))
        (edits[Self.a], edits[Self.b]) = (source, TrackEdits())
        let lineage = Self.lineage(edits)
        #expect(Self.standings(lineage, Self.a, Self.b) == [.shown, .shown])
        #expect(
            zip(ids, heirs).allSatisfy { id, edits in
                edits.parts == nil || lineage.standing(of: id) == .alternative
            }
        )
    }

    @Test func `what no part names is not superseded, whatever it says`() {
        let join = Self.id(11)
        let edits: [Identifier: TrackEdits] = [
            Self.a: Self.superseded(by: join), Self.b: Self.superseded(by: join),
            join: Self.derived((Self.b, nil, nil)),
        ]
        let lineage = Self.lineage(edits)
        #expect(Self.standings(lineage, Self.a, Self.b, join) == [.shown, .superseded, .shown])
    }

    @Test func `parts of parts without end take no room`() {
        var edits: [Identifier: TrackEdits] = [Self.a: TrackEdits()]
        for number in 101...160 as ClosedRange<UInt128> {
            let source = number == 101 ? Self.a : Self.id(number - 1)
            edits[Self.id(number)] = TrackEdits()
            edits[Self.id(number)]?.parts = [TrackEdits.Part(source), TrackEdits.Part(source)]
        }
        let lineage = Self.lineage(edits)
        #expect(edits.keys.allSatisfy { lineage.whole(of: $0).count <= 2 })
        #expect(Self.standings(lineage, Self.a) == [.shown])
    }

    @Test(arguments: [false, true])
    func `of two covers of one sample the gap counts`(isFirst: Bool) {
        var source = TrackEdits()
        let ranges = [(40, 60), (50, 70)]
        for (index, (start, end)) in ranges.enumerated() {
            source.hidings[Text("\(index)")] = TrackEdits.Hiding(
                SampleRange(from: Self.name(Self.a, start), to: Self.name(Self.a, end)),
                isBridged: (index == 0) == isFirst
            )
        }
        let shown = Self.lineage([Self.a: source]).whole(of: Self.a).shown
        #expect(shown.map(\.range) == [0..<40, 70..<Int.max])
        #expect(shown.map(\.isApart) == [false, true])
        let inner = Self.lineage([Self.a: source]).whole(of: Self.a)
        #expect(inner.first { $0.range.contains(55) }?.cover == .gap)
    }

    @Test func `cycles count for nothing`() {
        let (one, two) = (Self.id(11), Self.id(12))
        let edits: [Identifier: TrackEdits] = [
            one: Self.superseded(by: two, parts: [TrackEdits.Part(two)]),
            two: Self.superseded(by: one, parts: [TrackEdits.Part(one)]),
            Self.a: Self.superseded(by: Self.a),
        ]
        let lineage = Self.lineage(edits)
        #expect(Self.standings(lineage, one, two) == [.alternative, .alternative])
        #expect(Self.standings(lineage, Self.a) == [.shown])
        #expect(lineage.whole(of: one).shown.isEmpty)
    }

    @Test func `a chain of splits ends at the limit, and hides nothing beyond`() {
        var edits: [Identifier: TrackEdits] = [:]
        for number in 1...200 as ClosedRange<UInt128> {
            edits[Self.id(number)] = Self.superseded(
                by: Self.id(number + 1),
                parts: number == 1 ? nil : [TrackEdits.Part(Self.id(number - 1))]
            )
        }
        edits[Self.id(201)] = Self.derived((Self.id(200), nil, nil))
        let lineage = Self.lineage(edits)
        let shown = edits.keys.filter { lineage.standing(of: $0) == .shown }
        #expect(shown == [Self.id(64)])
    }

    @Test func `what lies in the trash is no part of a join, and a part of none is not shown`() {
        let (join, only) = (Self.id(11), Self.id(12))
        let edits: [Identifier: TrackEdits] = [
            Self.a: Self.superseded(by: join), Self.b: Self.superseded(by: join),
            join: Self.superseded(
                by: only,
                parts: [TrackEdits.Part(Self.a), TrackEdits.Part(Self.b)]
            ),
            only: Self.derived((join, nil, nil)),
        ]
        let half = Self.lineage(edits, deleted: [Self.b])
        #expect(half.whole(of: only).shown.map(\.source) == [Self.a])
        #expect(Self.standings(half, Self.a, join, only) == [.superseded, .superseded, .shown])
        let none = Self.lineage(edits, deleted: [Self.a, Self.b])
        #expect(Self.standings(none, join, only) == [.superseded, .sourceless])
        #expect(none.whole(of: only).shown.isEmpty)
    }

    @Test func `edits of a source hold in what is made of it, across cuts`() {
        let (one, two) = (Self.id(11), Self.id(12))
        var source = Self.superseded(by: one, two)
        source.trim = SampleRange(from: Self.name(Self.a, 5), to: Self.name(Self.a, 90))
        source.hidings["x"] = TrackEdits.Hiding(
            SampleRange(from: Self.name(Self.a, 40), to: Self.name(Self.a, 60)),
            isBridged: false
        )
        source.hidings["y"] = TrackEdits.Hiding(
            SampleRange(from: Self.name(Self.a, 70), to: Self.name(Self.a, 71)),
            isBridged: true
        )
        let lineage = Self.lineage([
            Self.a: source, one: Self.derived((Self.a, nil, 50)),
            two: Self.derived((Self.a, 50, nil)),
        ])
        #expect(lineage.whole(of: one).shown.map(\.range) == [5..<40])
        #expect(lineage.whole(of: two).shown.map(\.range) == [60..<70, 71..<90])
        #expect(lineage.whole(of: Self.a).shown.map(\.isApart) == [false, true, false])
    }

    @Test(arguments: Rounds.seeds(100))
    func `whatever rows say, each sample is shown once`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var edits: [Identifier: TrackEdits] = [Self.a: TrackEdits(), Self.b: TrackEdits()]
        var next: UInt128 = 100
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let ids = edits.keys.sorted().shuffled(using: &random)
            next += 10
            if Bool.random(using: &random) {
                // A split, perhaps of what is split already, perhaps wrong.
                let cut = Int.random(in: 0...100, using: &random)
                let root = Bool.random(using: &random) ? Self.a : Self.b
                let (one, two) = (Self.id(next), Self.id(next + 1))
                let name = Self.name(root, cut)
                (edits[one], edits[two]) = (TrackEdits(), TrackEdits())
                edits[one]?.parts = [TrackEdits.Part(ids[0], SampleRange(to: name))]
                edits[two]?.parts = [TrackEdits.Part(ids[0], SampleRange(from: name))]
                edits[ids[0]]?.successors = [one, two]
            } else {
                let join = Self.id(next)
                edits[join] = TrackEdits()
                edits[join]?.parts = ids.prefix(2).map { TrackEdits.Part($0) }
                for id in ids.prefix(2) { edits[id]?.successors = [join] }
            }
            let first = edits[ids[0]]?.successors ?? []
            if let id = ids.last {
                switch Int.random(in: 0..<8, using: &random) {
                case 0: edits[id]?.successors = []
                case 1: edits[id]?.successors = first
                case 2: edits[id]?.successors = [Self.id(next)]
                default: break
                }
            }
        }
        let lineage = Self.lineage(edits)
        var counts: [SampleName: Int] = [:]
        for id in edits.keys where lineage.standing(of: id) == .shown {
            for stretch in lineage.whole(of: id).shown {
                for index in stretch.range.clamped(to: 0..<120) {
                    counts[SampleName(stream: stretch.stream, index: index), default: 0] += 1
                }
            }
        }
        for root in [Self.a, Self.b] {
            let seen = (0..<120).map { counts[Self.name(root, $0)] ?? 0 }
            #expect(seen.allSatisfy { $0 >= 1 }, "seed \(seed)")
            // The sample of a cut ends one part and begins another.
            #expect(seen.filter { $0 > 1 }.count <= 8, "seed \(seed)")
        }
    }
}
