/// The small numbers that stand for names in this database, such as replica ids in packed cells.
final class Numbers<Name: Hashable> {
    private let find: (Name) throws -> Int64?
    private let insert: (Name) throws -> Int64
    private let read: (Int64) throws -> Name?
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
    init(
        find: @escaping (Name) throws -> Int64?,
        insert: @escaping (Name) throws -> Int64,
        read: @escaping (Int64) throws -> Name?
    ) {
        (self.find, self.insert, self.read) = (find, insert, read)
    }

    /// Clears the cache, because a transaction that was rolled back may have added numbers.
    func forget() { (numbers, names) = ([:], []) }

    /// Returns the number of a name, and assigns one if there is none.
    func number(of name: Name) throws -> Int64 {
        if let number = numbers[name] { return number }
        let number = try find(name) ?? insert(name)
        remember(name, number)
        return number
    }

    /// Returns the name behind a number.
    func name(numbered number: Int64) throws -> Name {
        if names.indices.contains(Int(number)), let name = names[Int(number)] { return name }
        guard let name = try read(number) else { throw ReplicaError.damagedRecord }
        remember(name, number)
        return name
    }

    private func remember(_ name: Name, _ number: Int64) {
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
            }
        )
    }
}

extension Text: SQLiteConvertible {
    package var sqliteValue: SQLiteValue { .text(utf8) }
}
