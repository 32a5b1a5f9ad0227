import ProgramKit
import SyncCore

enum RecordingPauseCommand {
    static let command = Command(
        "recording pause",
        summary: "pause the recording that goes on; its source is read and not kept"
    ) { _, context in
        try await RunningRecording.setStatus(.paused, "paused", context)
    }
}
