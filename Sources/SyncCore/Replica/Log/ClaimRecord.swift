/// A row of `log_claim`, with the sum that shows damage.
///
/// A damaged claim would accuse a server of a second log.
struct ClaimRecord {
    let space: Int64
    /// The number of the replica that claims it.
    let number: Int64
    let ending: LogEnding
    /// The column `since`.
    let since: Int64
    let sum: Int64

    init(_ ending: LogEnding, of number: Int64, since: Int64, in space: Int64) {
        (self.space, self.number, self.ending, self.since) = (space, number, ending, since)
        sum = Self.sum(ending, number, since, space)
    }

    /// - Parameter row: epoch, position, chain, replica, since and sum.
    init(_ row: Statement, in space: Int64) {
        self.space = space
        ending = Self.ending(row)
        (number, since, sum) = (row.integer(3), row.integer(4), row.integer(5))
    }

    /// - Parameter row: epoch, position and chain.
    static func ending(_ row: Statement) -> LogEnding {
        LogEnding(
            position: LogPosition(epoch: row.id(0), position: row.unsigned(1)),
            chain: row.digest(2)
        )
    }

    var isSound: Bool { sum == Self.sum(ending, number, since, space) }

    private static func sum(
        _ ending: LogEnding,
        _ number: Int64,
        _ since: Int64,
        _ space: Int64
    ) -> Int64 {
        let numbers = [space, number, since].map(UInt64.init(bitPattern:))
        return Checksum.of(
            record: numbers + [ending.position.position],
            ending.position.epoch.bytes + ending.chain.bytes
        )
    }
}
