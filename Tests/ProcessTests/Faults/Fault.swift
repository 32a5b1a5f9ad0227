import SyncCore

/// What happens to one connection on its way.
enum Fault: Hashable, Sendable {
    /// Nothing.
    case none
    /// It ends as soon as it was made.
    case refuse
    /// Every piece waits.
    case delay(milliseconds: Int)
    /// It is reset once so many bytes passed.
    case cut(Direction, after: Int)
    /// Once so many bytes passed it stays open and silent, then it is reset.
    case stall(Direction, after: Int, milliseconds: Int)
    /// Once so many bytes passed it stays open and silent until the client gives it up.
    case silence(Direction, after: Int)
    /// So many bytes pass one by one, the rest as it comes.
    case trickle(Direction, byteCount: Int)
    /// What the client sends is sent on a second connection at the same time.
    case duplicate
    /// What the client sent is sent again on a second connection once the first ended.
    case replay

    /// Which way bytes go.
    enum Direction: Hashable, Sendable, CaseIterable {
        /// To the server.
        case up
        /// To the client.
        case down
    }

    /// Where connections were cut: in the head, at its end, and in bodies small and large.
    private static let places = [0, 1, 17, 150, 400, 700, 1000, 3000, 20_000, 60_000]

    static func random(using generator: inout SplitMix64) -> Fault {
        let direction: Direction = Bool.random(using: &generator) ? .up : .down
        let place = Self.places.randomElement(using: &generator) ?? 0
        let count = place + Int.random(in: 0...place, using: &generator)
        let milliseconds = Int.random(in: 1...60, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .refuse
        case 1: return .delay(milliseconds: milliseconds)
        case 2, 3: return .cut(direction, after: count)
        case 4: return .stall(direction, after: count, milliseconds: 5 * milliseconds)
        case 5: return .trickle(direction, byteCount: min(count, 500))
        case 6: return .duplicate
        default: return .replay
        }
    }
}
