import ProgramKit
import SyncCore

/// Syncs when this device has new changes, and at intervals to receive those of others.
struct SyncWatch: Sendable {
    /// The interval at which this device checks for unsent changes.
    private static let lookMilliseconds = 1000
    /// The interval between syncs.
    private static let longestPauseMilliseconds: Int64 = 10_000
    /// The interval after an incomplete sync.
    private static let offlinePauseMilliseconds: Int64 = 30_000

    let library: Library
    let client: ServerClient
    let context: Context

    /// Runs until the user stops it or the server rejects this device.
    func run() async throws -> ExitCode {
        let isOver = context.catchInterrupts()
        let authority = try await library.replica.read { try $0.identity.current() }.authority ?? ""
        var last: SyncResult.End?
        context.output.note("syncing with \(authority); press Ctrl-C to stop")
        while !isOver() {
            let report = try await SyncCommand.exchange(library, client, context)
            let end = report.result.end
            tell(report, isNews: end != last)
            last = end
            if case .refused = end { return report.userError?.code ?? .failure }
            try await pause(isOnline: end == .complete, isOver)
        }
        return .success
    }

    private func tell(_ report: SyncReport, isNews: Bool) {
        let result = report.result
        let moved = !result.rows.isEmpty || result.chunks > 0
        let time = context.now().iso8601
        if context.output.isJSON {
            context.output.jsonLine(report.json)
        } else if moved {
            context.output.text("\(time) \(report.text)")
        }
        if isNews, let userError = report.userError {
            context.output.report(userError)
            if case .refused = result.end { return }
            guard result.end != .complete else { return }
            let seconds = Self.offlinePauseMilliseconds / 1000
            context.output.note("retrying every \(seconds) s; your changes stay queued")
        }
        if isNews, report.userError == nil, !moved, !context.output.isJSON {
            context.output.note("\(time) \(report.text.dropLast())")
        }
    }

    /// Waits for the next sync; ends early for unsent changes, unless the last sync was incomplete.
    private func pause(isOnline: Bool, _ isOver: @Sendable () -> Bool) async throws {
        let start = context.uptimeMilliseconds()
        let length = isOnline ? Self.longestPauseMilliseconds : Self.offlinePauseMilliseconds
        while !isOver(), context.uptimeMilliseconds() - start < length {
            try await context.sleep(Self.lookMilliseconds)
            let status = try await library.replica.read { try $0.maintenance.status() }
            if isOnline, status.unsealed + status.queued > 0 { return }
        }
    }
}
