extension Header {
    /// Decodes a header strictly; ignores keys from 32 up, which are reserved for extensions.
    package init(decoding bytes: ArraySlice<UInt8>) throws(ChangeSetError) {
        guard bytes.count <= Limits.headerByteLimit else {
            throw .tooLarge(.header, byteCount: bytes.count)
        }
        var fields = Fields()
        do {
            var decoder = CBORDecoder(bytes)
            try decoder.integerMap { (key, decoder) throws(CBORError) in
                try fields.read(key, from: &decoder)
            }
            try decoder.finish()
            self = try fields.header()
        } catch let error as CBORError {
            // Other formats may have other fields, but key 0 is always the format.
            if let format = fields.format, format != Header.format { throw .unknownFormat(format) }
            throw .encoding(error)
        } catch let error as ChangeSetError {
            throw error
        } catch {
            throw .incomplete
        }
    }

    /// The decoded fields, before any is known to be missing.
    private struct Fields {
        var format: UInt64?
        var ids: [UInt64: Identifier] = [:]
        var sequence: UInt64?
        var previous: Digest?
        var stamps: ClosedRange<UInt64>?
        var cellCount: Int?
        var body: (hash: Digest, byteCount: Int, decoded: Int)?
        var seen: LogPosition?
        var chunks: [ChunkName] = []
        var encoding: Encoding? = .plain
        var isEncrypted = false
        var critical: [UInt64] = []

        mutating func read(
            _ key: UInt64,
            from decoder: inout CBORDecoder
        ) throws(CBORError) -> Bool {
            switch key {
            case 0: format = try decoder.unsigned()
            case 1, 2, 3: ids[key] = try decoder.identifier()
            case 4: sequence = try decoder.unsigned()
            case 5: previous = try decoder.digest()
            case 6: stamps = try decoder.stamps()
            case 7: cellCount = try decoder.count()
            case 8:
                try decoder.array(count: 3)
                body = (try decoder.digest(), try decoder.count(), try decoder.count())
            case 9:
                try decoder.array(count: 2)
                seen = LogPosition(
                    epoch: try decoder.identifier(),
                    position: try decoder.unsigned()
                )
            case 10: chunks = try decoder.chunkNames()
            case 11: encoding = Encoding(rawValue: try decoder.nonZero())
            case 12: isEncrypted = try decoder.flag()
            case 13:
                for _ in 0..<(try decoder.nonEmptyArray()) {
                    critical.append(try decoder.unsigned())
                }
            case 32...: return false
            default: throw .unexpected(offset: decoder.offset)
            }
            return true
        }

        func header() throws(ChangeSetError) -> Header {
            if let format, format != Header.format { throw .unknownFormat(format) }
            guard format != nil, let space = ids[1], let device = ids[2], let replica = ids[3],
                let sequence, sequence > 0, let previous, let stamps, let cellCount, let body,
                let seen, let encoding
            else { throw .incomplete }
            let header = Header(
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
                critical: critical
            )
            try header.checkLimits()
            return header
        }
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
    }

    /// The first critical key that this version does not support; nil if it supports all.
    package var unknownCriticalKey: UInt64? {
        critical.first { !(0...11).contains($0) && $0 != 13 }
    }
}

extension CBORDecoder {
    package mutating func digest() throws(CBORError) -> Digest {
        let start = offset
        guard let digest = Digest(bytes: try bytes()) else { throw .unexpected(offset: start) }
        return digest
    }

    package mutating func nonEmptyArray() throws(CBORError) -> Int {
        let start = offset
        let count = try array()
        guard count > 0 else { throw .unexpected(offset: start) }
        return count
    }

    /// Decodes a number whose default, 0, must not be encoded.
    fileprivate mutating func nonZero() throws(CBORError) -> UInt64 {
        let start = offset
        let number = try unsigned()
        guard number > 0 else { throw .unexpected(offset: start) }
        return number
    }

    /// Decodes a flag that is encoded only if true.
    fileprivate mutating func flag() throws(CBORError) -> Bool {
        let start = offset
        guard try bool() else { throw .unexpected(offset: start) }
        return true
    }

    fileprivate mutating func stamps() throws(CBORError) -> ClosedRange<UInt64> {
        let start = offset
        try array(count: 2)
        let low = try unsigned()
        let high = try unsigned()
        guard low <= high else { throw .unexpected(offset: start) }
        return low...high
    }

    fileprivate mutating func chunkNames() throws(CBORError) -> [ChunkName] {
        var names: [ChunkName] = []
        for _ in 0..<(try nonEmptyArray()) {
            try array(count: 2)
            names.append(ChunkName(hash: try digest(), byteCount: try count()))
        }
        return names
    }
}
