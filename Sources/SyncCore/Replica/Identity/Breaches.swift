/// Something that an honest server and honest members never do.
public struct Breach: Hashable, Sendable {
    /// The space.
    public let space: Identifier
    /// The kind of breach, or nil if only a newer program knows it.
    public let kind: Kind?
    /// What it is about, such as a replica id or a position.
    public let detail: String
    /// When it was noticed, by the wall clock.
    public let time: UnixTime
    /// Whether the person has said that this needs no more attention.
    public let isAcknowledged: Bool

    /// The kinds of breaches.
    public enum Kind: String, Sendable {
        /// The server named a head of this replica that this device never signed.
        case forgedHead
        /// The log has sets without a signature of the device in their header.
        case unsignedSets
        /// The log has a signature that the device in the header of its set never made.
        case wrongSignature
        /// Members were shown different logs.
        case twoHistories
        /// The server withholds entries that a member has seen.
        case withheld
        /// A control set that the server accepted breaks the rules of the control chain.
        case brokenControl
        /// The server let a device change members or keys that was revoked before.
        case revivedDevice
        /// The log has a change set that no device of the space can have sealed.
        case voidSet
    }
}

/// The breaches that this database has noticed: the table `breach`.
public struct Breaches {
    let database: Database

    /// Returns all breaches, the oldest first.
    public func all() throws -> [Breach] {
        try database.all(
            """
            SELECT p.id, a.kind, a.detail, a.time, a.is_acknowledged FROM breach a
            JOIN space p ON p.number = a.space ORDER BY a.time, a.space, a.kind, a.detail
            """
        ) {
            Breach(
                space: $0.id(0),
                kind: Breach.Kind(rawValue: $0.text(1)),
                detail: $0.text(2),
                time: UnixTime(milliseconds: $0.integer(3)),
                isAcknowledged: $0.integer(4) == 1
            )
        }
    }

    /// Returns the breaches that the person has not acknowledged, the oldest first.
    public func open() throws -> [Breach] { try all().filter { !$0.isAcknowledged } }

    /// Records that the person knows of all breaches so far; they are faults no more.
    public func acknowledge() throws {
        try database.run("UPDATE breach SET is_acknowledged = 1")
    }

    func count(in space: Int64) throws -> Int {
        try database.first("SELECT count(*) FROM breach WHERE space = \(space)") {
            Int($0.integer(0))
        } ?? 0
    }

    /// Deletes a breach that has turned out to be none.
    func forget(_ kind: Breach.Kind, _ detail: String, in space: Int64) throws {
        try database.run(
            """
            DELETE FROM breach
            WHERE space = \(space) AND kind = \(kind.rawValue) AND detail = \(detail)
            """
        )
    }

    /// Deletes all breaches of a kind, which the next log may show again.
    func forgetAll(_ kind: Breach.Kind, in space: Int64) throws {
        try database.run(
            "DELETE FROM breach WHERE space = \(space) AND kind = \(kind.rawValue)"
        )
    }

    /// Stores a breach, once for each kind and detail.
    func record(_ kind: Breach.Kind, _ detail: String, in space: Int64, at time: UnixTime) throws {
        try database.run(
            """
            INSERT INTO breach (space, kind, detail, time)
            VALUES (\(space), \(kind.rawValue), \(detail), \(time.milliseconds))
            ON CONFLICT DO NOTHING
            """
        )
    }
}

extension Breach: CustomStringConvertible {
    /// A sentence without a full stop for a person.
    public var description: String {
        let place = "space \(space)"
        return switch kind {
        case .forgedHead:
            "\(place): the server named a change set of replica \(detail) that this device never signed"
        case .unsignedSets:
            "\(place): the server sent change sets of replica \(detail) that its device did not sign"
        case .wrongSignature:
            "\(place): the server sent a wrong signature over change sets of replica \(detail)"
        case .twoHistories: "\(place): members were shown different histories, \(detail)"
        case .withheld: "\(place): the server withholds what another member has seen, \(detail)"
        case .brokenControl:
            "\(place): the server accepted a change of members or keys that is not allowed, \(detail)"
        case .revivedDevice:
            "\(place): the server let the revoked device \(detail) change members or keys"
        case .voidSet: "\(place): change set \(detail) is forged; no device counts it"
        case nil: "\(place): a newer wake noticed a fault, \(detail)"
        }
    }
}
