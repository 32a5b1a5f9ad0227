extension SyncReply {
    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.map(2)
        encoder.unsigned(0)
        encoder.integer(time.milliseconds)
        encoder.unsigned(1)
        encoder.array(spaces.count)
        for space in spaces { space.encode(into: &encoder) }
        return encoder.bytes
    }

    /// Decodes a reply; does not decode the log entries.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        var time: Int64?
        var spaces: [SpaceReply]?
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            switch key {
            case 0: time = try decoder.value().integer
            case 1:
                var replies: [SpaceReply] = []
                for _ in 0..<(try decoder.array()) {
                    replies.append(try SpaceReply(from: &decoder))
                }
                spaces = replies
            default: return false
            }
            return true
        }
        try decoder.finish()
        guard let time, UnixTime.plausible.contains(time), let spaces else {
            throw .unexpected(offset: 0)
        }
        self.init(time: UnixTime(milliseconds: time), spaces: spaces)
    }
}

extension SyncReply.SpaceReply {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        let optional = [
            problem != nil, !results.isEmpty, held != nil, !wanted.isEmpty, backup != nil,
        ]
        .count { $0 }
        let paged = page.map { $0.fingerprint == nil ? 5 : 6 } ?? 0
        encoder.map(1 + optional + paged)
        encoder.unsigned(0)
        encoder.bytes(space.bytes)
        if let problem {
            encoder.unsigned(1)
            encoder.text(Text(problem))
        }
        if !results.isEmpty {
            encoder.unsigned(2)
            encoder.array(results.count)
            for result in results { result.encode(into: &encoder) }
        }
        if let held {
            encoder.unsigned(3)
            encoder.array(2)
            encoder.unsigned(held.sequence)
            encoder.bytes(held.hash.bytes)
        }
        page?.encode(into: &encoder)
        if !wanted.isEmpty {
            encoder.unsigned(10)
            encoder.array(wanted.count)
            for hash in wanted { encoder.bytes(hash.bytes) }
        }
        if let backup {
            encoder.unsigned(11)
            encoder.array(2)
            encoder.unsigned(backup.position)
            encoder.integer(backup.time.milliseconds)
        }
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        var fields = Fields()
        try decoder.integerMap { (key, decoder) throws(CBORError) in
            try fields.read(key, from: &decoder)
        }
        guard let space = fields.space, fields.isPageWhole else {
            throw .unexpected(offset: decoder.offset)
        }
        self.init(space: space, problem: fields.problem)
        results = fields.results
        held = fields.held
        page = fields.page
        wanted = fields.wanted
        backup = fields.backup
    }

    private struct Fields {
        var space: Identifier?
        var problem: String?
        var results: [PushResult] = []
        var held: ReplicaHead?
        var epoch: Identifier?
        var entries: [[UInt8]]?
        var position: UInt64?
        var chain: Digest?
        var head: UInt64?
        var fingerprint: Fingerprint?
        var wanted: [Digest] = []
        var backup: BackupMark?

        mutating func read(
            _ key: UInt64,
            from decoder: inout CBORDecoder
        ) throws(CBORError) -> Bool {
            switch key {
            case 0: space = try decoder.identifier()
            case 1: problem = try decoder.text().string
            case 2:
                for _ in 0..<(try decoder.nonEmptyArray()) {
                    results.append(try PushResult(from: &decoder))
                }
            case 3:
                try decoder.array(count: 2)
                held = ReplicaHead(
                    sequence: try decoder.unsigned(),
                    hash: try decoder.digest()
                )
            case 4: epoch = try decoder.identifier()
            case 5:
                var entries: [[UInt8]] = []
                for _ in 0..<(try decoder.array()) { entries.append(Array(try decoder.bytes())) }
                self.entries = entries
            case 6: position = try decoder.unsigned()
            case 7: chain = try decoder.digest()
            case 8: head = try decoder.unsigned()
            case 9: fingerprint = Fingerprint(bytes: try decoder.bytes(count: 32))
            case 10:
                for _ in 0..<(try decoder.nonEmptyArray()) { wanted.append(try decoder.digest()) }
            case 11: backup = try BackupMark(from: &decoder)
            default: return false
            }
            return true
        }

        /// Whether the page is complete or absent.
        var isPageWhole: Bool {
            let required = [
                epoch != nil, entries != nil, position != nil, chain != nil, head != nil,
            ]
            return page != nil || !required.contains(true) && fingerprint == nil
        }

        var page: Page? {
            guard let epoch, let entries, let position, let chain, let head else { return nil }
            return Page(
                epoch: epoch,
                entries: entries,
                position: position,
                chain: chain,
                head: head,
                fingerprint: fingerprint
            )
        }
    }
}

extension Page {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.unsigned(4)
        encoder.bytes(epoch.bytes)
        encoder.unsigned(5)
        encoder.array(entries.count)
        for entry in entries { encoder.bytes(entry) }
        encoder.unsigned(6)
        encoder.unsigned(position)
        encoder.unsigned(7)
        encoder.bytes(chain.bytes)
        encoder.unsigned(8)
        encoder.unsigned(head)
        if let fingerprint {
            encoder.unsigned(9)
            encoder.bytes(fingerprint.bytes)
        }
    }
}

extension BackupMark {
    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        let start = decoder.offset
        try decoder.array(count: 2)
        let position = try decoder.unsigned()
        guard let time = try decoder.value().integer, UnixTime.plausible.contains(time) else {
            throw .unexpected(offset: start)
        }
        self.init(position: position, time: UnixTime(milliseconds: time))
    }
}

extension PushResult {
    func encode(into encoder: inout CBOREncoder) {
        switch self {
        case .judged(let position, let verdict, let reason):
            encoder.array(4)
            encoder.unsigned(0)
            encoder.unsigned(position)
            encoder.unsigned(verdict.rawValue)
            encoder.text(Text(reason))
        case .failed(let problem, let sequence):
            encoder.array(3)
            encoder.unsigned(1)
            encoder.text(Text(problem))
            encoder.unsigned(sequence)
        }
    }

    init(from decoder: inout CBORDecoder) throws(CBORError) {
        let start = decoder.offset
        let count = try decoder.array()
        switch (count, try decoder.unsigned()) {
        case (4, 0):
            let position = try decoder.unsigned()
            guard let verdict = Verdict(rawValue: try decoder.unsigned()) else {
                throw .unexpected(offset: start)
            }
            self = .judged(position: position, verdict, reason: try decoder.text().string)
        case (3, 1):
            let problem = try decoder.text().string
            self = .failed(problem: problem, sequence: try decoder.unsigned())
        default: throw .unexpected(offset: start)
        }
    }
}
