/// Something that happened to this database and that its person should be able to read.
public struct ReplicaEvent: Hashable, Sendable {
    /// Counts up.
    public let number: Int64
    /// When, by the wall clock.
    public let time: UnixTime
    /// What kind of thing happened; nil where a newer program knows.
    public let kind: Kind?
    /// What there is to say, such as an id.
    public let detail: String

    /// What can happen to a database.
    public enum Kind: String, Sendable {
        /// It was restored or copied, and goes on under the replica id in the detail.
        case renamed
        /// The server had another history; the log of the space in the detail was taken anew.
        case rebased
        /// It was made of what could be read of a damaged one.
        case salvaged
        /// Something was repaired, as the detail says.
        case repaired
        /// Settings of other people or devices went with a log, and only they can write them again.
        case leftOut
    }
}

/// What happened to this database: the table `event`.
public struct EventLog {
    let database: Database

    /// More are of no use to anyone.
    private static let eventLimit: Int64 = 1000

    /// The latest events, the latest first.
    public func latest(limit: Int = 20) throws -> [ReplicaEvent] {
        try database.all(
            "SELECT number, time, kind, detail FROM event ORDER BY number DESC LIMIT \(limit)",
            read: Self.event
        )
    }

    /// The latest event of a kind; nil where there was none.
    public func last(_ kind: ReplicaEvent.Kind) throws -> ReplicaEvent? {
        try database.first(
            """
            SELECT number, time, kind, detail FROM event WHERE kind = \(kind.rawValue)
            ORDER BY number DESC LIMIT 1
            """,
            read: Self.event
        )
    }

    private static func event(_ row: Statement) -> ReplicaEvent {
        ReplicaEvent(
            number: row.integer(0),
            time: UnixTime(milliseconds: row.integer(1)),
            kind: ReplicaEvent.Kind(rawValue: row.text(2)),
            detail: row.text(3)
        )
    }

    /// Notes an event inside the caller's transaction; the oldest beyond a limit are forgotten.
    func record(_ kind: ReplicaEvent.Kind, _ detail: String, at time: UnixTime) throws {
        try database.run(
            """
            INSERT INTO event (time, kind, detail)
            VALUES (\(time.milliseconds), \(kind.rawValue), \(detail))
            """
        )
        try database.run(
            "DELETE FROM event WHERE number <= \(database.lastInsertedRow - Self.eventLimit)"
        )
    }
}
