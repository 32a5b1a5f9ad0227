internal import SyncCore

// The schemas of the protocol's JSON messages; members match the properties of the types.

extension EnrolRequest {
    static let schema = Schema.object(
        [
            "token": .base64url(bytes: 32), "device": .identifier,
            "name": .text(byteLimit: RequestLimits.nameBytes), "key": .base64url(bytes: 32),
            "space": .identifier,
        ],
        optional: ["space"]
    ).named("EnrolRequest")
}

extension EnrolReply {
    static let schema = Schema.object(
        [
            "user": .identifier, "device": .identifier, "keyEpoch": .count,
            "deviceKey": .base64url(bytes: 32), "space": .identifier,
            "wrappedKey": .base64url(bytes: InvitationRequest.wrappedKeyByteCount),
            "receipt": .base64url(bytes: 32),
        ],
        optional: ["space", "wrappedKey"]
    ).named("EnrolReply")
}

extension ReadmissionRequest {
    static let schema = Schema.object([
        "user": .identifier, "name": .text(byteLimit: RequestLimits.nameBytes),
        "key": .base64url(bytes: 32), "receipt": .base64url(bytes: 32),
    ]).named("ReadmissionRequest")
}

extension InvitationRequest {
    /// Nonce, epoch, space secret and tag.
    static let wrappedKeyByteCount = 12 + 8 + 32 + 16

    static let schema = Schema.object([
        "kind": .choice(["device"]), "tokenHash": .base64url(bytes: 32),
        "wrappedKey": .base64url(bytes: wrappedKeyByteCount),
        "validSeconds": .integer(1...Int64(RequestLimits.invitationSeconds)),
    ]).named("InvitationRequest")
}

extension DeviceList {
    static let schema = Schema.object([
        "devices": .list(
            of: .object(["id": .identifier, "name": .text, "enrolled": .time, "isRevoked": .flag])
        )
    ]).named("DeviceList")
}

extension SpaceList {
    static let schema = Schema.object([
        "spaces": .list(
            of: .object([
                "id": .identifier, "role": .choice(Role.allCases.map(\.name)), "head": .count,
            ])
        )
    ]).named("SpaceList")
}

extension HeldList {
    static let schema = Schema.object([
        "held": .list(
            of: .object([
                "replica": .identifier, "sequence": .count, "reason": .text, "device": .identifier,
                "device_name": .text, "cells": .count, "received": .time,
            ])
        )
    ]).named("HeldList")
}

extension HeldDecisionRequest {
    static let schema = Schema.object([
        "decision": .choice(HeldDecision.allCases.map(\.rawValue))
    ]).named("HeldDecisionRequest")
}
