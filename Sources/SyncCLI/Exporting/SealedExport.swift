import ProgramKit
import SyncCore

/// Exports what others need to verify this device's writes.
enum SealedExport {
    static func writeSets(
        _ library: Library,
        to path: String,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let items = try await library.replica.read { try $0.queue.ownItems() }
        let file = try OutputFile(path, replaces: arguments.flag("--force"))
        for item in items { try file.write(item) }
        try file.finish()
        if items.isEmpty {
            context.output.note("no change set was sealed yet; 'wake sync' seals local changes")
        }
        context.output.result(
            .object([
                ("file", .text(path)), ("bytes", .integer(file.byteCount)),
                ("sets", .integer(items.count)),
            ])
        ) { "wrote \(items.count.counted("sealed change set")) to \(path)\n" }
        return .success
    }

    static func writeKeys(
        _ library: Library,
        to path: String,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let device = try await library.replica.read { try $0.identity.deviceKeys() }
        var spaces: [(String, JSON)] = []
        for space in try await library.replica.read({ try $0.spaces.all() }) {
            let keys = try await library.replica.read { try $0.spaces.keys(of: space.id) }
            let members = Self.keys(keys.secrets.keys) { keys.macSecret(epoch: $0) }
            spaces.append((space.id.bytes.hexadecimal, members))
        }
        let document = JSON.object([
            ("device", Self.keys(device.secrets.keys) { device.macSecret(epoch: $0) }),
            ("spaces", .object(spaces)),
        ])
        let file = try OutputFile(path, mode: 0o600, replaces: arguments.flag("--force"))
        try file.write(Array((document.indented + "\n").utf8))
        try file.finish()
        context.output.warn(
            "anyone who has \(path) can sign as this device and as a member of its spaces; "
                + "delete it after use"
        )
        context.output.result(.object([("file", .text(path))])) { "wrote the keys to \(path)\n" }
        return .success
    }

    private static func keys(
        _ epochs: some Collection<UInt64>,
        _ secret: (UInt64) -> Secret?
    ) -> JSON {
        .object(
            epochs.sorted().compactMap { epoch in
                secret(epoch).map {
                    (epoch.bigEndianBytes.hexadecimal, .text($0.bytes.hexadecimal))
                }
            }
        )
    }
}
