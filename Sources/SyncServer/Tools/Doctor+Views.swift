internal import FoundationEssentials
internal import ProgramKit
internal import SyncCore

extension Doctor {
    /// Checks that each view equals a new merge of the log.
    ///
    /// In a temporary folder, a copy of each view is advanced to the end of the log and compared
    /// with a new view.
    func views(of folder: DataFolder, _ store: any Store, _ keys: ServerKeys) async -> Check {
        let scratch = URL.temporaryDirectory.path() + "wake-doctor-\(Replica.randomIdentifier())"
        // A file that cannot be removed only uses disk space.
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        do {
            for name in ["copies", "anew"] {
                try FileManager.default.createDirectory(
                    atPath: scratch + "/" + name,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            let comparison = ViewComparison(
                folder: folder.views,
                scratch: scratch,
                store: store,
                keys: keys
            )
            return tell(try await comparison.wrongSpaces(), try comparison.spaces, folder)
        } catch let error as DatabaseError where error.kind == .busy && folder.isServed {
            return .warning(
                "views",
                "the server keeps one for itself, as on a full disk; none was checked",
                "start the server again once its disk has space"
            )
        } catch {
            return .trouble("views", error)
        }
    }

    private func tell(_ wrong: [Identifier], _ all: [Identifier], _ folder: DataFolder) -> Check {
        guard !wrong.isEmpty else {
            return .ok("views", "\(all.count), each matches the log")
        }
        let text = "\(wrong.count) of \(all.count) do not match the log"
        guard repairs, !folder.isServed else {
            let remedy = "stop the server and run 'wake-server doctor --repair'"
            return .trouble("views", text, remedy + ": views are rebuilt from the log")
        }
        for space in wrong { Views.remove("\(folder.views)/\(space).db") }
        return .repaired("views", text + "; they are rebuilt from the log when needed")
    }
}

/// Compares views with new ones.
private struct ViewComparison {
    let folder: String
    let scratch: String
    let store: any Store
    let keys: ServerKeys

    /// The spaces that have a view.
    var spaces: [Identifier] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder).filter {
                $0.hasSuffix(".db")
            }.compactMap { Identifier(String($0.dropLast(3))) }.sorted()
        }
    }

    func wrongSpaces() async throws -> [Identifier] {
        let (copies, anew) = (views("copies"), views("anew"))
        var wrong: [Identifier] = []
        for space in try spaces where try await !isRight(space, copies, anew) {
            wrong.append(space)
        }
        return wrong
    }

    private func views(_ name: String) -> Views {
        Views(store: store, folder: scratch + "/" + name)
    }

    private func isRight(_ space: Identifier, _ copies: Views, _ anew: Views) async throws -> Bool {
        do {
            let view = try Database(path: "\(folder)/\(space).db", isShared: true)
            try view.quickCheck()
            try view.run("VACUUM INTO \("\(scratch)/copies/\(space).db")")
        } catch let error as DatabaseError where error.kind == .corrupt {
            return false
        }
        // While a server runs, the log may grow between the two reads.
        for _ in 0..<Self.tryLimit {
            guard let copy = try await copies.state(of: space) else { return false }
            let new = try await anew.state(of: space)
            if copy.cursor == new?.cursor { return copy == new }
        }
        return true
    }

    private static let tryLimit = 20
}

/// The state that two equal views share.
private struct ViewState: Equatable {
    let cursor: LogPosition
    let fingerprint: Fingerprint
    let sums: [AuditSum]
}

extension Views {
    /// Returns the state at the end of the log, or nil if the view does not match the log.
    fileprivate func state(of space: Identifier) async throws -> ViewState? {
        do {
            _ = try await fingerprint(of: space, at: .max)
            let view = try await replica(of: space)
            let (cursor, sums) = try await view.read { try $0.audit.sums(space, .collections) }
            let summary = try await view.read { try $0.spaces.all() }.first { $0.id == space }
            return summary.map {
                ViewState(cursor: cursor, fingerprint: $0.fingerprint, sums: sums)
            }
        } catch let error as DatabaseError where error.kind == .other {
            // A table is missing or has another schema.
            return nil
        } catch  where Self.isWorthless(after: error) {
            return nil
        }
    }
}
