import ProgramKit
import SyncCore

enum RecordingResumeCommand {
    static let command = Command(
        "recording resume",
        summary: "go on with a recording that is paused, in a segment of its own"
    ) { _, context in
        try await RunningRecording.setStatus(.recording, "going on with", context)
    }
}
