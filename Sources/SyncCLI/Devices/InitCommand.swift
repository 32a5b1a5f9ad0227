import ProgramKit
import SyncCore

enum InitCommand {
    static let command = Command(
        "init",
        summary: "create a replica; no server needed",
        options: [Option("--name NAME", "the name of this device (default: the machine's name)")],
        details: """
            Creates a replica in the data folder, with its own space and key. 'wake join'
            connects it to a server later; the next sync then sends what was recorded
            before.
            """
    ) { arguments, context in
        let folder = try context.dataFolder()
        let path = Library.path(in: folder)
        let name = arguments.option("--name")
        if let name, !(1...Self.nameByteLimit).contains(name.utf8.count) {
            throw UserError.usage(
                "a device name has 1 to \(Self.nameByteLimit) bytes, not \(name.utf8.count)"
            )
        }
        let isNew = try make(path, in: folder, named: name, context)
        let library = try await context.library()
        let identity = try await library.replica.read { try $0.identity.current() }
        guard isNew || name == nil || name == identity.name else {
            throw UserError.attention(
                "\(folder) already contains a replica; its device is called \(identity.name)",
                hint: "use it as it is, or choose another folder with --data DIR"
            )
        }
        context.output.result(json(of: identity, in: library, isNew: isNew)) {
            isNew
                ? "created a replica for '\(identity.name.withoutControls)' in \(folder)\n"
                : "a replica for '\(identity.name.withoutControls)' already exists in \(folder)\n"
        }
        return .success
    }

    /// Creates a replica; returns whether there was none before.
    private static func make(
        _ path: String,
        in folder: String,
        named name: String?,
        _ context: Context
    ) throws -> Bool {
        try Folder.make(folder)
        var random = context.random
        do {
            return try Replica.create(
                at: path,
                name: name ?? context.hostName(),
                now: context.now(),
                using: &random
            )
        } catch {
            throw UserError(describing: error).prefixed(with: "cannot create \(path)")
        }
    }

    /// The maximum length of a device name that servers accept.
    private static let nameByteLimit = 200

    private static func json(
        of identity: DeviceIdentity,
        in library: Library,
        isNew: Bool
    ) -> JSON {
        .object([
            ("device", .text(identity.device.description)),
            ("name", .text(identity.name)),
            ("space", .text(library.space.description)),
            ("folder", .text(library.folder)),
            ("isNew", .bool(isNew)),
        ])
    }
}
