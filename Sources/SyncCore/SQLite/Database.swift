internal import CSQLite

/// One connection to one SQLite file in WAL mode, for one thread at a time.
///
/// Every commit is durable (`synchronous=FULL`) unless the file is a view that can be rebuilt.
package final class Database {
    let handle: csqlite_connection
    private let waiter: LockWaiter
    private var statements: [CallSite: [Statement]] = [:]

    /// Set once the file was found sound.
    private var mark: CheckMark?

    /// What a commit guarantees.
    package enum Durability: String {
        /// A commit survives power loss.
        case full = "FULL"
        /// A commit survives a crash of the process.
        ///
        /// Power loss may undo it, but never corrupts the file.
        case normal = "NORMAL"
    }

    /// The pages that ``takeCorrectedPages()`` and ``takeDamagedPages()`` returned.
    var takenCorrected: Set<UInt32> = []
    var takenDamaged: Set<UInt32> = []

    /// The first I/O error.
    ///
    /// Nothing is written after it, because it is unknown what became durable.
    package private(set) var failure: DatabaseError?

    /// Opens a file, or creates it; waits for other processes' locks according to `lockWait`.
    ///
    /// If the file is not writable, it can still be read: see ``Opening``. A file that `isShared`
    /// is never taken from other processes for that.
    package init(
        path: String,
        on fileSystem: FileSystem = .system,
        durability: Durability = .full,
        isShared: Bool = false,
        lockWait: LockWait = LockWait()
    ) throws(DatabaseError) {
        waiter = LockWaiter(lockWait)
        var opening = Opening(path: path, fileSystem: fileSystem, wait: lockWait)
        opening.durability = durability
        handle = try opening.open(isShared: isShared)
        waiter.attach(to: handle)
        try execute("PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF")
        try execute("PRAGMA synchronous=\(durability.rawValue)")
    }

    deinit {
        statements = [:]
        csqlite_close(handle)
        mark?.set()
    }

    /// Runs statements that take no values: pragmas, schema, transactions.
    package func execute(_ sql: String) throws(DatabaseError) {
        do {
            try Opening.execute(sql, on: handle)
        } catch {
            note(error)
            throw error
        }
    }

    private func note(_ error: any Error) {
        guard let error = error as? DatabaseError else { return }
        if error.kind == .failing { failure = failure ?? error }
        guard [.failing, .corrupt].contains(error.kind) else { return }
        distrust()
        keepLog()
    }

    /// Keeps the file and the log as they are at close, because they may not belong together.
    package func keepLog() { csqlite_keep_log(handle, true) }

    /// Makes the next opening check the whole file.
    package func distrust() {
        mark?.remove()
        mark = nil
    }

    /// Checks a file of at most `byteLimit` bytes, unless it is unchanged since the last check.
    ///
    /// Throws ``DatabaseError/Kind/corrupt``.
    package func checkOnce(_ path: String, on fileSystem: FileSystem, byteLimit: Int64) throws {
        let mark = CheckMark(of: path, on: fileSystem)
        if mark?.isCurrent != true, try byteCount() <= byteLimit { try quickCheck() }
        self.mark = mark
    }

    /// Runs SQLite's quick check on the file or on one table.
    ///
    /// Throws ``DatabaseError/Kind/corrupt``.
    package func quickCheck(_ table: String? = nil) throws {
        let finding =
            try table.map { table in
                try first("SELECT quick_check FROM pragma_quick_check(\(table))") { $0.text(0) }
            } ?? first("PRAGMA quick_check(1)") { $0.text(0) }
        guard finding == "ok" else {
            keepLog()
            let reason = finding?.split(separator: "\n").last.map(String.init)
            throw DatabaseError(code: CSQLITE_CORRUPT, message: reason ?? "no answer", sql: nil)
        }
    }

    package func byteCount() throws -> Int64 {
        let pages = try first("PRAGMA page_count") { $0.integer(0) } ?? 0
        return try pages * (first("PRAGMA page_size") { $0.integer(0) } ?? 0)
    }

    /// Runs one statement without a result, and returns the number of changed rows.
    @discardableResult
    package func run(
        _ sql: SQL,
        file: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) throws -> Int {
        if let failure { throw failure }
        try each(sql, file: file, line: line, column: column) { _ in }
        return Int(csqlite_changes(handle))
    }

    /// Runs one statement and reads every row of its result.
    @discardableResult
    package func all<Element>(
        _ sql: SQL,
        file: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        read: (Statement) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try each(sql, file: file, line: line, column: column) { elements.append(try read($0)) }
        return elements
    }

    /// Runs one statement and reads the first row of its result, or returns nil if there is none.
    package func first<Element>(
        _ sql: SQL,
        file: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        read: (Statement) throws -> Element
    ) throws -> Element? {
        try using(sql, at: CallSite(file, line, column)) { try $0.step() ? try read($0) : nil }
    }

    /// Runs one statement and reads row by row, without keeping the rows.
    package func each(
        _ sql: SQL,
        file: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        read: (Statement) throws -> Void
    ) throws {
        try using(sql, at: CallSite(file, line, column)) { while try $0.step() { try read($0) } }
    }

    /// Whether a transaction is open.
    ///
    /// After some errors SQLite has rolled it back by itself.
    package var isInTransaction: Bool { csqlite_is_in_transaction(handle) }

    package var lastInsertedRow: Int64 { csqlite_last_row(handle) }

    /// Returns the statement that was prepared for a place in the code, or prepares it.
    ///
    /// A nested use of a statement gets one of its own, which is not kept.
    private func prepared(_ sql: SQL, at site: CallSite) throws -> Statement {
        let known = statements[site]?.first { $0.parts == sql.parts }
        if let known, !known.isInUse { return known }
        let statement = try Statement(sql, on: handle)
        if known == nil { statements[site, default: []].append(statement) }
        return statement
    }

    private func using<Result>(
        _ sql: SQL,
        at site: CallSite,
        _ body: (Statement) throws -> Result
    ) throws -> Result {
        let statement = try prepared(sql, at: site)
        statement.isInUse = true
        defer {
            statement.reset()
            statement.isInUse = false
        }
        do {
            try statement.bind(sql.values)
            return try body(statement)
        } catch {
            note(error)
            throw error
        }
    }

    /// Runs `body` in one transaction that holds the write lock from its start.
    ///
    /// An error from `body` or from the commit rolls everything back.
    package func write<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        return try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` on one snapshot of the file, or inside the open transaction.
    ///
    /// A snapshot is only read: if `body` writes, everything is rolled back and an error is thrown.
    package func read<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isInTransaction else { return try body() }
        return try transaction("BEGIN") {
            let changes = csqlite_total_changes(handle)
            let result = try body()
            guard csqlite_total_changes(handle) == changes else {
                throw DatabaseError(code: CSQLITE_MISUSE, message: "written in a read", sql: nil)
            }
            return result
        }
    }

    /// Runs `body` in a savepoint inside a transaction; an error undoes only what `body` did.
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try each("SAVEPOINT part") { _ in }
        do {
            let result = try body()
            try each("RELEASE part") { _ in }
            return result
        } catch {
            // After some errors SQLite has rolled back the transaction, and with it the savepoint.
            try? execute("ROLLBACK TO part; RELEASE part")
            throw error
        }
    }

    private func transaction<Result>(_ begin: SQL, _ body: () throws -> Result) throws -> Result {
        try each(begin) { _ in }
        do {
            let result = try body()
            try each("COMMIT") { _ in }
            return result
        } catch {
            // After some errors SQLite has rolled back by itself. The caller needs the first error.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The schema version that the application stored.
    package func userVersion() throws -> Int {
        try first("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
    }
}

/// A place in the code that runs a statement.
///
/// It narrows the search for the prepared statement without hashing a text; the parts decide.
private struct CallSite: Hashable {
    let file: UInt
    let line: UInt
    let column: UInt

    /// Feeds one word: a place is looked up for every statement.
    func hash(into hasher: inout Hasher) { hasher.combine(file ^ line &<< 40 ^ column &<< 56) }

    init(_ file: StaticString, _ line: UInt, _ column: UInt) {
        self.file = unsafe UInt(bitPattern: file.utf8Start)
        self.line = line
        self.column = column
    }
}
