internal import SyncCore

extension Problem {
    static let schema = Schema.object(
        [
            "type": .choice(ProblemType.allCases.map(\.rawValue)), "title": .text,
            "status": .integer(400...599), "detail": .text, "instance": .text,
            "head": .count, "server_time": .time, "challenge": .text, "retry_after": .count,
        ],
        optional: ["head", "server_time", "challenge", "retry_after"]
    ).named("Problem")
}
