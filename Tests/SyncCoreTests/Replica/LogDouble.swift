@testable import SyncCore

/// A server's log of one space in memory: it judges what is pushed, links its entries and merges
/// them by itself, so that replicas can be held against it.
struct LogDouble {
    /// The space.
    let space: Identifier
    /// The incarnation of this history.
    var epoch = Identifier(number: 0xe0)
    /// What the devices enrolled with.
    var deviceKeys: [Identifier: DeviceKeys] = [:]
    /// The server's own judgement; a test may put another in its place.
    var judge: (Upload) -> (verdict: Verdict, reason: String) = { _ in (.accepted, "") }
    /// Chunks that came with pushed sets.
    private(set) var chunks: [Digest: [UInt8]] = [:]
    private(set) var entries: [Entry] = []
    private let keys: SpaceKeys

    /// One position of the log.
    struct Entry {
        let bytes: [UInt8]
        let link: Digest
        let name: SetName
        let verdict: Verdict
        let reason: String
        /// What it brings to the merge of the log.
        let changes: [Change]
    }

    init(keys: SpaceKeys) {
        space = keys.space
        self.keys = keys
    }

    /// The last set of a replica.
    func head(of replica: Identifier) -> ReplicaHead? {
        entries.last { $0.name.replica == replica }
            .map { ReplicaHead(sequence: $0.name.sequence, hash: $0.name.hash) }
    }

    /// The merge of the first entries, all by default.
    func cells(upTo position: Int = .max) -> [Key: Cell] {
        entries.prefix(position).reduce(into: [:]) { cells, entry in
            for change in entry.changes {
                if let present = cells[change.key], !Self.wins(change.cell, over: present) {
                    continue
                }
                cells[change.key] = change.cell
            }
        }
    }

    /// The order of cells, written once more: stamp time, replica, bytes of the value.
    private static func wins(_ left: Cell, over right: Cell) -> Bool {
        func parts(_ cell: Cell) -> [UInt8] {
            cell.stamp.time.bigEndianBytes + cell.stamp.replica.bytes + cell.encoded
        }
        return parts(right).lexicographicallyPrecedes(parts(left))
    }

    /// The fingerprint of the first entries, summed byte by byte.
    func fingerprint(upTo position: Int = .max) -> Fingerprint {
        let sum = cells(upTo: position).reduce([UInt8](repeating: 0, count: 32)) { sum, cell in
            let change = Change(key: cell.key, cell: cell.value)
            return FingerprintTests.sum(sum, Digest(of: change.fingerprintPreimage).bytes)
        }
        return Fingerprint(bytes: sum) ?? Fingerprint()
    }

    /// Every change that was accepted, whether it won or not.
    var accepted: [Change] { entries.flatMap(\.changes) }
}

extension LogDouble {
    /// Judges items in order, as a server does: durable verdicts, no gaps, no forks.
    mutating func push(_ items: [[UInt8]]) throws -> [PushResult] {
        try items.map { try push($0) }
    }

    /// Takes sets that are brought back as if their author pushed them.
    mutating func refill(_ items: [[UInt8]]) throws -> [PushResult] {
        try items.map { try push(try RefillItem(decoding: $0[...]).item) }
    }

    private mutating func push(_ item: [UInt8]) throws -> PushResult {
        let item = try PushItem(decoding: item[...])
        let upload = try Upload(parsing: item.upload)
        let head = head(of: upload.header.replica)
        let next = (head?.sequence ?? 0) + 1
        if let place = entries.firstIndex(where: { $0.name == upload.name }) {
            let entry = entries[place]
            return .judged(position: UInt64(place + 1), entry.verdict, reason: entry.reason)
        }
        guard upload.header.sequence >= next else {
            return .failed(problem: "fork", sequence: next)
        }
        guard upload.header.sequence == next else {
            return .failed(problem: "sequence-gap", sequence: next)
        }
        guard upload.header.previous == (head?.hash ?? .zero) else {
            return .failed(problem: "fork", sequence: next)
        }
        guard let deviceKeys = deviceKeys[upload.header.device], upload.header.space == space else {
            return .failed(problem: "forbidden", sequence: next)
        }
        let set = try ChangeSet(relaying: upload, body: item.body ?? [], from: deviceKeys)
        for chunk in item.chunks { chunks[Digest(of: chunk)] = chunk }
        guard upload.header.chunks.allSatisfy({ chunks[$0.hash] != nil }) else {
            return .failed(problem: "chunk-missing", sequence: next)
        }
        let (verdict, reason) = judge(upload)
        append(upload, item, verdict, reason, set.changes)
        return .judged(position: UInt64(entries.count), verdict, reason: reason)
    }

    private mutating func append(
        _ upload: Upload,
        _ item: PushItem,
        _ verdict: Verdict,
        _ reason: String,
        _ changes: [Change]
    ) {
        let entry = LogEntry(
            position: UInt64(entries.count + 1),
            body: verdict == .accepted ? item.body : nil,
            receipt: [UInt8](repeating: 0, count: 32),
            content: .set(upload: upload.bytes, verdict),
            headSignature: item.headSignature,
            reason: reason
        )
        let link = LogChain.link(after: link, upload.name, verdict)
        // What no member can open is no part of anyone's state.
        let isReadable = upload.verifies(with: keys)
        entries.append(
            Entry(
                bytes: entry.encoded,
                link: link,
                name: upload.name,
                verdict: verdict,
                reason: reason,
                changes: verdict == .accepted && isReadable ? changes : []
            )
        )
    }

    private var link: Digest { entries.last?.link ?? .zero }

    /// What follows a position, at most `limit` entries of it.
    func page(after position: UInt64, limit: Int = .max) -> Page {
        let start = min(Int(position), entries.count)
        let run = entries[start...].prefix(limit)
        let end = start + run.count
        return Page(
            epoch: epoch,
            entries: run.map(\.bytes),
            position: UInt64(end),
            chain: end == 0 ? .zero : entries[end - 1].link,
            head: UInt64(entries.count),
            fingerprint: end == entries.count ? fingerprint() : nil,
            controls: TestSpace.shared.chain.count
        )
    }

    /// Forgets everything after a position, as a server that was restored from a backup.
    mutating func rewind(to position: Int) {
        entries = Array(entries.prefix(position))
    }
}
