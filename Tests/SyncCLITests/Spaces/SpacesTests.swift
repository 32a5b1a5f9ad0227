import Foundation
import Harness
import ProgramKit
@testable import SyncCore
import Testing

@testable import SyncCLI

/// What people who share a space do and see, with a real server.
@Suite(.processes) struct SpacesTests {
    private let folder: ScratchFolder
    private let server: ServerProcess
    private let ann: LiveDevice
    private let bob: LiveDevice

    /// Ann has joined the server; Bob has not.
    init() async throws {
        folder = try ScratchFolder()
        server = try ServerProcess(folder: folder.path + "/server")
        ann = LiveDevice(folder: folder.path + "/ann")
        bob = LiveDevice(folder: folder.path + "/bob")
        _ = await ann.tell("init", "--name", "boat")
        _ = await ann.tell("join", try server.invite("Ann"))
        _ = await bob.tell("init", "--name", "phone")
    }

    private func link(_ options: String...) async -> String {
        let words = ["invite", "--space", "Sail club", "--quiet"] + options
        let answer = await ann.run(words)
        #expect(answer.code == .success, "\(answer.err)")
        return answer.out.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `two people share places, and keep their own apart`() async throws {
        #expect(await ann.tell("spaces", "create", "Sail club").contains("created the space"))
        _ = await ann.tell("places", "add", "Pier", "52.85,5.3", "--space", "Sail club")
        _ = await ann.tell("places", "add", "Home", "52.80,5.4")
        let entered = await bob.tell("join", await link())
        #expect(entered.hasPrefix("entered a shared space of ") && entered.contains(" as editor"))
        _ = await bob.tell("sync")
        let spaces = await bob.tell("spaces", "list")
        #expect(spaces.contains("Sail club  editor          2"), "\(spaces)")
        let shared = await bob.tell("places", "list", "--space", "Sail club")
        #expect(shared.contains(/Pier .* boat/) && !shared.contains("Home"), "\(shared)")
        #expect(await ann.tell("places", "list", "--space", "Sail club").contains(/Pier .* you/))
        #expect(!(await ann.tell("places", "list").contains(" by")))
        let json = await bob.tell("places", "list", "--space", "Sail club", "--json")
        #expect(json.contains(/"devices": *\[\s*"boat"\s*\]/), "\(json)")
        #expect(!(await bob.tell("places", "list").contains("Pier")))
        _ = await bob.tell("places", "add", "Buoy", "52.86,5.3", "--space", "Sail club")
        _ = await bob.tell("settings", "set", "metric", "no", "--space", "Sail club")
        for device in [bob, ann, bob] { _ = await device.tell("sync") }
        #expect(await ann.tell("places", "list", "--space", "Sail club").contains("Buoy"))
        #expect(await ann.tell("settings", "get", "metric") == "yes\n")
        #expect(await bob.tell("settings", "get", "metric") == "no\n")
        for device in [ann, bob] {
            #expect(await device.tell("verify").hasPrefix("no faults"))
        }
    }

    @Test func `a space has the name that its owner gives it`() async throws {
        _ = await ann.tell("spaces", "create", "Sail club")
        _ = await bob.tell("join", await link("--role", "viewer", "--uses", "2"))
        _ = await bob.tell("sync")
        let denied = await bob.run("spaces", "rename", "Sail club", "Mine")
        #expect(denied.code == .attention && denied.err.contains("only an owner or an admin"))
        #expect(await ann.tell("spaces", "rename", "Sail club", "Rowers").contains("'Rowers'"))
        for device in [ann, bob] { _ = await device.tell("sync") }
        #expect(await bob.tell("spaces", "list").contains("Rowers  viewer"))
        let invitation = await bob.run("invite", "--space", "Rowers")
        #expect(invitation.code == .attention)
        #expect(
            invitation.err.contains("only an owner or an admin invites here; you are its viewer")
        )
    }

