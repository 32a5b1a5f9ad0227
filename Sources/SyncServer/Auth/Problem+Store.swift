internal import SyncCore

extension Problem {
    /// Returns the problem for an error of the store, or any other error unchanged.
    static func describing(_ error: any Error) -> any Error {
        switch error {
        case StoreError.notFound: Problem(.notFound, "the requested item was not found")
        case StoreError.forbidden: Problem(.forbidden, "your role in the space does not allow this")
        case StoreError.tooManySpaces:
            Problem(
                .forbidden,
                "a person may found at most \(StoreLimits.foundedSpaces) shared spaces on this server"
            )
        case StoreError.badToken:
            Problem(.unauthorized, "the link is unknown, already used or expired")
        case StoreError.brokenControls:
            Problem(
                .unavailable,
                "a change of devices or keys was damaged on the server's disk; a device that has it "
                    + "must sync"
            )
        case StoreError.deviceTaken:
            Problem(.fork, "this device is already enrolled: it is a copy, or was copied")
        case StoreError.deviceRevoked: Problem(.unauthorized, "this device was revoked")
        case StoreError.beyondHead(let head):
            Problem(
                .cursorReset,
                "the cursor is beyond the end of the log",
                members: ["head": .number(Int64(head))]
            )
        case let error as DatabaseError: describing(error)
        default: error
        }
    }

    private static func describing(_ error: DatabaseError) -> any Error {
        switch error.kind {
        case .full: Problem(.storageFull, "the server's disk is full; nothing was stored")
        case .busy: Problem(.unavailable, "the server's database is locked")
        case .failing, .readOnly: Problem(.unavailable, "the server cannot write to its disk")
        default: error
        }
    }
}
