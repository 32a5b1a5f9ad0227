import ProgramKit
import SyncCore

enum RecordingStopCommand {
    static let command = Command(
        "recording stop",
        summary: "end the running recording"
    ) { _, context in
        try await RunningRecording.setStatus(.stopped, "ended", context)
    }
}
