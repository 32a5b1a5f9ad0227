import SyncCore

extension Judge {
    static func enrolRequest(_ vector: Vector) throws -> Judgement {
        let request = try EnrolRequest(decoding: vector.bytes("input"))
        var judgement = Judgement(encoded: request.encoded)
        judgement.findings = [
            "challenge": request.challenge.map { [.text($0)] } ?? [],
            "token": request.token.map { [.bytes($0)] } ?? [],
            "signer": request.proofs.map { .bytes($0.signer.bytes) },
            "space": request.space.map { [.bytes($0.bytes)] } ?? [],
            "known": [.text("\(request.known)")],
            "items": [.text("\(request.items.count)")],
            "name": request.name.map { [.text($0)] } ?? [],
            "device": request.device.map { [.bytes($0.bytes)] } ?? [],
            "key-epoch": [.text("\(request.keyEpoch)")],
        ]
        return judgement
    }

    static func enrolReply(_ vector: Vector) throws -> Judgement {
        let reply = try EnrolReply(decoding: vector.bytes("input"))
        var judgement = Judgement(encoded: reply.encoded)
        judgement.findings = [
            "challenge": [.text(reply.challenge)],
            "space": reply.space.map { [.bytes($0.bytes)] } ?? [],
            "controls": [.text("\(reply.controls.count)")],
            "wraps": reply.wraps.map { [.bytes($0)] } ?? [],
            "result": reply.results.map { .text($0.written) },
            "key-epoch": reply.key.map { [.text("\($0.epoch)")] } ?? [],
            "device-secret": reply.key.map { [.bytes($0.secret.bytes)] } ?? [],
        ]
        return judgement
    }

    static func refillItem(_ vector: Vector) throws -> Judgement {
        Judgement(encoded: try RefillItem(decoding: vector.bytes("input")[...]).encoded)
    }

    static func enrolProof(_ vector: Vector) throws -> Judgement {
        let isValid = try proof(in: vector).verifies(
            with: vector.publicKey("key"),
            challenge: vector.required("challenge"),
            authority: vector.required("authority")
        )
        return isValid ? Judgement() : Judgement(refused: "bad-signature")
    }

    /// The signature as it travels, in a request.
    private static func proof(in vector: Vector) throws -> EnrolProof {
        var encoder = CBOREncoder()
        encoder.map(1)
        encoder.unsigned(2)
        encoder.array(1)
        encoder.array(2)
        encoder.bytes(try vector.bytes("signer"))
        encoder.bytes(try vector.bytes("input"))
        return try EnrolRequest(decoding: encoder.bytes).proofs[0]
    }
}

extension PushResult {
    fileprivate var written: String {
        switch self {
        case .judged(let position, let verdict, ""): "0 \(position) \(verdict.rawValue)"
        case .judged(let position, let verdict, let reason):
            "0 \(position) \(verdict.rawValue) \(reason)"
        case .failed(let problem, let sequence): "1 \(problem) \(sequence)"
        }
    }
}
