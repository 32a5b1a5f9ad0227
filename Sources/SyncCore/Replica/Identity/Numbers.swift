/// The small numbers that stand for names in this database, such as replica ids in packed cells.
final class Numbers<Name: Hashable> {
    private let find: (Name) throws -> Int64?
    private let insert: (Name) throws -> Int64
    private let read: (Int64) throws -> Name?
    private let readAll: ((Int64, Name) -> Void) throws -> Void
    /// Whether the cache was filled: one statement instead of one for each name.
    private var isFilled = false
    private var numbers: [Name: Int64] = [:]
    /// The names by their numbers, which are small: a merge looks them up for every cell.
    private var names: [Name?] = []

    /// Only smaller numbers are cached, so that a database with many names does not fill the
    /// memory.
    private static var cacheLimit: Int { 4096 }

    /// - Parameters:
    ///   - find: returns the number of a name, or nil if it has none.
    ///   - insert: assigns a number to a name.
    ///   - read: returns the name behind a number, or nil if it is not assigned.
    ///   - readAll: reads the numbers below a limit with their names.
    init(
        find: @escaping (Name) throws -> Int64?,
        insert: @escaping (Name) throws -> Int64,
        read: @escaping (Int64) throws -> Name?,
        readAll: @escaping ((Int64, Name) -> Void) throws -> Void
    ) {
        (self.find, self.insert, self.read) = (find, insert, read)
        self.readAll = readAll
    }

    /// Clears the cache, because a transaction that was rolled back may have added numbers.
    func forget() { (numbers, names, isFilled) = ([:], [], false) }

    /// Returns the number of a name, and assigns one if there is none.
    func number(of name: Name) throws -> Int64 {
        try known(name) ?? assign(name)
    }

    /// Returns the number of a name if it is below 4,096, and assigns one while there are such.
    ///
    /// Bounds the table: anybody who may write can invent names.
    func small(_ name: Name) throws -> Int64? {
        if let number = try known(name) { return number < Self.cacheLimit ? number : nil }
        return names.count < Self.cacheLimit ? try assign(name) : nil
    }

    private func assign(_ name: Name) throws -> Int64 {
        let number = try insert(name)
        remember(number, name)
        return number
    }

    /// Returns the number of a name, or nil if it has none.
    func known(_ name: Name) throws -> Int64? {
        try fill()
        if let number = numbers[name] { return number }
        let number = try find(name)
        if let number { remember(number, name) }
        return number
    }

    /// Returns the name behind a number.
    func name(numbered number: Int64) throws -> Name {
        try fill()
        if names.indices.contains(Int(number)), let name = names[Int(number)] { return name }
        guard let name = try read(number) else { throw ReplicaError.damagedRecord }
        remember(number, name)
        return name
    }

    private func fill() throws {
        guard !isFilled else { return }
        isFilled = true
        try readAll(remember)
    }

    private func remember(_ number: Int64, _ name: Name) {
        guard (0..<Self.cacheLimit).contains(Int(number)) else { return }
        numbers[name] = number
        while names.count <= Int(number) { names.append(nil) }
        names[Int(number)] = name
    }
}

extension Numbers<Identifier> {
    /// The numbers of replica ids: the table `replica`.
    convenience init(ofReplicasIn database: Database) {
        self.init(
            find: { replica in
                try database.first("SELECT number FROM replica WHERE id = \(replica)") {
                    $0.integer(0)
                }
            },
            insert: { replica in
                try database.run("INSERT INTO replica (id) VALUES (\(replica))")
                return database.lastInsertedRow
            },
            read: { number in
                try database.first("SELECT id FROM replica WHERE number = \(number)") { $0.id(0) }
            },
            readAll: { body in
                try database.each(
                    "SELECT number, id FROM replica WHERE number < \(Self.cacheLimit)"
                ) { body($0.integer(0), $0.id(1)) }
            }
        )
    }
}

extension Numbers<Text> {
    /// The numbers of field names: the table `field`.
    convenience init(ofFieldsIn database: Database) {
        self.init(
            find: { field in
                try database.first("SELECT number FROM field WHERE name = \(field)") {
                    $0.integer(0)
                }
            },
            insert: { field in
                try database.run("INSERT INTO field (name) VALUES (\(field))")
                return database.lastInsertedRow
            },
            read: { number in
                try database.first("SELECT name FROM field WHERE number = \(number)") {
                    Text($0.text(0))
                }
            },
            readAll: { body in
                try database.each(
                    "SELECT number, name FROM field WHERE number < \(Self.cacheLimit)"
                ) { body($0.integer(0), Text($0.text(1))) }
            }
        )
    }
}

extension Text: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .text(utf8) }
}
