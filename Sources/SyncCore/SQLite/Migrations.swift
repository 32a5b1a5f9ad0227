/// The steps that bring a database file to the present schema, in order and each once.
package struct Migrations {
    /// One script a version; a released script never changes.
    package let scripts: [String]

    package init(_ scripts: [String]) {
        self.scripts = scripts
    }

    /// Brings the file up to date, each step in a transaction of its own.
    ///
    /// A file that a newer program has written is refused untouched.
    package func migrate(_ database: Database) throws {
        let version = try database.userVersion()
        guard version <= scripts.count else {
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
}

/// Why a file cannot be brought to the present schema.
package enum MigrationError: Error, Equatable {
    /// A newer program wrote it.
    case newer(version: Int, known: Int)
}
