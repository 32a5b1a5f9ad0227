/// The numbers that stand for replica ids in this database: the table `replica`.
final class ReplicaNumbers {
    private let database: Database
    private var numbers: [Identifier: Int64] = [:]
    private var names: [Int64: Identifier] = [:]

    init(database: Database) { self.database = database }

    /// Clears the cache, because a transaction that was rolled back may have added numbers.
    func forget() { (numbers, names) = ([:], [:]) }

    /// Returns the number of a replica id, and assigns one if there is none.
    func number(of replica: Identifier) throws -> Int64 {
        if let number = numbers[replica] { return number }
        try database.run("INSERT INTO replica (id) VALUES (\(replica)) ON CONFLICT DO NOTHING")
        let number = try database.first("SELECT number FROM replica WHERE id = \(replica)") {
            $0.integer(0)
        }
        guard let number else { throw ReplicaError.damagedRecord }
        numbers[replica] = number
        names[number] = replica
        return number
    }

    /// Returns the replica id behind a number.
    func id(numbered number: Int64) throws -> Identifier {
        if let replica = names[number] { return replica }
        let replica = try database.first(
            "SELECT id FROM replica WHERE number = \(number)"
        ) { $0.id(0) }
        guard let replica else { throw ReplicaError.damagedRecord }
        names[number] = replica
        numbers[replica] = number
        return replica
    }
}
