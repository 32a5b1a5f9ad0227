/// An event of this database, listed for the person.
public struct ReplicaEvent: Hashable, Sendable {
    /// The number of the event, which increases.
    public let number: Int64
    /// The time by the wall clock.
    public let time: UnixTime
    /// The kind of event, or nil if only a newer program knows it.
    public let kind: Kind?
    /// The details, such as an id.
    public let detail: String

    /// The kinds of events.
    public enum Kind: String, Sendable {
        /// The database was restored or copied, or the disk lost its end; the detail is its new replica id.
        case renamed
        /// The server has another history; the detail names the space, whose base is built again.
        case rebased
        /// The database was made from a damaged one.
        case salvaged
        /// Something was repaired, as the detail says.
        case repaired
        /// Pages of the database do not match their checksum; the detail is their numbers, with commas.
        case damaged
        /// All pages of the database were written anew, because some were damaged.
        case rewritten
        /// The disk lost or damaged the end of the write-ahead log, with changes that were stored.
        case cutShort
        /// A log lost fields of other users or devices, and only they can write them again.
        case leftOut
        /// This device was shut out of a shared space, or its user left; the detail names the space, and
        /// the unsent work that is in the own space now.
        case ended
    }
}

/// The events of this database: the table `event`.
public struct EventLog {
    let database: Database

    /// The number of events that are kept.
    private static let eventLimit: Int64 = 1000

    /// Returns the latest events, the latest first.
    public func latest(limit: Int = 20) throws -> [ReplicaEvent] {
        try database.all(
            "SELECT number, time, kind, detail FROM event ORDER BY number DESC LIMIT \(limit)",
            read: Self.event
        )
    }

    /// Returns the latest event of a kind, or nil if there is none.
    public func last(_ kind: ReplicaEvent.Kind) throws -> ReplicaEvent? {
        try database.first(
            """
            SELECT number, time, kind, detail FROM event WHERE kind = \(kind.rawValue)
            ORDER BY number DESC LIMIT 1
            """,
            read: Self.event
        )
    }

    /// Returns the pages that were recorded as damaged and not written anew since.
    func damagedPages() throws -> FaultyPages {
        let rewritten = try last(.rewritten)?.number ?? 0
        let recorded = try database.all(
            """
            SELECT detail FROM event
            WHERE kind = \(ReplicaEvent.Kind.damaged.rawValue) AND number > \(rewritten)
            """
        ) { $0.text(0) }
        return FaultyPages(numbers: Set(recorded.flatMap(FaultyPages.numbers)).sorted())
    }

    private static func event(_ row: Statement) -> ReplicaEvent {
        ReplicaEvent(
            number: row.integer(0),
            time: UnixTime(milliseconds: row.integer(1)),
            kind: ReplicaEvent.Kind(rawValue: row.text(2)),
            detail: row.text(3)
        )
    }

    /// Stores an event inside the caller's transaction and deletes the oldest above the limit.
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
