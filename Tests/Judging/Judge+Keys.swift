import SyncCore

extension Judge {
    static func key(_ vector: Vector) throws -> Judgement {
        let secret = Secret(bytes: try vector.bytes("secret"))
        var judgement = Judgement()
        judgement.findings["key"] = [.bytes(try derived(from: secret, vector))]
        return judgement
    }

    private static func derived(from secret: Secret, _ vector: Vector) throws -> [UInt8] {
        switch try vector.required("purpose") {
        case "link-token": return try linkSecret(vector).token
        case "link-sign": return try linkSecret(vector).keys.signing.seed.bytes
        case "link-agree": return try linkSecret(vector).keys.agreement.secret.bytes
        case let purpose where purpose.hasPrefix("recovery-"):
            return secret.derive("wake/1/\(purpose)").bytes
        case let purpose:
            let id = try vector.identifier("id")
            let epoch: UInt64 = try vector.integer("epoch")
            guard purpose != "earlier" else {
                let context = epoch.bigEndianBytes
                return secret.derive("wake/1/earlier", salt: id.bytes, context: context).bytes
            }
            let space = SpaceKeys(space: id, secrets: [epoch: secret])
            let device = DeviceKeys(device: id, secrets: [epoch: secret])
            switch purpose {
            case "space-mac": return space.macSecret(epoch: epoch)?.bytes ?? []
            case "device-mac": return device.macSecret(epoch: epoch)?.bytes ?? []
            case "device-request":
                // A request key shows itself by its tags only.
                let expected = try vector.bytes("key")
                let tag = device.requestKey(epoch: epoch)?.tag(of: secret.bytes)
                return tag == MACKey(expected).tag(of: secret.bytes) ? expected : []
            default: throw BadVector(vector: vector.description, field: "purpose")
            }
        }
    }

    private static func linkSecret(_ vector: Vector) throws -> LinkSecret {
        LinkSecret(try vector.identifier("secret"))
    }

    static func link(_ vector: Vector) throws -> Judgement {
        let text = try vector.text("text") ?? String(decoding: vector.bytes("input"), as: UTF8.self)
        guard let link = Link(text) else {
            return Judgement(refused: "malformed")
        }
        var judgement = Judgement()
        let trust: Judgement.Finding =
            if case .pinned(let digest) = link.trust {
                .bytes(digest.bytes)
            } else {
                .text("\(link.trust)")
            }
        judgement.findings = [
            "authority": [.text(link.authority)],
            "secret": [.bytes(link.secret.number.bytes)],
            "trust": [trust],
            "written": [.text(link.description)],
        ]
        if let invitation = link.invitation {
            judgement.findings["space"] = [.bytes(invitation.space.bytes)]
            judgement.findings["index"] = [.text("\(invitation.anchor.index)")]
            judgement.findings["hash"] = [.bytes(invitation.anchor.hash)]
        }
        return judgement
    }
}
