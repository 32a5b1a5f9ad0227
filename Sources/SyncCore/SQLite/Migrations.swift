/// The scripts that migrate a database file to the present schema, in order and each once.
package struct Migrations {
    /// One script for each version.
    ///
    /// A released script never changes.
    package let scripts: [String]
    /// A table that the first script creates.
    ///
    /// A file without it belongs to another program.
    package let mark: String

    package init(mark: String, _ scripts: [String]) {
        self.scripts = scripts
        self.mark = mark
    }

    /// Migrates the file; each script runs in its own transaction.
    ///
    /// Throws `MigrationError` for a file of a newer or different program, and leaves it
    /// unchanged.
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

    package func isEmpty(_ database: Database) throws -> Bool { try tables(of: database).isEmpty }

    private func tables(of database: Database) throws -> [String] {
        try database.all("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
    }
}

/// Why a file cannot be migrated.
package enum MigrationError: Error, Equatable {
    /// A newer program wrote the file.
    case newer(version: Int, known: Int)
    /// Another program wrote the file.
    case foreign
}
