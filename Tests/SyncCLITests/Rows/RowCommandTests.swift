import Foundation
import Testing

import ProgramKit
@testable import SyncCLI
@testable import SyncCore

/// The commands that serve every kind of data, run over each that is declared, and over one that only a
/// newer program knows.
@Suite struct RowCommandTests {
    private static let own =
        CollectionRegistry.standard.all.filter { $0.rows == .own } + [
            CollectionSchema(
                "future",
                noun: "",
                plural: "",
                "",
                fields: [FieldSchema("power", .anyText, "")]
            )
        ]

    private let folder: ScratchFolder
    private let id = Identifier(number: 1 << 120 | 77)

    init() throws {
        folder = try ScratchFolder()
    }

    /// A library with one row, whose plain fields were written.
    private func fill(_ schema: CollectionSchema) async throws -> [Text] {
        var random = RandomSource.seeded(1)
        let path = Library.path(in: folder.path)
        try Replica.create(at: path, name: "boat", now: UnixTime(milliseconds: 0), using: &random)
        let replica = try Replica(path: path)
        let space = try await replica.read { try $0.spaces.own() }
        let fields = schema.fields.filter { $0.role == .value && !$0.isFamily && $0.type != .chunk }
        try await replica.write {
            try $0.rows.write(
                fields.map { Edit(Key(schema.name, .id(id), $0.name), $0.type.examples[0]) },
                in: space,
                at: Moment(UnixTime(milliseconds: 1_777_629_600_000))
            )
        }
        return fields.map(\.name)
    }

    private func run(_ words: String...) async -> String {
        let test = TestContext(environment: ["WAKE_DATA": folder.path])
        let ended = await Wake.program.run(words, in: test.context)
        #expect(ended == .success, "\(words)")
        return test.output.take()
    }

    private func object(_ words: String...) async throws -> [String: Any] {
        let test = TestContext(environment: ["WAKE_DATA": folder.path])
        let all = words + ["--json"]
        #expect(await Wake.program.run(all, in: test.context) == .success)
        let data = Data(test.output.take().utf8)
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test(arguments: own)
    func `a row of any kind is told, deleted and restored`(schema: CollectionSchema) async throws {
        let fields = try await fill(schema)
        let word = String(id.description.prefix(8))
        let history = try await object("history", word)
        #expect(history["collection"] as? String == schema.name.string)
        let writes = try #require(history["writes"] as? [[String: Any]])
        #expect(Set(writes.compactMap { $0["field"] as? String }) == Set(fields.map(\.string)))
        #expect(try await object("conflicts", word)["conflicts"] as? [String] == [])
        let rows = try #require(
            try await object("rows", schema.name.string)["rows"] as? [[String: Any]]
        )
        #expect(rows.count == 1)
        let told = try #require(rows[0]["fields"] as? [String: Any])
        #expect(Set(told.keys) == Set(fields.map(\.string)))
        #expect(await run("undo", word, fields[0].string).hasPrefix("restored \(fields[0])"))
        #expect(await run("undo").hasPrefix("undone: restoring \(fields[0])"))
        #expect(try await object("trash")["rows"] as? [String] == [])
        try await delete(schema)
        let trash = try #require(try await object("trash")["rows"] as? [[String: Any]])
        #expect(trash.map { $0["collection"] as? String } == [schema.name.string])
        #expect(trash.map { $0["id"] as? String } == [id.description])
        #expect(await run("restore", word).contains("restored \(word)"))
        #expect(await run("restore", word).contains("is not in the trash"))
        #expect(try await object("trash")["rows"] as? [String] == [])
    }

    private func delete(_ schema: CollectionSchema) async throws {
        let replica = try Replica(path: Library.path(in: folder.path))
        try await replica.write {
            try $0.rows.write(
                [Edit(Key(schema.name, .id(id), FieldSchema.deleted.name), .bool(true))],
                in: try $0.spaces.own(),
                at: Moment(UnixTime(milliseconds: 1_777_629_700_000))
            )
        }
    }
}
