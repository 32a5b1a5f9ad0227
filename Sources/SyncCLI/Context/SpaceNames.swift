import ProgramKit
import SyncCore

extension SharedSpace {
    /// What a person calls it.
    var label: String { name.map { "'\($0.withoutControls)'" } ?? id.short }

    /// Returns the space that a person names by its name, or by the beginning of its id.
    ///
    /// Others choose names, so a whole id goes before a name.
    static func find(_ text: String, in all: [SharedSpace]) throws -> SharedSpace {
        let prefix = text.lowercased()
        if let exact = all.first(where: { $0.id.description == prefix }) { return exact }
        let found = all.filter { space in
            space.name == text || prefix.utf8.count >= 4 && space.id.description.hasPrefix(prefix)
        }
        guard let only = found.first else {
            throw UserError.notFound(
                "no shared space '\(text)' on this device",
                hint: Spelling.hint(for: text, in: all.compactMap(\.name))
                    ?? "see 'wake spaces list'"
            )
        }
        guard found.count == 1 else {
            throw UserError.attention(
                "'\(text)' names several shared spaces",
                hint: "use a whole id from 'wake spaces list --json'"
            )
        }
        return only
    }

    /// Checks the name of a space as a person typed it.
    static func checkName(_ name: String) throws -> String {
        guard !name.isEmpty, name.utf8.count <= SpaceField.nameByteLimit else {
            throw UserError.usage(
                "the name of a space must have 1 to \(SpaceField.nameByteLimit) bytes"
            )
        }
        return name
    }
}
