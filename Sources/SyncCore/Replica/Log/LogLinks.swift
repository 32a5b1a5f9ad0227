/// The links of the merged log's hash chain, by position: the table `log_link`.
///
/// Others name such a link in what they seal (``Seen``). Where it differs from the one here, they
/// were shown another log.
struct LogLinks: ReplicaPart {
    let context: ReplicaContext

    /// A link, and four bytes of its hash: a flipped bit in the file must accuse nobody.
    private static let width = 36
    /// Links of a row: an append rewrites the last row.
    private static let rowCount: UInt64 = 32

    /// Stores the links after a position; nil for one that is not known.
    func store(
        _ links: [Digest?],
        after position: UInt64,
        in space: Int64,
        of epoch: Identifier
    ) throws {
        var index = position
        var rest = links[...]
        while !rest.isEmpty {
            let (block, offset) = index.quotientAndRemainder(dividingBy: Self.rowCount)
            let part = rest.prefix(Int(Self.rowCount - offset))
            let before = Int(offset) * Self.width
            let bytes = part.flatMap(Self.packed)
            try database.run(
                """
                INSERT INTO log_link (space, block, epoch, links)
                VALUES (\(space), \(Int64(block)), \(epoch),
                    \([UInt8](repeating: 0, count: before) + bytes))
                ON CONFLICT (space, block, epoch)
                DO UPDATE SET links = CAST(substr(links, 1, \(before)) || \(bytes) AS BLOB)
                """
            )
            rest = rest.dropFirst(part.count)
            index += UInt64(part.count)
        }
    }

    /// Returns the link at a position, or nil if it is not known.
    func link(at position: UInt64, in space: Int64, of epoch: Identifier) throws -> Digest? {
        guard position > 0 else { return .zero }
        let (block, offset) = (position - 1).quotientAndRemainder(dividingBy: Self.rowCount)
        let start = Int(offset) * Self.width
        let bytes = try database.first(
            """
            SELECT substr(links, \(start + 1), \(Self.width)) FROM log_link
            WHERE space = \(space) AND block = \(Int64(block)) AND epoch = \(epoch)
            """
        ) { $0.blob(0) }
        guard let bytes, let link = Digest(bytes: bytes.prefix(32)), Self.packed(link) == bytes
        else { return nil }
        return link
    }

    /// The logs of a space whose links are here.
    func epochs(in space: Int64) throws -> [Identifier] {
        try database.all("SELECT DISTINCT epoch FROM log_link WHERE space = \(space) ORDER BY 1") {
            $0.id(0)
        }
    }

    /// Returns the last link of a log that is known, or nil if none is.
    func end(in space: Int64, of epoch: Identifier) throws -> LogEnding? {
        let last = try database.first(
            """
            SELECT max(block), length(links) FROM log_link
            WHERE space = \(space) AND epoch = \(epoch)
            """
        ) { (start: $0.unsigned(0) &* Self.rowCount, count: $0.unsigned(1) / UInt64(Self.width)) }
        guard let last else { return nil }
        for offset in (0..<min(last.count, Self.rowCount)).reversed() {
            let position = last.start &+ offset &+ 1
            guard let link = try link(at: position, in: space, of: epoch) else { continue }
            return LogEnding(position: LogPosition(epoch: epoch, position: position), chain: link)
        }
        return nil
    }

    /// Forgets the links of logs that were given up, unless an own claim of them is open.
    func forgetSettled(but epoch: Identifier, in space: Int64) throws {
        try database.run(
            """
            DELETE FROM log_link WHERE space = \(space) AND epoch != \(epoch)
                AND epoch NOT IN (SELECT c.epoch FROM log_claim c
                    WHERE c.space = \(space) AND c.replica = \(SeenClaim.ownNumber))
            """
        )
    }

    private static func packed(_ link: Digest?) -> [UInt8] {
        guard let link else { return [UInt8](repeating: 0, count: width) }
        return link.bytes + Digest(of: link.bytes).bytes.prefix(width - 32)
    }
}
