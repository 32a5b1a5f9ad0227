import ProgramKit
import SyncCore

enum RecordingPauseCommand {
    static let command = Command(
        "recording pause",
        summary: "pause the running recording",
        details: "The recorder continues to read its source, but stores nothing."
    ) { _, context in
        try await RunningRecording.setStatus(.paused, "paused", context)
    }
}
