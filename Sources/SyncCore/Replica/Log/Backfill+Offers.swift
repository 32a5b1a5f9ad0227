/// A set's place in the order of a backfill: control sets by index, then by replica, sequence and
/// number.
package struct BackfillPosition: Hashable, Sendable {
    /// The index of a control set, which comes before every change set.
    var rank: Int64 = -1
    var replica: Int64 = 0
    var sequence: UInt64 = 0
    var number: Int64 = 0
    package static let start = BackfillPosition()
    /// After all sets that the log lacks.
    static let end = BackfillPosition(rank: .max, replica: .max)
}

package struct BackfillRequest: Sendable {
    package var items: [[UInt8]] = []
    /// The place of the last item, or nil if none is left.
    package var reach: BackfillPosition?
}

extension Backfill {
    /// Returns the sets that the server's log lacks, in chain order, within the limits of one
    /// request.
    ///
    /// A change set that names control sets which the log lacks waits for these.
    ///
    /// - Parameters:
    ///   - heads: the server's head of each replica. Sets up to a head that this database knows are
    ///     left out.
    ///   - place: sets up to this place were offered before without success.
    package func offers(
        of space: Identifier,
        beyond heads: [Identifier: ReplicaHead] = [:],
        after place: BackfillPosition = .start,
        byteLimit: Int
    ) throws -> BackfillRequest {
        let known = try heads.filter { try sets.flags(of: $1, by: $0, in: space) != nil }
        var offers: [Offer] = []
        var reach: BackfillPosition?
        var room = RequestRoom(bytes: byteLimit)
        var place = place
        let number = try spaces.number(ofSpace: space)
        let controls = try controls.countInLog(of: number)
        collecting: while true {
            let orphans = try orphans(of: space, after: place)
            guard let last = orphans.last?.place else { break }
            for (place, replica) in orphans where place.sequence > known[replica]?.sequence ?? 0 {
                guard try namesAtMost(controls, place.number) else { continue }
                guard let offer = try offer(place.number) else { break collecting }
                // At least one item goes into a request, even if the caller leaves no room for it.
                let fits = room.takes(offer.encoded, with: offer.item.chunks)
                guard fits || offers.isEmpty else { break collecting }
                offers.append(offer)
                reach = place
                guard fits else { break collecting }
            }
            place = last
        }
        if offers.isEmpty {
            offers = try signedHeads.lacking(in: number, limit: Limits.setLimit)
                .compactMap { try offer($0)?.withoutContent }
            if !offers.isEmpty { reach = .end }
        }
        try signLast(of: &offers, in: number)
        return BackfillRequest(items: offers.map(\.encoded), reach: reach)
    }

    /// Returns the sets at positions of the log, within the limits of one request.
    ///
    /// Leaves out accepted sets without their body.
    package func offers(
        at positions: [UInt64],
        in space: Identifier,
        byteLimit: Int
    ) throws -> [[UInt8]] {
        var room = RequestRoom(bytes: byteLimit)
        var items: [[UInt8]] = []
        for position in positions {
            let number = try database.first(
                """
                SELECT q.number FROM sealed q JOIN space p ON p.number = q.space
                WHERE p.id = \(space) AND q.position = \(position)
                """
            ) { $0.integer(0) }
            guard var offer = try number.flatMap(soundOffer),
                offer.item.body != nil || [.held, .refused].contains(offer.verdict)
            else { continue }
            offer.item.chunks = []
            guard room.takes(offer.encoded, with: []) else { break }
            items.append(offer.encoded)
        }
        return items
    }

    /// Adds the device's signature to the last set of each replica, as far as it is known.
    private func signLast(of offers: inout [Offer], in space: Int64) throws {
        var signed: Set<Identifier> = []
        for index in offers.indices.reversed()
        where signed.insert(offers[index].upload.header.replica).inserted {
            let upload = offers[index].upload
            offers[index].item.headSignature = try signedHeads.signature(over: upload, in: space)
        }
    }

    /// Returns the control sets that were merged, in order, as refill items with their chunks.
    package func controlItems(of space: Identifier) throws -> [[UInt8]] {
        let number = try spaces.number(ofSpace: space)
        return try database.all(
            """
            SELECT q.number FROM sealed q JOIN space p ON p.number = q.space
            WHERE q.space = \(number) AND q.control >= 0 AND q.control < p.controls
            ORDER BY q.control
            """
        ) { $0.integer(0) }
        .compactMap { try offer($0)?.encoded }
    }

    /// Returns the next sets that the log lacks, up to `Limits.setLimit`.
    private func orphans(
        of space: Identifier,
        after place: BackfillPosition
    ) throws -> [(place: BackfillPosition, replica: Identifier)] {
        try database.all(
            """
            SELECT author, sequence, number, replica, rank FROM orphan
            WHERE space = \(space)
                AND (rank, author, sequence, number) > (\(place.rank), \(place.replica),
                \(place.sequence), \(place.number))
            ORDER BY rank, author, sequence, number LIMIT \(Limits.setLimit)
            """
        ) { row in
            (
                BackfillPosition(
                    rank: row.integer(4),
                    replica: row.integer(0),
                    sequence: row.unsigned(1),
                    number: row.integer(2)
                ),
                row.id(3)
            )
        }
    }

    /// Whether the log has the control sets that a set names; does not read its content.
    private func namesAtMost(_ controls: UInt64, _ number: Int64) throws -> Bool {
        try database.first("SELECT upload FROM sealed WHERE number = \(number)") {
            try Upload(parsing: $0.blob(0)).namesAtMost(controls)
        } ?? true
    }

    /// Returns one set to offer, or nil if it cannot be read.
    private func soundOffer(_ number: Int64) throws -> Offer? {
        do {
            return try offer(number)
        } catch is ChangeSetError {
            return nil
        }
    }

    /// Returns one set to offer, with its available chunks.
    private func offer(_ number: Int64) throws -> Offer? {
        try database.first(
            """
            SELECT upload, body, verdict, receipt, adopted, coalesce(reason, ''), own, space
            FROM sealed WHERE number = \(number)
            """
        ) { row in
            let upload = try Upload(parsing: row.blob(0))
            let item = PushItem(
                upload: upload.bytes,
                body: row.isNull(1) || !upload.header.isBody(row.blob(1)) ? nil : row.blob(1),
                chunks: row.integer(6) == 1
                    ? try chunks.bytes(namedBy: upload)
                    : try chunks.bytes(namedByOther: upload, in: row.integer(7))
            )
            let receipt = row.isNull(3) ? nil : row.blob(3)
            let counts = row.isNull(2) ? nil : Verdict(rawValue: row.unsigned(2))
            // The receipt of an adopted set is for what the server had decided.
            let verdict = row.integer(4) == 1 ? .held : counts
            return Offer(
                upload: upload,
                item: item,
                verdict: receipt.flatMap { _ in verdict },
                receipt: receipt,
                reason: receipt == nil || verdict == .accepted ? "" : row.text(5)
            )
        }
    }
}

/// A set that the log lacks, while a request is put together.
private struct Offer {
    let upload: Upload
    var item: PushItem
    let verdict: Verdict?
    let receipt: [UInt8]?
    let reason: String

    /// The same for a server that has the set, and lacks its signature.
    var withoutContent: Offer {
        var offer = self
        (offer.item.body, offer.item.chunks) = (nil, [])
        return offer
    }

    var encoded: [UInt8] {
        RefillItem(item: item.encoded, verdict: verdict, receipt: receipt, reason: reason)
            .encoded
    }
}
