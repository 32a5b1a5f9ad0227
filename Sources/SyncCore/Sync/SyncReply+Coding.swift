extension SyncReply {
    package var encoded: [UInt8] {
        CBOREncoder.map { map in
            map.add(0, time) { $0.integer($1.milliseconds) }
            map.add(1, spaces) { $0.array($1) { $1.encode(into: &$0) } }
        }
    }

    /// Decodes a reply; does not decode the log entries.
    package init(decoding bytes: [UInt8]) throws(CBORError) {
        var decoder = CBORDecoder(bytes)
        try decoder.openMap()
        let time = try decoder.has(0) ? decoder.value().integer : nil
        let spaces =
            try decoder.has(1)
            ? decoder.list(allowsNone: true, SpaceReply.init(from:)) : nil
        try decoder.closeMap()
        try decoder.finish()
        guard let time, UnixTime.plausible.contains(time), let spaces else {
            throw .unexpected(offset: 0)
        }
        self.init(time: UnixTime(milliseconds: time), spaces: spaces)
    }
}

extension SyncReply.SpaceReply {
    fileprivate func encode(into encoder: inout CBOREncoder) {
        encoder.map { map in
            map.add(0, space) { $0.bytes($1.bytes) }
            map.add(1, problem) { $0.text(Text($1)) }
            map.add(2, list: results) { $1.encode(into: &$0) }
            map.add(3, held) {
                $0.array($1.signature == nil ? 2 : 4)
                $0.unsigned($1.head.sequence)
                $0.bytes($1.head.hash.bytes)
                guard let signature = $1.signature else { return }
                $0.bytes(signature.bytes)
                $0.unsigned($1.controls)
            }
            map.add(4, page?.epoch) { $0.bytes($1.bytes) }
            map.add(5, page?.entries) { $0.array($1) { $0.bytes($1) } }
            map.add(6, page?.position) { $0.unsigned($1) }
            map.add(7, page?.chain) { $0.bytes($1.bytes) }
            map.add(8, page?.head) { $0.unsigned($1) }
            map.add(9, page?.fingerprint) { $0.bytes($1.bytes) }
            map.add(10, list: wanted) { $0.bytes($1.bytes) }
            map.add(11, backup) {
                $0.array(2)
                $0.unsigned($1.position)
                $0.integer($1.time.milliseconds)
            }
            map.add(12, page.flatMap { $0.controls == 0 ? nil : $0.controls }) { $0.unsigned($1) }
            map.add(13, list: page?.past ?? []) { $1.encode(into: &$0) }
            map.add(14, list: gaps) { $0.unsigned($1) }
        }
    }

    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        try decoder.openMap()
        let space = try decoder.has(0) ? decoder.identifier() : nil
        problem = try decoder.has(1) ? decoder.text().string : nil
        results = try decoder.has(2) ? decoder.list(PushResult.init(from:)) : []
        held = try decoder.has(3) ? NamedHead(from: &decoder) : nil
        let epoch = try decoder.has(4) ? decoder.identifier() : nil
        let entries = try decoder.has(5) ? decoder.byteStrings(allowsNone: true) : nil
        let position = try decoder.has(6) ? decoder.unsigned() : nil
        let chain = try decoder.has(7) ? decoder.digest() : nil
        let head = try decoder.has(8) ? decoder.unsigned() : nil
        let fingerprint = try decoder.has(9) ? Fingerprint(bytes: decoder.bytes(count: 32)) : nil
        wanted = try decoder.has(10) ? decoder.digests() : []
        backup = try decoder.has(11) ? BackupMark(from: &decoder) : nil
        let controls = try decoder.has(12) ? decoder.nonZero() : 0
        let past = try decoder.has(13) ? decoder.past() : []
        gaps = try decoder.has(14) ? decoder.positions(atMost: Limits.entryLimit) : []
        try decoder.closeMap()
        if let epoch, let entries, let position, let chain, let head {
            page = Page(
                epoch: epoch,
                entries: entries,
                position: position,
                chain: chain,
                head: head,
                fingerprint: fingerprint,
                controls: controls,
                past: past
            )
        }
        let isWithoutPage =
            epoch == nil && entries == nil && position == nil && chain == nil && head == nil
            && fingerprint == nil && controls == 0 && past.isEmpty
        guard let space, page != nil || isWithoutPage else {
            throw .unexpected(offset: decoder.offset)
        }
        self.space = space
    }
}

extension CBORDecoder {
    /// The logs from which one goes on, each of another epoch.
    fileprivate mutating func past() throws(CBORError) -> [LogEnding] {
        let start = offset
        let endings = try list(LogEnding.init(from:))
        guard endings.count <= Page.pastLimit,
            Set(endings.map(\.position.epoch)).count == endings.count
        else { throw .unexpected(offset: start) }
        return endings
    }

    fileprivate mutating func digests() throws(CBORError) -> [Digest] {
        try list { (decoder) throws(CBORError) in try decoder.digest() }
    }
}

extension NamedHead {
    fileprivate init(from decoder: inout CBORDecoder) throws(CBORError) {
        let start = decoder.offset
        let count = try decoder.array()
        let head = ReplicaHead(sequence: try decoder.unsigned(), hash: try decoder.digest())
        switch count {
        case 2: self.init(head: head)
        case 4:
            self.init(
                head: head,
                signature: try decoder.signature(),
                controls: try decoder.unsigned()
            )
        default: throw .unexpected(offset: start)
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
