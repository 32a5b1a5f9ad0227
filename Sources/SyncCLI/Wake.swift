internal import CMemory
internal import Glibc
import ProgramKit

@main
enum Wake {
    static let program = Program(
        "wake",
        summary:
            "keeps GPS tracks and settings the same on every device, online or offline",
        options: [
            Option("--data DIR", "the replica's folder (WAKE_DATA, else the XDG data folder)"),
            Option("--space NAME", "a space from 'wake spaces list' (default: your own)"),
        ],
        exitCodes: [
            (.success, "done"),
            (.failure, "the command failed, or some items failed"),
            (.usage, "the command line is not valid"),
            (.notFound, "the named track, device, file or other item does not exist"),
            (.attention, "something needs your attention"),
            (.network, "no network, or no server answers; your changes are queued and safe"),
            (.authentication, "access refused, server not trusted, or a fault in the data"),
        ],
        commands: commands,
        describe: UserError.init(describing:)
    )

    /// All commands in the order of the help.
    private static let commands: [Command] = [
        InitCommand.command, JoinCommand.command,
        DevicesListCommand.command, DevicesLinkCommand.command, DevicesRevokeCommand.command,
        RecoveryCommand.command,
        SpacesListCommand.command, SpacesCreateCommand.command, SpacesRenameCommand.command,
        SpacesLeaveCommand.command, InviteCommand.command,
        MembersListCommand.command, MembersRoleCommand.command, MembersRemoveCommand.command,
        SyncCommand.command, RecordCommand.command,
        RecordingPauseCommand.command, RecordingResumeCommand.command, RecordingStopCommand.command,
        RecordingMarkCommand.command,
        ImportCommand.command, ExportCommand.command, StatsCommand.command,
        TracksListCommand.command, TracksShowCommand.command, TracksRenameCommand.command,
        TracksSetCommand.command, TracksDeleteCommand.command, TracksRestoreCommand.command,
        TracksTrimCommand.command, TracksHideCommand.command, TracksSplitCommand.command,
        TracksJoinCommand.command, TracksCopyCommand.command, TracksMoveCommand.command,
        TracksHistoryCommand.command,
        PlacesAddCommand.command, PlacesListCommand.command, PlacesRenameCommand.command,
        PlacesMoveCommand.command, PlacesNotesCommand.command, PlacesDeleteCommand.command,
        PlacesExportCommand.command,
        UndoCommand.command, RedoCommand.command, HistoryCommand.command, ConflictsCommand.command,
        TrashCommand.command, RestoreCommand.command, RowsCommand.command,
        SettingsListCommand.command, SettingsGetCommand.command, SettingsSetCommand.command,
        SettingsResetCommand.command,
        StatusCommand.command,
        RefusedCommand.command, RefusedRetryCommand.command, RefusedDropCommand.command,
        RefusedExportCommand.command,
        AuditCommand.command,
        HeldCommand.command, HeldAdoptCommand.command, HeldDeclineCommand.command,
        FingerprintCommand.command, VerifyCommand.command, DoctorCommand.command,
        SampleCommand.command,
    ]

    /// The presenters of collections that need more than their schema.
    static let presenters: [RowPresenter] = [.track, .place]

    static func main() async {
        // With an arena per thread, malloc would keep the peak memory of every pool thread.
        cmemory_use_one_arena()
        let code = await program.run(CommandLine.arguments.dropFirst(), in: .ofProcess(presenters))
        exit(code.rawValue)
    }
}
