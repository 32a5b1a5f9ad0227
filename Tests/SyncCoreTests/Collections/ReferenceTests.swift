import Foundation
import Testing

@testable import SyncCore

/// The page of all kinds of data, as `docs/COLLECTIONS.md` has it.
private struct ReferencePage {
    static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/COLLECTIONS.md")

    let collections: [CollectionSchema]

    var text: String {
        """
        # Collections

        Every kind of data that Wake replicates, made from the declarations by `make reference`. A row of a
        collection that a program does not know is kept, relayed and shown all the same.

        """ + collections.map(Self.section).joined()
    }

    private static func section(_ schema: CollectionSchema) -> String {
        """

        ## \(schema.name)
        \(schema.summary.sentence) \(rows(schema)) \(writers(schema))

        | field | holds | chosen by a person | what it is |
        |---|---|---|---|

        """ + schema.fields.map(line).joined()
    }

    private static func rows(_ schema: CollectionSchema) -> String {
        switch schema.rows {
        case .own: "Each row has an id."
        case .continuing(let other):
            "Each row has the id of a row in `\(other)`, which it continues."
        case .scopes: "The rows are `user/<id>`, `device/<id>` and `space`."
        case .devices: "Each row has the id of a device."
        }
    }

    private static func writers(_ schema: CollectionSchema) -> String {
        switch schema.writers {
        case .editors:
            "Any editor of the space may write it, and a contributor the rows that they made."
        case .deviceUser: "Only the user of the device that a row is named after may write it."
        case .oneself: "Only the person or the device that a row is named after may write it."
        case .admins: "Only admins of the space may write it."
        }
    }

    private static func line(_ field: FieldSchema) -> String {
        let name = field.isFamily ? "\(field.name)…" : field.name.string
        let holds = field.type.expected + (field.unit.map { ", \($0)" } ?? "")
        let isEdited = field.isEdited ? "yes" : "no"
        return "| `\(name)` | \(holds) | \(isEdited) | \(field.summary) |\n"
    }
}

extension String {
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

@Suite struct ReferenceTests {
    /// The page is written by this test, so that it never lags behind for longer than one run.
    @Test func `the page of all kinds of data is up to date`() throws {
        let text = ReferencePage(collections: CollectionRegistry.standard.all).text
        let present = try? String(contentsOf: ReferencePage.file, encoding: .utf8)
        guard present != text else { return }
        try text.write(to: ReferencePage.file, atomically: true, encoding: .utf8)
        let isAskedFor = ProcessInfo.processInfo.environment["WAKE_REFERENCE"] == "write"
        #expect(isAskedFor, "docs/COLLECTIONS.md was not up to date; it is now: commit it")
    }
}
