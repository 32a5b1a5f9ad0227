@testable import SyncCore
import Harness
import Testing

/// The laws of merging, on cells with so few distinct parts that ties are common.
@Suite struct CellTests {
    private func cell(using random: inout SplitMix64) -> Cell {
        Cell(
            stamp: Stamp(
                time: UInt64.random(in: 1...3, using: &random),
                replica: Identifier(number: UInt128(Int.random(in: 1...2, using: &random)))
            ),
            value: [.null, .integer(0), .integer(300), .text("a"), .text("")]
                .randomElement(using: &random) ?? .null
        )
    }

    private func merged(_ left: Cell, _ right: Cell) -> Cell {
        var cell = left
        cell.merge(right)
        return cell
    }

    @Test(arguments: Rounds.seeds(50))
    func `merging is commutative, associative and idempotent`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let (a, b, c) = (cell(using: &random), cell(using: &random), cell(using: &random))
            #expect(merged(a, b) == merged(b, a))
            #expect(merged(merged(a, b), c) == merged(a, merged(b, c)))
            #expect(merged(a, a) == a)
            #expect(merged(merged(a, b), b) == merged(a, b))
            #expect([a, b].contains(merged(a, b)))
        }
    }

    @Test(arguments: Rounds.seeds(20))
    func `any order and any repetition of deliveries give one winner`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let cells = (0..<12).map { _ in cell(using: &random) }
        let winner = try #require(cells.max())
        for _ in 0..<20 {
            let order = (cells + cells.prefix(5)).shuffled(using: &random)
            #expect(order.dropFirst().reduce(order[0], merged) == winner)
        }
    }

    @Test func `C8 of two writes with one stamp the greater bytes win everywhere`() {
        let stamp = Stamp(time: 9, replica: Identifier(number: 1))
        let (a, b) = (Cell(stamp: stamp, value: .text("a")), Cell(stamp: stamp, value: .text("b")))
        #expect(merged(a, b) == b)
        #expect(merged(b, a) == b)
    }

    @Test func `an unset cell is a value like any other`() {
        let replica = Identifier(number: 1)
        let set = Cell(stamp: Stamp(time: 1, replica: replica), value: .integer(1))
        let unset = Cell(stamp: Stamp(time: 2, replica: replica), value: .null)
        #expect(merged(set, unset).isUnset)
        #expect(merged(set, unset).value == .null)
    }
}