    @Test func `a member gets another role, is removed, and learns it`() async throws {
        _ = await ann.tell("spaces", "create", "Sail club")
        _ = await bob.tell("join", await link())
        for device in [bob, ann] { _ = await device.tell("sync") }
        let space = ["--space", "Sail club"]
        let list = await ann.tell("members", "list", "--space", "Sail club")
        #expect(list.contains(/boat +owner .* you/) && list.contains(/phone +editor/), "\(list)")
        let id = String(try #require(list.firstMatch(of: /(\w{8}) +phone/)).1)
        let role = await ann.tell("members", "role", id, "viewer", "--space", "Sail club")
        #expect(role == "\(id) (phone) is viewer now\n")
        _ = await bob.tell("sync")
        #expect(await bob.tell("spaces", "list").contains("Sail club  viewer"))
        let denied = await bob.run(["members", "remove", id] + space)
        #expect(denied.code == .attention && denied.err.contains("is you"), "\(denied.err)")
        #expect(
            await ann.tell("members", "remove", id, "--space", "Sail club")
                == "removed \(id) (phone)\n"
        )
        let told = await bob.run("sync")
        #expect(
            told.code == .success && told.err.contains("its data was deleted here: 'Sail club'"),
            "\(told.err)"
        )
        #expect(await bob.run("spaces", "list").err.contains("none; 'wake spaces create NAME'"))
        #expect(await bob.run(["members", "list"] + space).code == .notFound)
        for device in [ann, bob] {
            #expect(await device.tell("verify").hasPrefix("no faults"))
        }
    }

    @Test func `what a removed person made offline is shown and adopted, and all is on record`()
        async throws
    {
        _ = await ann.tell("spaces", "create", "Sail club")
        _ = await bob.tell("join", await link("--role", "contributor"))
        for device in [bob, ann, bob] { _ = await device.tell("sync") }
        _ = await bob.tell("places", "add", "Buoy", "52.86,5.3", "--space", "Sail club")
        let space = ["--space", "Sail club"]
        let id = try await idOfBob()
        _ = await ann.tell("members", "role", id, "viewer", "--space", "Sail club")
        _ = await ann.tell("members", "remove", id, "--space", "Sail club")
        _ = await bob.run("sync")
        #expect(await bob.tell("places", "list").contains("Buoy"), "it is in the own space now")
        _ = await ann.run("sync")
        #expect(await ann.tell("status").contains("1 change set of others, for you to decide"))
        let held = await ann.tell("held")
        #expect(held.contains(" by phone in 'Sail club', ") && held.contains("(cut)"), "\(held)")
        #expect(held.contains(/new: place \w{8} 'Buoy'/), "\(held)")
        #expect(await bob.tell("held").isEmpty)
        #expect(await ann.tell("held", "adopt", "--all").hasPrefix("adopted "))
        #expect(await ann.tell("places", "list", "--space", "Sail club").contains("Buoy"))
        let audit = await ann.run(["audit"] + space).out
        for part in [
            "boat (you)", "founded the space", "made a link for a contributor, for 1 use",
            "joined as a contributor", "made \(id) (phone) a viewer; was a contributor",
            "removed \(id) (phone)", "adopted 1 held set",
        ] { #expect(audit.contains(part), "\(part) in \(audit)") }
        let own = await ann.tell("audit")
        #expect(own.contains("founded the space") && !own.contains("you"), "\(own)")
        let json = await ann.run(["audit", "--json"] + space).out
        #expect(json.contains(/"action": *"remove"/), "\(json)")
    }

    /// What the list of members calls Bob.
    private func idOfBob() async throws -> String {
        let list = await ann.tell("members", "list", "--space", "Sail club")
        return String(try #require(list.firstMatch(of: /(\w{8}) +phone/)).1)
    }

    @Test func `a member leaves, and the only owner cannot`() async throws {
        _ = await ann.tell("spaces", "create", "Sail club")
        _ = await bob.tell("join", await link())
        for device in [bob, ann] { _ = await device.tell("sync") }
        _ = await bob.tell("places", "add", "Buoy", "52.86,5.3", "--space", "Sail club")
        #expect(await bob.tell("spaces", "leave", "Sail club") == "left the space 'Sail club'\n")
        _ = await ann.tell("sync")
        #expect(await ann.tell("places", "list", "--space", "Sail club").contains("Buoy"))
        let spaces = await ann.tell("spaces", "list")
        #expect(spaces.contains(/Sail club +owner +1/), "\(spaces)")
        let stays = await ann.run("spaces", "leave", "Sail club")
        #expect(stays.code == .attention && stays.err.contains("without an owner"), "\(stays.err)")
        let again = await bob.run("spaces", "leave", "Sail club")
        #expect(again.code == .notFound && again.err.contains("no shared space 'Sail club'"))
        let wrong = await ann.run("members", "role", "0000", "captain", "--space", "Sail club")
        #expect(wrong.code == .usage && wrong.err.contains("'captain' is not a role"))
        #expect(await ann.run("members", "list").err.contains("with '--space NAME'"))
    }

    @Test func `a wrong name, role or use gets a clear error`() async throws {
        #expect(await bob.run("spaces", "create", "Early").err.contains("has not joined a server"))
        let unknown = await ann.run("tracks", "list", "--space", "club")
        #expect(unknown.code == .notFound)
        #expect(unknown.err.contains("no shared space 'club' on this device"))
        _ = await ann.tell("spaces", "create", "Sail club")
        #expect(await ann.run("spaces", "create", "Sail club").code == .attention)
        #expect(await ann.run("spaces", "create", "").code == .usage)
        #expect(await ann.run("invite").err.contains("name the space to invite into"))
        let owner = await ann.run("invite", "--space", "Sail club", "--role", "owner")
        #expect(owner.code == .usage && owner.err.contains("'owner' is not a role that a link"))
        #expect(await ann.run("invite", "--space", "Sail club", "--uses", "0").code == .usage)
        let once = await link()
        _ = await bob.tell("join", once)
        let late = LiveDevice(folder: folder.path + "/late")
        _ = await late.tell("init", "--name", "late")
        #expect(await late.run("join", once).code == .authentication)
    }

    @Test func `a whole id goes before a name, and a name that is also an id is ambiguous`()
        throws
    {
        let (one, two) = (Identifier(number: 1 << 100), Identifier(number: 2 << 100))
        func space(_ id: Identifier, _ name: String) -> SharedSpace {
            SharedSpace(id: id, name: name, role: .owner, memberCount: 1)
        }
        let all = [space(one, "Rowers"), space(two, one.description)]
        #expect(try SharedSpace.find(one.description, in: all).id == one)
        #expect(try SharedSpace.find("Rowers", in: all).id == one)
        let prefix = String(one.description.prefix(8))
        let named = [space(one, "Rowers"), space(two, prefix)]
        let error = #expect(throws: UserError.self) { try SharedSpace.find(prefix, in: named) }
        #expect(error?.code == .attention)
    }

    @Test func `a track is copied into a crew's log, and moved after the server took it`()
        async throws
    {
        _ = await ann.tell("spaces", "create", "Sail club")
        _ = await ann.tell("import", try recording())
        let list = await ann.tell("tracks", "list")
        let id = String(try #require(list.firstMatch(of: /\n(\w{8})\s/)).1)
        let into = ["--space", "Sail club"]
        let copied = await ann.run(["tracks", "copy", id] + into)
        let words = try #require(
            copied.out.wholeMatch(of: /copied \w{8} 'Sail' to 'Sail club' as (\w{8})\n/)
        )
        #expect(copied.code == .success && copied.err.contains("'wake sync' sends it"))
        let copy = String(words.1)
        let again = await ann.run(["tracks", "copy", id] + into)
        #expect(again.out == "\(id) 'Sail' is in 'Sail club' already, as \(copy)\n")
        #expect(again.code == .success && again.err.isEmpty)
        let listed = await ann.run(["tracks", "list"] + into)
        #expect(listed.out.contains(/distance +points +by\n/) && listed.out.contains("you"))
        let shown = await ann.run(["tracks", "show", copy] + into)
        #expect(shown.out.contains(/copied from +track \w{8} of the space \w{8}/), "\(shown.out)")
        var offline = ann.context
        offline.context.transport = { HTTPTransport(authority: "127.0.0.1:1", trust: $1) }
        let code = await Wake.program.run(["tracks", "move", id] + into, in: offline.context)
        #expect(code == .network && offline.error.take().contains("that track stays here, too"))
        #expect(await ann.tell("tracks", "list").contains(id))
        let moved = await ann.run(["tracks", "move", id] + into)
        #expect(moved.out == "moved \(id) 'Sail' to 'Sail club' as \(copy)\n", "\(moved.err)")
        #expect(!(await ann.tell("tracks", "list").contains(id)))
        #expect(await ann.tell("undo").contains("move of \(id)"))
        #expect(await ann.tell("tracks", "list").contains(id))
        _ = await ann.run(["tracks", "delete", copy] + into)
        let trashed = await ann.run(["tracks", "copy", id] + into)
        #expect(trashed.out.contains("'wake restore \(copy) --space 'Sail club'' restores it"))
        #expect(await ann.run(["tracks", "move", id] + into).code == .failure)
        let nowhere = await ann.run("tracks", "copy", id)
        #expect(nowhere.code == .usage && nowhere.err.contains("no other space was named"))
        let back = await ann.run("tracks", "copy", copy, "--from", "Sail club")
        #expect(back.code == .failure && back.err.contains("is in the trash"))
    }

    /// A recording of two points.
    private func recording() throws -> String {
        let file = folder.path + "/sail.gpx"
        let document = """
            <gpx version="1.1"><trk><name>Sail</name><trkseg>
            <trkpt lat="52.85" lon="5.31"><time>2026-05-01T10:00:00Z</time></trkpt>
            <trkpt lat="52.86" lon="5.31"><time>2026-05-01T10:01:00Z</time></trkpt>
            </trkseg></trk></gpx>
            """
        try document.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    @Test func `who may not write is told so before anything is written`() async throws {
        _ = await ann.tell("spaces", "create", "Sail club")
        let into = ["--space", "Sail club"]
        _ = await ann.run(["import", try recording()] + into)
        _ = await bob.tell("join", await link("--role", "contributor"))
        for device in [bob, ann, bob] { _ = await device.tell("sync") }
        let list = await bob.run(["tracks", "list"] + into).out
        let id = String(try #require(list.firstMatch(of: /\n(\w{8})\s/)).1)
        for words in [["rename", id, "x"], ["delete", id], ["trim", id, "--from", "+0:00:30"]] {
            let answer = await bob.run(["tracks"] + words + into)
            #expect(answer.code == .attention, "\(words): \(answer.out)")
            #expect(answer.err.contains("somebody else made this track, and a contributor"))
        }
        #expect(await bob.run(["places", "add", "Buoy", "52.86,5.3"] + into).code == .success)
        let members = await ann.run(["members", "list"] + into).out
        let user = String(try #require(members.firstMatch(of: /(\w{8}) +phone/)).1)
        _ = await ann.run(["members", "role", user, "viewer"] + into)
        #expect(await bob.run("sync").code == .attention)
        for words in [
            ["import", try recording()], ["places", "add", "Pier", "52.86,5.3"],
            ["record", "--nmea", "-"],
        ] {
            let answer = await bob.run(words + into)
            #expect(answer.code == .attention, "\(words): \(answer.out)")
            #expect(answer.err.contains("you cannot write in 'Sail club'; you are its viewer"))
        }
        #expect(await bob.tell("tracks", "list") == "")
    }

    @Test func `a recording is found in the space that has its track`() async throws {
        _ = await ann.tell("spaces", "create", "Sail club")
        _ = await ann.tell("import", try recording(), "--space", "Sail club")
        let library = try await ann.context.context.library()
        let spaces = try await library.replica.read { try $0.spaces.all() }.map(\.id)
        let shared = try #require(spaces.first { $0 != library.own })
        let tracks = try await library.replica.read { try $0.tracks.all(in: shared) }
        let track = try #require(tracks.first).id
        #expect(try await library.holding(track)?.space == shared)
        #expect(try await library.holding(Identifier(number: 5)) == nil)
    }
}
