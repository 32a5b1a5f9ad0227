@testable import SyncCore
import Testing

@testable import SyncServer

/// Every collection, written by a member of every role: what counts at the server and at members.
@Suite struct WritingMatrixTests {
    /// Who may write the rows of a collection: a sign for each role, the least first.
    struct Rule: Sendable, CustomTestStringConvertible {
        let collection: Text
        /// Rows that the member made, or that are named after the member or the member's device.
        let own: String
        /// Rows that the owner made, or that are named after the owner.
        let others: String

        var testDescription: String { collection.string }
    }

    private static let data = (own: "-++++", others: "--+++")
    private static let personal = (own: "+++++", others: "-----")

    //                                        viewer, contributor, editor, admin, owner
    static let rules = [
        Rule(collection: "track", own: data.own, others: data.others),
        Rule(collection: "points", own: data.own, others: data.others),
        Rule(collection: "original", own: data.own, others: data.others),
        Rule(collection: "mark", own: data.own, others: data.others),
        Rule(collection: "place", own: data.own, others: data.others),
        Rule(collection: "setting", own: personal.own, others: personal.others),
        Rule(collection: "device", own: personal.own, others: personal.others),
        Rule(collection: "vouch", own: personal.own, others: personal.others),
        Rule(collection: "membership", own: personal.own, others: personal.others),
        Rule(collection: "space", own: "---++", others: "---++"),
        // What no program knows yet follows the rule of data.
        Rule(collection: "later", own: data.own, others: data.others),
    ]

    /// What somebody does with a row.
    enum Deed: CaseIterable {
        case create, edit, delete
    }

    @Test func `the table has every collection`() {
        let known = CollectionRegistry.standard.all.map(\.name) + ["later"]
        #expect(Set(Self.rules.map(\.collection)) == Set(known))
        #expect(
            Self.rules.allSatisfy { rule in
                [rule.own, rule.others].allSatisfy { $0.count == Role.allCases.count }
            }
        )
    }

    /// The row of a person in a collection, and what proves that the person made it.
    private func row(
        of person: Author,
        _ collection: Text,
        _ number: UInt8
    ) -> (row: Row, proof: [Key: Value]) {
        let schema = CollectionRegistry.standard[collection]
        switch (schema?.rows ?? .own, schema?.writers) {
        case (.scopes, .admins): return (.text("space"), [:])
        case (.scopes, _): return (.user(person.user), [:])
        case (.devices, _): return (.id(person.device), [:])
        case (.own, _), (.continuing, _):
            let maker = RowMaker(user: person.user, salt: [number])
            let row = Row.id(maker.row(in: person.space))
            let home = CollectionRegistry.standard.home(of: collection) ?? collection
            return (row, [Key(home, row, FieldSchema.made.name): maker.value])
        }
    }

    @Test(arguments: rules, Role.allCases)
    func `server and members decide alike, and as the table says`(
        rule: Rule,
        role: Role
    ) async throws {
        let place = try #require(Role.allCases.sorted().firstIndex(of: role))
        let bed = try await StoreBed(.sqlite, with: Author(device: 1))
        var bob = Author(user: 12, device: 12)
        try await bob.person.found(in: bed.store, at: bed.now)
        var club = try await Club(foundedBy: Author(device: 1), in: bed.store, at: bed.now)
        try await club.admit(&bob, as: min(role, .admin))
        if role == .owner { try await club.set(.owner, of: bob) }
        club.place(&bob)
        var owner = club.owner
        club.place(&owner)
        for (number, deed) in Deed.allCases.enumerated() {
            for (signs, isOwn) in [(rule.own, true), (rule.others, false)] {
                let (row, proof) = row(
                    of: isOwn ? bob : owner,
                    rule.collection,
                    UInt8(number)
                )
                if deed != .create, !isOwn {
                    let made = try owner.push([Key(rule.collection, row, "name"): "before"])
                    #expect(try await bed.append([made], by: owner).map(\.verdict) == [.accepted])
                }
                let field = deed == .delete ? FieldSchema.deleted.name : "name"
                let value: Value = deed == .delete ? .bool(true) : "after"
                let values = [Key(rule.collection, row, field): value]
                let set = try bob.push(values.merging(isOwn ? proof : [:]) { $1 })
                let isAllowed = Array(signs)[place] == "+"
                let told = try await bed.append([set], by: bob).map(\.verdict)
                #expect(told == [isAllowed ? .accepted : .refused], "\(deed) \(isOwn)")
                #expect(try counts(set, in: club.chain) == isAllowed, "\(deed) \(isOwn)")
            }
        }
    }

    /// Whether a member who has merged the chain counts a set.
    private func counts(_ set: PushedSet, in chain: ControlChain) throws -> Bool {
        let policy = AdmissionPolicy(chain)
        guard case .opened(let opened) = set.content,
            case .valid(let role) = policy.answer(to: opened.header, hash: set.upload.hash),
            let author = policy.author(of: opened.header, as: role)
        else { return false }
        return policy.allows(opened.changes, by: author, .standard)
    }
}
