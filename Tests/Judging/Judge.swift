import SyncCore

/// Asks Wake for its verdict on vectors.
package enum Judge {
    /// The verdict on one vector; throws where the vector itself is at fault.
    package static func judge(_ vector: Vector) throws -> Judgement {
        do {
            return try judgement(of: vector)
        } catch {
            guard let reason = reason(of: error) else { throw error }
            return Judgement(refused: reason)
        }
    }

    /// Why something was refused, as the files name it; nil for an error of another kind.
    static func reason(of error: any Error) -> String? {
        switch error {
        case let error as CBORError: error.reason
        case let error as ChangeSetError: error.reason
        case let error as ControlError: error.reason
        case let error as ChunkError: error.reason
        case let error as SignatureError: error.reason
        default: nil
        }
    }

    /// The kinds that only a server can judge.
    package static let serverKinds: Set = ["chain", "challenge", "server-key"]

    private static func judgement(of vector: Vector) throws -> Judgement {
        switch vector.kind {
        case "value": try value(vector)
        case "header": try header(vector)
        case "body": try body(vector)
        case "upload": try upload(vector)
        case "chunk": try chunk(vector)
        case "reference": try reference(vector)
        case "log-entry": try logEntry(vector)
        case "push-item": try pushItem(vector)
        case "receipt": try receipt(vector)
        case "fingerprint": try fingerprint(vector)
        case "key": try key(vector)
        case "signature-base": try signatureBase(vector)
        case "request": try request(vector)
        case "link": try link(vector)
        case "control-set": try controlSet(vector)
        case "control-chain": try controlChain(vector)
        case "answer": try answer(vector)
        case "enrol-request": try enrolRequest(vector)
        case "enrol-reply": try enrolReply(vector)
        case "refill-item": try refillItem(vector)
        case "enrol-proof": try enrolProof(vector)
        default: try identityJudgement(of: vector)
        }
    }

    private static func identityJudgement(of vector: Vector) throws -> Judgement {
        switch vector.kind {
        case "id": try id(vector)
        case "card": try card(vector)
        case "vouch": try vouch(vector)
        case "user-proof": try userProof(vector)
        case "head": try head(vector)
        case "recovery-code": try recoveryCode(vector)
        case "wrap": try wrap(vector)
        case "earlier": try earlier(vector)
        default: throw BadVector(vector: vector.description, field: "kind")
        }
    }
}

extension CBORError {
    var reason: String {
        switch self {
        case .truncated: "truncated"
        case .unexpected: "unexpected"
        case .notShortest: "not-shortest"
        case .notFinite: "not-finite"
        case .tooLarge: "too-large"
        case .invalidText: "invalid-text"
        case .keysNotAscending: "keys-not-ascending"
        case .tooDeep: "too-deep"
        case .trailingBytes: "trailing-bytes"
        }
    }
}

extension ChangeSetError {
    var reason: String {
        switch self {
        case .lost: "lost"
        case .encoding(let error): error.reason
        case .incomplete: "incomplete"
        case .unknownFormat: "unknown-format"
        case .badMAC: "bad-mac"
        case .unknownKeyEpoch: "unknown-key-epoch"
        case .unknownCriticalKey: "unknown-critical-key"
        case .wrongBody: "wrong-body"
        case .wrongCellCount: "wrong-cell-count"
        case .repeatedCell: "repeated-cell"
        case .wrongChunks: "wrong-chunks"
        case .unknownControls, .noCard, .beyondCut, .notAllowed: "not-admitted"
        case .tooLarge: "too-large"
        case .tooManyCells: "too-many-cells"
        }
    }
}

extension ControlError {
    var reason: String {
        switch self {
        case .malformed(let error): error.reason
        case .unknownAction: "unknown-action"
        case .wrongBody: "wrong-body"
        case .badSignature: "bad-signature"
        case .stale: "stale"
        case .forbidden(let rule): "forbidden-\(rule.rawValue)"
        }
    }
}

extension ChunkError {
    var reason: String {
        switch self {
        case .tooLarge: "too-large"
        case .unknownEncoding: "unknown-encoding"
        case .otherKind: "other-kind"
        case .badCompression: "bad-compression"
        case .truncated: "truncated"
        case .tooMany: "too-many"
        case .noContent: "no-content"
        case .notCanonical: "not-canonical"
        case .trailingBytes: "trailing-bytes"
        case .malformed: "malformed"
        }
    }
}

extension SignatureError {
    var reason: String {
        switch self {
        case .missing: "missing"
        case .malformed: "malformed"
        case .badSignature: "bad-signature"
        case .badDigest: "bad-digest"
        case .skewed: "skewed"
        }
    }
}
