import ProgramKit

/// The command table, in the order of the help.
enum Commands {
    static let all: [Command] = [
        initialize, join, devicesList, devicesLink, devicesRevoke, sync, record, recordingPause,
        recordingResume, recordingStop, recordingMark, importFiles, export, stats, tracksList,
        tracksShow,
        tracksRename, tracksSet,
        tracksDelete, tracksRestore, tracksTrim, tracksHide, tracksSplit, tracksJoin, tracksHistory,
        placesAdd, placesList, placesRename, placesMove, placesNotes, placesDelete, placesExport,
        undo, redo, history, conflicts, trash, restore, rows, settingsList, settingsGet,
        settingsSet,
        settingsReset, status, refused, refusedRetry, refusedDrop, refusedExport, held, heldAdopt,
        heldRefuse, fingerprint, verify, doctor, sample,
    ]
}
