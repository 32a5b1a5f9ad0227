internal import FoundationEssentials
import ProgramKit
import SyncCore

extension Commands {
    static let held = Command(
        "held",
        summary: "list work that waits at the server for the owner or an admin to decide",
        details: """
            A set is named by REPLICA/NUMBER, as the list shows it; NUMBER does where it is the
            only one.
            """
    ) { _, context in
        let library = try await context.library()
        let sets = try await heldSets(library, try await library.client(context))
        let preferences = try await library.preferences()
        let output = context.output
        if output.isJSON {
            output.json(.object([("held", .array(sets.map(\.json)))]))
        } else if sets.isEmpty {
            output.note("nothing is held at the server")
        } else {
            output.table(
                Table(
                    columns: [
                        .whole("set"), .whole("received (UTC)"), .left("device"), .right("fields"),
                        .left("why"),
                    ],
                    rows: sets.map { $0.cells(preferences) }
                )
            )
            output.note("'wake held adopt SET' lets it in for everyone, 'wake held refuse SET' not")
        }
        return .success
    }

    static let heldAdopt = Command(
        "held adopt",
        "SET",
        summary: "let held work in: every device merges it at its next sync"
    ) { arguments, context in
        try await decide("adopt", arguments, context)
    }

    static let heldRefuse = Command(
        "held refuse",
        "SET",
        summary: "keep held work out; its author still has it"
    ) { arguments, context in
        try await decide("refuse", arguments, context)
    }

    private static func decide(
        _ decision: String,
        _ arguments: Arguments,
        _ context: Context
    ) async throws -> ExitCode {
        let label = try SetLabel(arguments.required("SET"))
        let library = try await context.library()
        let client = try await library.client(context)
        let sets = try await heldSets(library, client)
        let set = try label.pick(from: sets, list: "wake held")
        let path = "/v1/spaces/\(set.space)/held/\(set.replica)/\(set.sequence)"
        _ = try await client.send(
            HTTPRequest(
                "POST",
                path,
                headers: ["content-type": "application/json"],
                body: Array(try JSONEncoder().encode(HeldDecisionRequest(decision: decision)))
            )
        )
        let isAdopted = decision == "adopt"
        context.output.result(
            .object([("set", .text(set.label)), ("decision", .text(decision))])
        ) {
            let from = "\(set.label) of '\(set.deviceName.withoutControls)'"
            return isAdopted
                ? "adopted \(from); every device merges it at its next sync\n"
                : "refused \(from); its author still has it\n"
        }
        return .success
    }

    private static func heldSets(
        _ library: Library,
        _ client: ServerClient
    ) async throws -> [HeldSet] {
        var sets: [HeldSet] = []
        for space in try await library.replica.spaces() {
            let response = try await client.send(HTTPRequest("GET", "/v1/spaces/\(space.id)/held"))
            do {
                let list = try JSONDecoder().decode(HeldList.self, from: Data(response.body))
                sets += list.held.compactMap { HeldSet($0, in: space.id) }
            } catch {
                throw EnrolmentError.malformedReply
            }
        }
        return sets
    }
}

/// A set that waits at the server.
private struct HeldSet: ListedSet {
    let space: Identifier
    let replica: Identifier
    let sequence: UInt64
    let reason: String
    let device: Identifier
    let deviceName: String
    let cellCount: Int
    /// Nil where the server did not note it.
    let received: UnixTime?

    /// Nil where an id is none.
    init?(_ record: HeldRecord, in space: Identifier) {
        guard let replica = Identifier(record.replica), let device = Identifier(record.device)
        else { return nil }
        self.space = space
        self.replica = replica
        self.device = device
        sequence = record.sequence
        reason = record.reason
        deviceName = record.deviceName.isEmpty ? device.short : record.deviceName
        cellCount = record.cells
        received = record.received == 0 ? nil : UnixTime(milliseconds: record.received)
    }

    func cells(_ preferences: Preferences) -> [String] {
        [
            label, preferences.time(received), deviceName, String(cellCount),
            SetOfConcern.words(for: reason),
        ]
    }

    var json: JSON {
        .object([
            ("id", .text(label)),
            ("space", .text(space.description)),
            ("replica", .text(replica.description)),
            ("sequence", .integer(sequence)),
            ("reason", .text(reason)),
            ("device", .text(device.description)),
            ("deviceName", .text(deviceName)),
            ("fields", .integer(cellCount)),
            ("received", .time(received)),
        ])
    }
}
