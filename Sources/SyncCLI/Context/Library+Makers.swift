import ProgramKit
import SyncCore

extension Library {
    /// Returns who made rows of a shared space; nil in the own space, where that is no question.
    func makers(
        of rows: [Identifier],
        _ collection: Text
    ) async throws -> [Identifier: SpacePerson]? {
        guard space != own else { return nil }
        return try await replica.read {
            try $0.members.makers(of: rows, collection, in: space)
        }
    }
}

extension SpacePerson {
    /// What the person is called in a list.
    var label: String {
        if isSelf { return "you" }
        return devices.isEmpty ? user.short : devices.joined(separator: ", ")
    }

    /// The JSON member of a row; null for an unknown maker.
    static func member(_ maker: SpacePerson?) -> (String, JSON) {
        (
            "by",
            maker.map {
                .object([
                    ("user", .text($0.user.description)),
                    ("devices", .array($0.devices.map { .text($0) })),
                    ("isYou", .bool($0.isSelf)),
                ])
            } ?? .null
        )
    }
}
