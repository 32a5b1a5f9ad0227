extension Header {
    /// Decodes a header strictly; ignores keys from 32 up, which are reserved for extensions.
    package init(decoding bytes: ArraySlice<UInt8>) throws(ChangeSetError) {
        guard bytes.count <= Limits.headerByteLimit else {
            throw .tooLarge(.header, byteCount: bytes.count)
        }
        var format: UInt64?
        var header: Header?
        do {
            var decoder = CBORDecoder(bytes)
            try decoder.openMap(reserved: 32)
            format = try decoder.has(0) ? decoder.unsigned() : nil
            if (format ?? Header.format) == Header.format { header = try decoder.header() }
        } catch {
            throw .encoding(error)
        }
        // Other formats may have other fields, but key 0 is always the format.
        if let format, format != Header.format { throw .unknownFormat(format) }
        guard format != nil, let header else { throw .incomplete }
        try header.checkLimits()
        self = header
    }

    private func checkLimits() throws(ChangeSetError) {
        guard bodyByteCount <= Limits.bodyByteLimit else {
            throw .tooLarge(.body, byteCount: bodyByteCount)
        }
        guard decodedByteCount <= Limits.decodedBodyByteLimit else {
            throw .tooLarge(.decodedBody, byteCount: decodedByteCount)
        }
        guard cellCount <= Limits.cellLimit else { throw .tooManyCells(cellCount) }
        guard (sequence == 1) == (previous == .zero) else { throw .incomplete }
        guard seen.position.position > 0 || seen.chain == .zero else { throw .incomplete }
        if let control { try check(control) }
    }

    private func check(_ control: ControlPlace) throws(ChangeSetError) {
        guard (control.index == 0) == (control.previous == .zero), cellCount == 0,
            encoding == .plain, !isEncrypted, seen.controls == control.index,
            stamps == control.index + 1...control.index + 1
        else { throw .incomplete }
    }

    /// The first critical key that this version does not support; nil if it supports all.
    package var unknownCriticalKey: UInt64? {
        critical.first { !(0...14).contains($0) || $0 == 12 }
    }
}

extension CBORDecoder {
    /// Decodes the fields after the format; returns nil if a required one is missing.
    fileprivate mutating func header() throws(CBORError) -> Header? {
        let space = try has(1) ? identifier() : nil
        let device = try has(2) ? identifier() : nil
        let replica = try has(3) ? identifier() : nil
        let sequence = try has(4) ? unsigned() : nil
        let previous = try has(5) ? digest() : nil
        let stamps = try has(6) ? range() : nil
        let cellCount = try has(7) ? count() : nil
        let body = try has(8) ? bodyName() : nil
        let seen = try has(9) ? seen() : nil
        let chunks = try has(10) ? list(ChunkName.init(from:)) : []
        let encoding = try has(11) ? Header.Encoding(rawValue: nonZero()) : .plain
        let isEncrypted = try has(12) ? flag() : false
        let critical = try has(13) ? unsignedNumbers() : []
        let control = try has(14) ? controlPlace() : nil
        try closeMap()
        try finish()
        guard let space, let device, let replica, let sequence, sequence > 0, let previous,
            let stamps, let cellCount, let body, let seen, let encoding
        else { return nil }
        return Header(
            space: space,
            device: device,
            replica: replica,
            sequence: sequence,
            previous: previous,
            stamps: stamps,
            cellCount: cellCount,
            bodyHash: body.hash,
            bodyByteCount: body.byteCount,
            decodedByteCount: body.decoded,
            seen: seen,
            chunks: chunks,
            encoding: encoding,
            isEncrypted: isEncrypted,
            critical: critical,
            control: control
        )
    }

    /// Decodes a flag that is encoded only if true.
    private mutating func flag() throws(CBORError) -> Bool {
        let start = offset
        guard try bool() else { throw .unexpected(offset: start) }
        return true
    }

    private mutating func range() throws(CBORError) -> ClosedRange<UInt64> {
        let start = offset
        try array(count: 2)
        let (low, high) = (try unsigned(), try unsigned())
        guard low <= high else { throw .unexpected(offset: start) }
        return low...high
    }

    private mutating func bodyName() throws(CBORError) -> (
        hash: Digest, byteCount: Int, decoded: Int
    ) {
        try array(count: 3)
        return (try digest(), try count(), try count())
    }

    private mutating func seen() throws(CBORError) -> Seen {
        try array(count: 4)
        let position = LogPosition(epoch: try identifier(), position: try unsigned())
        return Seen(position: position, chain: try digest(), controls: try unsigned())
    }

    private mutating func controlPlace() throws(CBORError) -> ControlPlace {
        let start = offset
        try array(count: 2)
        let place = ControlPlace(index: try unsigned(), previous: try digest())
        // The stamp of a control set is its index + 1.
        guard place.index < .max >> 1 else { throw .unexpected(offset: start) }
        return place
    }

    private mutating func unsignedNumbers() throws(CBORError) -> [UInt64] {
        try list { (decoder) throws(CBORError) in try decoder.unsigned() }
    }
}
