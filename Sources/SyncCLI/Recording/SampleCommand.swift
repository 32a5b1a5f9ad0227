import ProgramKit
import SyncCore

enum SampleCommand {
    static let command = Command(
        "sample",
        summary: "print a synthetic sail as NMEA 0183, for trials",
        options: [
            Option("--seed N", "the random seed; equal seeds give equal output (default: 1)"),
            Option("--seconds N", "the duration, up to a day (default: 600)"),
        ],
        details: "The sail begins on 2026-05-01 at 10:00 UTC, whatever the clock shows."
    ) { arguments, context in
        let seed = try arguments.integer("--seed", in: 0...Int.max) ?? 1
        let seconds = try arguments.integer("--seconds", in: 1...86_400) ?? 600
        let sail = SyntheticSail(seed: UInt64(seed), start: sailStart, seconds: seconds)
        context.output.write(sail.nmea)
        return .success
    }

    /// 2026-05-01T10:00:00Z.
    private static let sailStart = UnixTime(milliseconds: 1_777_629_600_000)
}
