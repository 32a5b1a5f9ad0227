@testable import SyncCore
import Testing

/// Who may change what in a space of several people.
@Suite struct SharedChainTests {
    /// An action, and the roles whose members may do it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let permitted: [Role]
        let perform: @Sendable (inout Crew, KeyPairs) throws -> Void

        init(
            _ name: String,
            by permitted: [Role],
            _ perform: @escaping @Sendable (inout Crew, KeyPairs) throws -> Void
        ) {
            (self.name, self.permitted, self.perform) = (name, permitted, perform)
        }

        var testDescription: String { name }
    }

    private static let admins: [Role] = [.owner, .admin]

    static let cases: [Case] =
        [
            Case("begins a key epoch", by: admins) { try $0.perform($0.epoch(), by: $1) },
            Case("accepts a log of the server", by: [.owner]) {
                try $0.perform([.server(epoch: Identifier(number: 1), past: [])], by: $1)
            },
            Case("withdraws a link", by: admins) { crew, author in
                let owner = crew.person("owner").devices[0]
                let link = try crew.invite(as: .member(.viewer), by: owner)
                try crew.perform([.close([link.publicKeys.invitation])], by: author)
            },
            Case("leaves", by: Role.allCases) { try $0.perform([.leave([])], by: $1) },
            Case("invites a further device of a user", by: []) {
                _ = try $0.invite(as: .device, by: $1)
            },
        ]
        + Role.allCases.map { role in
            Case("invites as \(role)", by: role == .owner ? [] : governors(of: role)) {
                _ = try $0.invite(as: .member(role), by: $1)
            }
        }
        + Role.allCases.map { role in
            Case("removes another \(role)", by: governors(of: role)) { crew, author in
                try crew.perform([crew.removal("other \(role)")], by: author)
            }
        }
        + Role.allCases.map { role in
            Case("revokes the device of another \(role)", by: governors(of: role)) { crew, author in
                try crew.perform([crew.revocation("other \(role)", device: 1)], by: author)
            }
        }
        + Role.allCases.flatMap { old in
            Role.allCases.filter { $0 != old }.map { new in
                let governors = governors(of: max(old, new))
                return Case("makes another \(old) a \(new)", by: governors) { crew, author in
                    try crew.perform([crew.setting("other \(old)", to: new)], by: author)
                }
            }
        }

    /// Owners may change every member; admins those who are no admins, into no admins.
    private static func governors(of role: Role) -> [Role] {
        [.admin, .owner].contains(role) ? [.owner] : admins
    }

    /// A crew with two members of each role, who have two devices each.
    private static func crew() throws -> Crew {
        var crew = try Crew()
        try crew.add("owner", device: 1)
        for role in Role.allCases {
            if role != .owner { try crew.admit("\(role)", as: role, devices: 2) }
            try crew.admit("other \(role)", as: role, devices: 2)
        }
        return crew
    }

    @Test(arguments: cases) func `a role permits exactly what the list says`(_ scene: Case) throws {
        let whole = try Self.crew()
        for role in Role.allCases {
            var crew = whole
            let author = crew.person("\(role)").devices[0]
            if scene.permitted.contains(role) {
                try scene.perform(&crew, author)
            } else {
                #expect(throws: ControlError.self, "\(role)") { try scene.perform(&crew, author) }
            }
        }
        for outsider in ["stranger", "removed", "revoked"] {
            var crew = whole
            let owner = crew.person("owner").devices[0]
            if outsider != "stranger" { try crew.admit(outsider, as: .admin, devices: 2) }
            if outsider == "removed" { try crew.perform([crew.removal("removed")], by: owner) }
            if outsider == "revoked" { try crew.perform([crew.revocation("revoked")], by: owner) }
            let author = crew.person(outsider).devices[0]
            #expect(throws: ControlError.badSignature, "\(outsider)") {
                try scene.perform(&crew, author)
            }
        }
    }

    @Test func `any member revokes their own devices, and no recovery code of others`() throws {
        for role in Role.allCases {
            var crew = try Self.crew()
            let person = crew.person("\(role)")
            try crew.perform([crew.revocation("\(role)", device: 1)], by: person.devices[0])
            #expect(crew.chain.cards[person.ids[1]]?.isRevoked == true)
            #expect(crew.chain.role(ofDevice: person.ids[0]) == role)
        }
    }

    @Test func `a space keeps an owner`() throws {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("admin", as: .admin)
        let lasting: [(ControlAction, ControlError)] = [
            (.leave([]), .forbidden(.role)),
            (crew.removal("owner"), .forbidden(.role)),
            (crew.setting("owner", to: .editor), .forbidden(.role)),
            (crew.revocation("owner"), .forbidden(.revocation)),
        ]
        for (action, error) in lasting {
            let before = crew.chain.count
            #expect(throws: error) { try crew.perform([action], by: owner) }
            #expect(crew.chain.count == before && crew.chain.roles.count == 2)
        }
        try crew.perform([crew.setting("admin", to: .owner)], by: owner)
        try crew.perform([.leave([])], by: owner)
        #expect(crew.chain.roles == [crew.user("admin"): .owner])
    }

    @Test func `who leaves or is removed gets no secret any more, nor do their links`() throws {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("admin", as: .admin, devices: 2)
        let admin = crew.person("admin")
        let link = try crew.invite(as: .member(.viewer), by: admin.devices[1])
        #expect(crew.chain.recipients.count == 4)
        try crew.perform([crew.removal("admin")], by: owner)
        #expect(crew.chain.needsEpoch)
        #expect(Set(crew.chain.recipients.keys) == [owner.publicKeys.device])
        #expect(throws: ControlError.forbidden(.invitation)) { try crew.enter("guest", by: link) }
        try crew.perform(crew.epoch(), by: owner)
        #expect(!crew.chain.needsEpoch)
    }

    @Test func `who loses a right may have the secret by a link of before`() throws {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("admin", as: .admin)
        _ = try crew.invite(as: .member(.viewer), by: crew.person("admin").devices[0])
        try crew.perform([crew.setting("admin", to: .viewer)], by: owner)
        #expect(crew.chain.openInvitations.isEmpty && crew.chain.needsEpoch)
        try crew.perform(crew.epoch(), by: owner)
        try crew.perform([crew.setting("admin", to: .editor)], by: owner)
        try crew.perform([crew.setting("admin", to: .viewer)], by: owner)
        #expect(!crew.chain.needsEpoch, "there was no link")
    }

    @Test func `a wrap replaces none of another device`() throws {
        var crew = try Crew()
        try crew.admit("ann", as: .editor)
        try crew.admit("ben", as: .viewer)
        let (ann, ben) = (crew.person("ann"), crew.person("ben"))
        let before = crew.chain.wraps[ann.ids[0]]
        try crew.perform([crew.wrap(for: ann.ids[0])], by: ben.devices[0])
        #expect(before != nil && crew.chain.wraps[ann.ids[0]] == before)
        #expect(throws: ControlError.forbidden(.card)) {
            try crew.perform([crew.wrap(for: .zero)], by: ben.devices[0])
        }
    }
}
