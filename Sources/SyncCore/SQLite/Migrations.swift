/// The steps that bring a database file to the present schema, in order and each once.
package struct Migrations {
    /// One script a version; a released script never changes.
    package let scripts: [String]
    /// A table that the first script makes: a file without it is another program's.
    package let mark: String

    package init(mark: String, _ scripts: [String]) {
        self.scripts = scripts
        self.mark = mark
    }

    /// Brings the file up to date, each step in a transaction of its own.
    ///
    /// A file of a newer program, or of another one, is refused untouched.
    package func migrate(_ database: Database) throws {
        let tables = try tables(of: database)
        guard tables.isEmpty || tables.contains(mark) else {
            database.keepLog()
            throw MigrationError.foreign
        }
        let version = try database.userVersion()
        guard version <= scripts.count else {
            database.keepLog()
            throw MigrationError.newer(version: version, known: scripts.count)
        }
        for (index, script) in scripts.enumerated().dropFirst(version) {
            try database.write {
                guard try database.userVersion() == index else { return }
                try database.execute(script)
                try database.execute("PRAGMA user_version=\(index + 1)")
            }
        }
    }

    /// Whether nothing was ever written into the file.
    package func isEmpty(_ database: Database) throws -> Bool {
        try tables(of: database).isEmpty
    }

    private func tables(of database: Database) throws -> [String] {
        try database.all("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
    }
}

/// Why a file cannot be brought to the present schema.
package enum MigrationError: Error, Equatable {
    /// A newer program wrote it.
    case newer(version: Int, known: Int)
    /// Another program wrote it.
    case foreign
}
