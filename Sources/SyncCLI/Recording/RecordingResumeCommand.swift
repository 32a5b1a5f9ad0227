import ProgramKit
import SyncCore

enum RecordingResumeCommand {
    static let command = Command(
        "recording resume",
        summary: "resume a paused recording, in a new segment"
    ) { _, context in
        try await RunningRecording.setStatus(.recording, "resumed", context)
    }
}
