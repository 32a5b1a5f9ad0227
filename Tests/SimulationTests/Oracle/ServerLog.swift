@testable import SyncCore
@testable import SyncServer

/// A space's log, read and merged without any of the code that replicas merge with.
struct ServerLog {
    private(set) var names: [SetName: Verdict] = [:]
    private(set) var cells: [Key: Cell] = [:]
    /// Every value that an accepted set brought.
    private(set) var values: [Key: Set<[UInt8]>] = [:]
    private(set) var faults: [String] = []
    /// The control chain that the accepted control sets make.
    private(set) var controls: ControlChain
    private(set) var head: UInt64 = 0
    private var chain = Digest.zero
    private var heads: [Identifier: (sequence: UInt64, hash: Digest)] = [:]
    /// Sets that stand at the place of another, or before the one that they follow.
    private var displaced: [SetName] = []
    /// Sets that came with their bodies although the verdict does not let them count.
    private var uncounted: [Upload] = []

    /// - Parameter lost: what the log may lack.
    init(_ page: Page, keys: SpaceKeys, space: Identifier, lost: Set<SetName>?) throws {
        controls = ControlChain(of: space)
        for bytes in page.entries { try read(bytes, keys, space) }
        if uncounted.contains(where: { controls.decision(on: $0) != .adopted }) {
            faults.append("a set comes with its body that nobody adopted")
        }
        if page.head != head { faults.append("the log has \(head) entries of \(page.head)") }
        if page.chain != chain { faults.append("the log's chain is broken") }
        for before in displaced
        where before.sequence > 0 && names[before] == nil && lost?.contains(before) != true {
            faults.append(
                "a set of \(before.replica) follows \(before.sequence), which is not there"
            )
        }
        if lost == nil, let one = displaced.first {
            faults.append("a set of \(one.replica) is not behind \(one.sequence), which it follows")
        }
    }

    private mutating func read(_ bytes: [UInt8], _ keys: SpaceKeys, _ space: Identifier) throws {
        let entry = try LogEntry(decoding: bytes[...])
        head += 1
        if entry.position != head {
            faults.append("position \(entry.position) follows \(head - 1)")
        }
        guard case .set(let bytes, let verdict) = entry.content else { return }
        let upload = try Upload(parsing: bytes)
        let name = upload.name
        if name.space != space { faults.append("set \(head) is of another space") }
        if names.updateValue(verdict, forKey: name) != nil {
            faults.append("set \(head) is there twice")
        }
        chain = LogChain.link(after: chain, name, verdict)
        checkChain(upload)
        guard let body = entry.body else { return }
        if verdict != .accepted { uncounted.append(upload) }
        guard !upload.isControl else {
            return try controls.apply(try ControlSet(upload, body: body))
        }
        let set = try ChangeSet(opening: upload, body: body, with: keys)
        for change in set.changes {
            values[change.key, default: []].insert(change.cell.encoded)
            guard let present = cells[change.key], !Self.wins(change.cell, over: present) else {
                cells[change.key] = change.cell
                continue
            }
        }
    }

    /// Whether a change is there, or one that wins over it.
    func says(_ change: Change) -> Bool {
        guard let winner = cells[change.key] else { return false }
        return winner.stamp.time >= change.cell.stamp.time
            || values[change.key]?.contains(change.cell.encoded) == true
    }

    private mutating func checkChain(_ upload: Upload) {
        let header = upload.header
        let last = heads[header.replica]
        if header.sequence != (last?.sequence ?? 0) + 1 || header.previous != last?.hash ?? .zero {
            displaced.append(
                SetName(
                    space: header.space,
                    replica: header.replica,
                    sequence: header.sequence - 1,
                    hash: header.previous
                )
            )
        }
        heads[header.replica] = (header.sequence, upload.hash)
    }

    /// The law, written once more: time, then replica, then value.
    static func wins(_ cell: Cell, over other: Cell) -> Bool {
        if cell.stamp.time != other.stamp.time { return cell.stamp.time > other.stamp.time }
        if cell.stamp.replica != other.stamp.replica {
            return cell.stamp.replica.number > other.stamp.replica.number
        }
        return other.encoded.lexicographicallyPrecedes(cell.encoded)
    }
}

extension ControlChain {
    /// Whether what a control set did is done, by it or by another one that says it again.
    ///
    /// Nobody publishes the links of a device that had to come back as another one: they may be those
    /// of a revoked device.
    func says(_ set: ControlSet, isMakerGone: Bool) -> Bool {
        set.body.actions.allSatisfy { action in
            switch action {
            case .found: user != nil
            case .invite(let invitation):
                isMakerGone || invitations[invitation.keys.invitation] != nil
            case .close(let ids): ids.allSatisfy { invitations[$0]?.isOpen != true }
            case .join(let joining): cards[joining.card.device] != nil
            case .addCard(let added): cards[added.card.device] != nil
            case .revoke(let revocation):
                revocation.devices.allSatisfy { cards[$0]?.isLive != true }
            case .setRole(let setting): members[setting.user]?.role == setting.role
            case .remove(let removal): members[removal.user]?.role == nil
            case .leave: cards[set.author]?.isLive != true
            // The secrets of a lost epoch protect nothing any more.
            case .epoch, .server, .wrap: true
            // Another admin may have decided otherwise.
            case .adopt(let sets), .decline(let sets): sets.allSatisfy { decisions[$0] != nil }
            }
        }
    }
}
