internal import SyncCore

extension Problem {
    static let schema = Schema.object(
        [
            "type": .choice(ProblemType.allCases.map(\.rawValue)), "title": .text,
            "status": .integer(400...599), "detail": .text, "instance": .text,
            "head": .count, "server_time": .time, "retry_after": .count,
        ],
        optional: ["head", "server_time", "retry_after"]
    ).named("Problem")
}
