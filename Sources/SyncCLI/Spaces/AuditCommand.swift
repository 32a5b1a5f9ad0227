import ProgramKit
import SyncCore

enum AuditCommand {
    static let command = Command(
        "audit",
        summary: "list who changed members, roles and devices",
        details: """
            Shows your own space or, with '--space NAME', a shared one. Works without a
            network: the list is read from signed records, which this device verifies
            and the server cannot alter. Times are those of the devices that signed.
            """
    ) { _, context in
        let library = try await context.library()
        let events = try await library.replica.read {
            try $0.controlHistory.events(in: library.space)
        }
        let preferences = try await library.preferences()
        let isShared = library.space != library.own
        context.output.result(
            .object([("events", .array(events.map(\.json)))]),
            table: Table(
                columns: [.whole("time (UTC)"), .left("by"), .left("what")],
                rows: events.map { event in
                    [
                        preferences.time(event.time), event.device.label(isShared),
                        event.deed.words(isShared),
                    ]
                }
            )
        )
        return .success
    }
}

extension SpaceDevice {
    /// What the device is called in the list; in a shared space with its person.
    fileprivate func label(_ isShared: Bool) -> String {
        let name = self.name?.withoutControls ?? id.short
        guard isShared else { return name }
        return "\(name) (\(person.isSelf ? "you" : person.user.short))"
    }
}

extension SpacePerson {
    fileprivate var longLabel: String {
        isSelf ? "you" : "\(user.short) (\(devices.isEmpty ? "?" : label))"
    }
}

extension InvitedRole {
    /// The role with its article: `an editor`.
    fileprivate var words: String {
        switch self {
        case .device: "a device"
        case .member(let role): role.words
        }
    }
}

extension Role {
    fileprivate var words: String {
        switch self {
        case .owner, .admin, .editor: "an \(rawValue)"
        case .contributor, .viewer: "a \(rawValue)"
        }
    }
}

extension ControlEvent.Deed {
    fileprivate func words(_ isShared: Bool) -> String {
        switch self {
        case .founded: return "founded the space"
        case .invited(let role, let uses):
            let limit = role == .device ? "" : ", for \(Int(clamping: uses).counted("use"))"
            return "made a link for \(role.words)\(limit)"
        case .withdrew(let count): return "withdrew \(count.counted("link"))"
        case .joined(let role): return "joined as \(role.words)"
        case .added(let device):
            return device.kind == .recovery
                ? "made a recovery code" : "added the device \(device.label(isShared))"
        case .revoked(let devices):
            return "revoked \(devices.map { $0.label(isShared) }.joined(separator: ", "))"
        case .changedRole(let person, let before, let role):
            let was = before.map { "; was \($0.words)" } ?? ""
            return "made \(person.longLabel) \(role.words)\(was)"
        case .removed(let person): return "removed \(person.longLabel)"
        case .left: return "left"
        case .adopted(let count): return "adopted \(count.counted("held set"))"
        case .declined(let count): return "declined \(count.counted("held set"))"
        }
    }
}

extension ControlEvent {
    fileprivate var json: JSON {
        .object(
            [
                ("time", .time(time)),
                ("device", .text(device.id.description)),
                ("deviceName", .text(device.name)),
                ("user", .text(device.person.user.description)),
            ] + deed.json
        )
    }
}

extension ControlEvent.Deed {
    /// The members of an event: its action, named as in the protocol, and what that concerns.
    fileprivate var json: [(String, JSON)] {
        func action(_ name: String, _ members: [(String, JSON)] = []) -> [(String, JSON)] {
            [("action", .text(name))] + members
        }
        func ids(_ devices: [SpaceDevice]) -> (String, JSON) {
            ("devices", .array(devices.map { .text($0.id.description) }))
        }
        return switch self {
        case .founded: action("found")
        case .invited(let role, let uses):
            action("invite", [("role", .text(role.name)), ("uses", .integer(uses))])
        case .withdrew(let count): action("close", [("count", .integer(count))])
        case .joined(let role): action("join", [("role", .text(role.name))])
        case .added(let device):
            action("card", [("kind", .text(device.kind.rawValue)), ids([device])])
        case .revoked(let devices): action("revoke", [ids(devices)])
        case .changedRole(let person, let before, let role):
            action(
                "role",
                [
                    ("person", .text(person.user.description)), ("from", .text(before?.rawValue)),
                    ("role", .text(role.rawValue)),
                ]
            )
        case .removed(let person):
            action("remove", [("person", .text(person.user.description))])
        case .left: action("leave")
        case .adopted(let count): action("adopt", [("count", .integer(count))])
        case .declined(let count): action("decline", [("count", .integer(count))])
        }
    }
}
