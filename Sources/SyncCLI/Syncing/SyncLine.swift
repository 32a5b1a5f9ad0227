import ProgramKit
import SyncCore
internal import Synchronization

/// The status of a running sync: one line on a terminal.
final class SyncLine: Sendable {
    private struct State: Sendable {
        var rounds = 0
        var chunks = 0
        var isDrawn = false
    }

    private let output: Output
    private let state = Mutex(State())

    init(_ context: Context) { output = context.output }

    /// Shows the next action.
    @Sendable func show(_ action: SyncAction) {
        guard output.isErrorTerminal, !output.isQuiet else { return }
        let line = state.withLock { state -> String in
            state.isDrawn = true
            switch action {
            case .send: state.rounds += 1
            case .fetch: state.chunks += 1
            default: break
            }
            return Self.words(for: action, state)
        }
        output.draw(line)
    }

    func end() {
        let wasDrawn = state.withLock { $0.isDrawn }
        if wasDrawn { output.clearDrawnLine() }
    }

    private static func words(for action: SyncAction, _ state: State) -> String {
        switch action {
        case .prepare, .renameReplica: "sync  preparing changes"
        case .send: "sync  exchanging changes, round \(state.rounds)"
        case .take: "sync  merging changes"
        case .rebase: "sync  the history of the server changed; fetching all of it"
        case .offer, .bring: "sync  sending back what the server lacks"
        case .host: "sync  asking the server to host a space"
        case .repair: "sync  comparing with the server"
        case .readmit: "sync  the server does not know this device; presenting a receipt"
        case .listWanted, .fetch: "sync  fetching points, \(state.chunks.counted("chunk"))"
        case .wait: "sync  no answer yet; retrying"
        case .finish: "sync  done"
        }
    }
}
