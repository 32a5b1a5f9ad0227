import SyncCore

extension Judge {
    static func header(_ vector: Vector) throws -> Judgement {
        let header = try Header(decoding: vector.bytes("input")[...])
        var judgement = Judgement(encoded: header.encoded)
        judgement.findings = [
            "space": [.bytes(header.space.bytes)],
            "device": [.bytes(header.device.bytes)],
            "replica": [.bytes(header.replica.bytes)],
            "sequence": [.text("\(header.sequence)")],
            "previous": [.bytes(header.previous.bytes)],
            "low": [.text("\(header.stamps.lowerBound)")],
            "high": [.text("\(header.stamps.upperBound)")],
            "cells": [.text("\(header.cellCount)")],
            "encoding": [.text("\(header.encoding.rawValue)")],
            "chunk": header.chunks.map { .text("\($0.byteCount) \($0.hash)") },
            "log": [.bytes(header.seen.position.epoch.bytes)],
            "position": [.text("\(header.seen.position.position)")],
            "link": [.bytes(header.seen.chain.bytes)],
            "controls": [.text("\(header.seen.controls)")],
            "index": [.text(header.control.map { "\($0.index)" } ?? "none")],
            "before": header.control.map { [.bytes($0.previous.bytes)] } ?? [],
        ]
        return judgement
    }

    static func body(_ vector: Vector) throws -> Judgement {
        let header = try Header(decoding: headerOfBody(vector)[...])
        let changes = try Body.decode(vector.bytes("input"), for: header).changes
        var judgement = Judgement(
            encoded: Body.encode(changes, from: header.stamps.lowerBound).bytes
        )
        judgement.findings["cell"] = changes.map { .bytes($0.fingerprintPreimage) }
        return judgement
    }

    /// A header of which only what a body is checked against means something.
    private static func headerOfBody(_ vector: Vector) throws -> [UInt8] {
        let (none, zero) = (Identifier.zero.bytes, Digest.zero.bytes)
        let chunks = try vector.numberedBytes("chunk")
        let numbers: [UInt64] = try ["low", "high", "cells"].map { try vector.integer($0) }
        var header = CBOREncoder()
        header.map(chunks.isEmpty ? 10 : 11)
        let fields: [(inout CBOREncoder) throws -> Void] = [
            { $0.unsigned(1) },
            { $0.bytes(none) },
            { $0.bytes(none) },
            { $0.bytes(try vector.bytes("replica")) },
            { $0.unsigned(1) },
            { $0.bytes(zero) },
            { $0.list([.integer(Int64(numbers[0])), .integer(Int64(numbers[1]))]) },
            { $0.unsigned(numbers[2]) },
            { $0.list([.bytes(zero), .integer(0), .integer(0)]) },
            { $0.list([.bytes(none), .integer(0), .bytes(zero), .integer(0)]) },
            { $0.list(chunks.map { .list([.bytes($0.bytes), .integer(Int64($0.number))]) }) },
        ]
        for (key, write) in fields.prefix(chunks.isEmpty ? 10 : 11).enumerated() {
            header.unsigned(key)
            try write(&header)
        }
        return header.bytes
    }

    /// Both MACs; then, where there is a body, as the server and as a member opens it.
    static func upload(_ vector: Vector) throws -> Judgement {
        let upload = try Upload(parsing: vector.bytes("input"))
        let space = SpaceKeys(
            space: try vector.identifier("space"),
            secrets: try secrets(vector, "space-secret")
        )
        let device = DeviceKeys(
            device: try vector.identifier("device"),
            secrets: try secrets(vector, "device-secret")
        )
        guard let macs = upload.macs else { throw ChangeSetError.incomplete }
        let outer = try verified(macs.outer, .device, device.macKey)
        let inner = try verified(macs.inner, .space, space.macKey)
        let sealed = Envelope.seal(
            Array(macs.inner.payload),
            with: inner,
            epoch: macs.inner.keyEpoch,
            for: .space
        )
        var judgement = Judgement(
            encoded: Envelope.seal(
                sealed,
                with: outer,
                epoch: macs.outer.keyEpoch,
                for: .device
            )
        )
        judgement.findings["hash"] = [.bytes(upload.hash.bytes)]
        guard vector.text("body") != nil else { return judgement }
        let body = try vector.bytes("body")
        _ = try ChangeSet(relaying: upload, body: body, from: device)
        let set = try ChangeSet(opening: upload, body: body, with: space)
        judgement.findings["cell"] = set.changes.map { .bytes($0.fingerprintPreimage) }
        return judgement
    }

    private static func secrets(_ vector: Vector, _ name: String) throws -> [UInt64: Secret] {
        Dictionary(
            uniqueKeysWithValues: try vector.numberedBytes(name).map {
                ($0.number, Secret(bytes: $0.bytes))
            }
        )
    }

    private static func verified(
        _ envelope: Envelope,
        _ domain: Envelope.Domain,
        _ keyOfEpoch: (UInt64) -> MACKey?
    ) throws -> MACKey {
        guard let key = keyOfEpoch(envelope.keyEpoch) else {
            throw ChangeSetError.unknownKeyEpoch(envelope.keyEpoch)
        }
        guard envelope.verifies(with: key, for: domain) else { throw ChangeSetError.badMAC }
        return key
    }
}

extension Judge {
    static func logEntry(_ vector: Vector) throws -> Judgement {
        let entry = try LogEntry(decoding: vector.bytes("input")[...])
        var judgement = Judgement(encoded: entry.encoded)
        judgement.findings = [
            "position": [.text("\(entry.position)")], "receipt": [.bytes(entry.receipt)],
            "signature": entry.headSignature.map { [.bytes($0.bytes)] } ?? [],
            "reason": [.text(entry.reason)],
        ]
        if case .set(_, let verdict) = entry.content {
            judgement.findings["verdict"] = [.text("\(verdict.rawValue)")]
        }
        return judgement
    }

    static func pushItem(_ vector: Vector) throws -> Judgement {
        Judgement(encoded: try PushItem(decoding: vector.bytes("input")[...]).encoded)
    }

    static func receipt(_ vector: Vector) throws -> Judgement {
        let name = SetName(
            space: try vector.identifier("space"),
            replica: try vector.identifier("replica"),
            sequence: try vector.integer("sequence"),
            hash: try vector.digest("hash")
        )
        guard let verdict = Verdict(rawValue: try vector.integer("verdict")) else {
            throw BadVector(vector: vector.description, field: "verdict")
        }
        let signed = name.judged(verdict)
        guard MACKey(try vector.bytes("key")).verifies(try vector.bytes("input"), of: signed)
        else { return Judgement(refused: "bad-mac") }
        var judgement = Judgement()
        judgement.findings["signed"] = [.bytes(signed)]
        return judgement
    }
}

extension CBOREncoder {
    fileprivate mutating func list(_ values: [Value]) {
        value(.list(values))
    }
}
