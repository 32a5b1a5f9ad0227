import SyncCore

/// The replica that a command works on, and its person's own space.
struct Library: Sendable {
    /// The data folder.
    let folder: String
    let replica: Replica
    let space: Identifier

    /// Where the replica of a data folder lies.
    static func path(in folder: String) -> String { folder + "/replica.db" }

    /// What a setting of this person is.
    func value(of setting: Setting) async throws -> Value {
        let states = try await replica.settings(in: space)
        return states.first { $0.setting.key == setting.key }?.value ?? setting.defaultValue
    }
}

extension Context {
    /// Opens the replica in the data folder.
    func library() async throws -> Library {
        let folder = try dataFolder()
        let path = Library.path(in: folder)
        let random = random
        do {
            let replica = try Replica(path: path) {
                var random = random
                return .random(using: &random)
            }
            return Library(folder: folder, replica: replica, space: try await replica.ownSpace())
        } catch ReplicaError.missing {
            // In a folder that is another's, a file that is there cannot be seen.
            if let denied = Folder.denial(of: folder) { throw denied }
            throw Complaint(
                .notFound,
                "no replica in \(folder)",
                hint: "'wake init' makes one; --data DIR names another folder"
            )
        } catch {
            var complaint = Complaint(describing: error)
            complaint.message = "cannot open \(path): \(complaint.message)"
            throw complaint
        }
    }
}
