internal import ProgramKit
internal import SyncCore

enum SpacesListCommand {
    static let command = Command(
        "spaces list",
        summary: "list spaces, and those that wait for control sets",
        details: """
            A server that was restored takes no change of devices in a space until the
            devices have brought all control sets that it had before. The server may keep
            running.
            """
    ) { _, context in
        let folder = try DataFolder(existing: try context.dataFolder())
        let keys = ServerKeys(master: try folder.presentMasterKey())
        let store = try folder.openExistingStore(
            receipts: keys.receiptSecret,
            warn: context.output.warn
        )
        let spaces = try await store.readSnapshot { try $0.controlCounts() }
        context.output.result(
            .object([("spaces", .array(spaces.map(\.json)))]),
            table: Table(
                columns: [
                    .whole("space"), .right("entries"), .right("control sets"), .left("devices"),
                    .left(""),
                ],
                rows: spaces.map(\.cells)
            )
        )
        return .success
    }
}

enum SpacesReleaseCommand {
    static let command = Command(
        "spaces release",
        "SPACE",
        summary: "let a space go on without lost control sets",
        details: """
            Use it only if no device brings the control sets that 'spaces list' says are
            missing. A device that brings them later repeats what they did. The server may
            keep running.
            """
    ) { arguments, context in
        let text = arguments.required("SPACE")
        guard let space = Identifier(text) else { throw ConfigurationError.notSpace(text) }
        let folder = try DataFolder(existing: try context.dataFolder())
        let keys = ServerKeys(master: try folder.presentMasterKey())
        let store = try folder.openExistingStore(
            receipts: keys.receiptSecret,
            warn: context.output.warn
        )
        let known = try await store.readSnapshot { try $0.controlCounts() }
        guard let found = known.first(where: { $0.space == space }) else {
            throw ConfigurationError.unknownSpace(text)
        }
        if found.isWaiting { try await store.releaseControls(of: space) }
        context.output.result(.object([("released", .bool(found.isWaiting))])) {
            found.isWaiting
                ? "released \(space): it waits for \(found.lacking.counted("control set")) no more\n"
                : "\(space) does not wait for any control set\n"
        }
        return .success
    }
}

extension ControlCount {
    fileprivate var json: JSON {
        .object([
            ("space", .text(space.description)),
            ("entries", .integer(Int(head))),
            ("controlSets", .integer(Int(controls))),
            ("lacking", .integer(lacking)),
            ("devices", .array(devices.map { .text($0) })),
        ])
    }

    fileprivate var cells: [String] {
        [
            space.description, String(head), String(controls),
            devices.map { $0.isEmpty ? "?" : $0.withoutControls }.joined(separator: ", "),
            isWaiting ? "waits for \(lacking.counted("control set"))" : "",
        ]
    }
}
