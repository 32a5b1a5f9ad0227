import Testing

@testable import SyncCLI

/// Lines of many points, made shorter.
@Suite struct LineTests {
    private static func waves(_ count: Int) -> [Plot.Point] {
        (0..<count).map { index in
            Plot.Point(x: Double(index), y: Double(index * 7919 % 1009))
        }
    }

    @Test func `a thinned line keeps its ends, its extremes and its order`() {
        var line = Self.waves(20_000)
        line[12_345] = Plot.Point(x: 12_345, y: 5000)
        let thin = line.thinned(to: 500, of: 0...19_999)
        #expect(thin.count <= 2004)
        #expect(thin.first == line.first)
        #expect(thin.last == line.last)
        #expect(thin.contains(line[12_345]))
        #expect(zip(thin, thin.dropFirst()).allSatisfy { $0.x < $1.x })
    }

    @Test func `a short line stays as it is`() {
        let line = Self.waves(100)
        #expect(line.thinned(to: 50, of: 0...99) == line)
        #expect(line.thinned(to: 1, of: 5...5) == line)
    }

    private static func spiral(_ count: Int) -> [Page.Spot] {
        (0..<count).map { index in
            let turn = Double(index) / 500
            return Page.Spot(x: turn * Double(index % 97), y: turn * Double(index % 89))
        }
    }

    @Test func `a straight line is its ends`() {
        let line = (0...1000).map { Page.Spot(x: Double($0), y: Double($0) * 2) }
        #expect(line.simplified(tolerance: 0.2, limit: 2000) == [line[0], line[1000]])
    }

    @Test func `a corner is kept, and a bump below the tolerance is not`() {
        let corner = [(0.0, 0.0), (50, 0.1), (100, 0), (100, 100)].map { Page.Spot(x: $0, y: $1) }
        #expect(corner.simplified(tolerance: 0.2, limit: 10) == [corner[0], corner[2], corner[3]])
    }

    @Test func `no line has more than the limit of vertices`() {
        let line = Self.spiral(6000)
        let simple = line.simplified(tolerance: 0.2, limit: 2000)
        #expect((2...2000).contains(simple.count))
        #expect(simple.first == line.first)
        #expect(simple.last == line.last)
    }

    @Test(arguments: 0...2)
    func `next to nothing stays next to nothing`(count: Int) {
        let line = Self.spiral(count)
        #expect(line.simplified(tolerance: 0.2, limit: 2000).count == count)
    }
}
