import ProgramKit
import SyncCore

enum FingerprintCommand {
    static let command = Command(
        "fingerprint",
        summary: "print the fingerprint of each space",
        details: """
            Devices that merged the same log up to the same position have equal
            fingerprints. A fingerprint does not cover unsent local changes. A space is
            complete when everything that the server reported is merged.
            """
    ) { _, context in
        let library = try await context.library()
        let spaces = try await library.replica.read { try $0.spaces.all() }
        if context.output.isJSON {
            context.output.json(.object([("spaces", .array(spaces.map(\.json)))]))
        } else {
            for space in spaces { context.output.fields(space.fields) }
        }
        return .success
    }
}

extension SpaceSummary {
    fileprivate var digest: String { fingerprint.bytes.hexadecimal }

    /// The epoch, or nil before the first sync.
    private var epoch: String? { merged.epoch == .zero ? nil : merged.epoch.description }

    fileprivate var json: JSON {
        .object([
            ("id", .text(id.description)),
            ("epoch", .text(epoch)),
            ("position", .integer(merged.position)),
            ("fingerprint", .text(digest)),
            ("isComplete", .bool(isComplete)),
        ])
    }

    fileprivate var fields: [(label: String, value: String?)] {
        [
            ("space", id.description),
            ("epoch", epoch ?? "– (never synced)"),
            ("position", String(merged.position)),
            ("fingerprint", String(digest.prefix(32))),
            ("", String(digest.suffix(32))),
            ("complete", isComplete ? "yes" : "no"),
        ]
    }
}
