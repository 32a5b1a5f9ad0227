internal import SyncCore

/// The control chains that a store evaluated last.
///
/// A chain is used only if it ends where the database says, so a transaction that was rolled back
/// leaves nothing behind.
final class ChainCache: Sendable {
    private let chains = Locked<[Identifier: ControlChain]>([:])

    /// A server with more active spaces evaluates some chains again.
    private static let limit = 1024

    func chain(of space: Identifier, endingAt end: LogEnd) -> ControlChain? {
        chains.withLock { $0[space] }.flatMap { chain in
            chain.count == end.controls && chain.head == end.controlHead ? chain : nil
        }
    }

    func keep(_ chain: ControlChain) {
        chains.withLock { chains in
            if chains.count >= Self.limit { chains = [:] }
            chains[chain.space] = chain
        }
    }
}

extension SQLiteTables {
    /// Returns the positions of a space's control sets from an index on.
    func controlPositions(in space: Identifier, from index: UInt64) throws -> [UInt64] {
        try database.all(
            """
            SELECT position FROM control_set WHERE space_id = \(space) AND place >= \(index)
            ORDER BY place
            """
        ) { $0.unsigned(0) }
    }

    /// Returns the control chain of a space, evaluated from the log.
    ///
    /// Throws ``StoreError/brokenControls`` if a control set in it is damaged.
    func chain(of space: Identifier, _ end: LogEnd) throws -> ControlChain {
        if let known = chains.chain(of: space, endingAt: end) { return known }
        do {
            let chain = try evaluated(space)
            chains.keep(chain)
            return chain
        } catch is ChangeSetError {
            throw StoreError.brokenControls
        } catch is ControlError {
            throw StoreError.brokenControls
        }
    }

    /// Returns the control chain of a space; nil as long as a control set in it is damaged.
    func soundChain(of space: Identifier) throws -> ControlChain? {
        guard let end = try endIfHosted(of: space) else { return nil }
        do {
            return try chain(of: space, end)
        } catch StoreError.brokenControls {
            return nil
        }
    }

    private func evaluated(_ space: Identifier) throws -> ControlChain {
        var chain = ControlChain(of: space)
        try database.each(
            """
            SELECT l.upload, l.body FROM control_set c JOIN log l USING (space_id, position)
            WHERE c.space_id = \(space) ORDER BY c.place
            """
        ) { row in
            try chain.apply(try ControlSet(try Upload(parsing: row.blob(0)), body: row.blob(1)))
        }
        return chain
    }
}
