/// A row of `log_claim`, with the sum that shows damage.
///
/// A damaged claim would accuse a server of a second log. The sum leaves out since when a claim is
/// known, which stays what it was when the claim grows.
struct ClaimRecord {
    private let space: Int64
    /// The number of the replica that claims it.
    let number: Int64
    let ending: LogEnding
    let sum: Int64

    init(_ space: Int64, _ number: Int64, _ ending: LogEnding) {
        (self.space, self.number, self.ending) = (space, number, ending)
        sum = Self.sum(space, number, ending)
    }

    /// - Parameter row: epoch, position, chain, replica and sum.
    init(_ row: Statement, in space: Int64) {
        self.space = space
        ending = Self.ending(row)
        (number, sum) = (row.integer(3), row.integer(4))
    }

    /// - Parameter row: epoch, position and chain.
    static func ending(_ row: Statement) -> LogEnding {
        LogEnding(
            position: LogPosition(epoch: row.id(0), position: row.unsigned(1)),
            chain: row.digest(2)
        )
    }

    var isSound: Bool { sum == Self.sum(space, number, ending) }

    private static func sum(_ space: Int64, _ number: Int64, _ ending: LogEnding) -> Int64 {
        let numbers = [UInt64(bitPattern: space), UInt64(bitPattern: number)]
        let words = (numbers + [ending.position.position]).flatMap(\.bigEndianBytes)
        return Int64(Checksum.of(words + ending.position.epoch.bytes + ending.chain.bytes))
    }
}
