import Foundation
@testable import SyncCore
import Testing

/// The codes are those of sqlite.org/rescode.html.
@Suite struct DatabaseErrorTests {
    @Test(arguments: [ENOSPC, EDQUOT])
    func `a write without room is full, an fsync without room is not`(reason: Int32) {
        let (write, fsync, folderFsync): (Int32, Int32, Int32) = (778, 1034, 1290)
        #expect(DatabaseError.isFull(write, reason: reason))
        #expect(!DatabaseError.isFull(fsync, reason: reason))
        #expect(!DatabaseError.isFull(folderFsync, reason: reason))
    }

    @Test func `room that lacks for the index is told without a reason`() {
        let (index, write, constraint): (Int32, Int32, Int32) = (4874, 778, 19)
        #expect(DatabaseError.isFull(index, reason: 0))
        #expect(!DatabaseError.isFull(write, reason: EIO))
        #expect(!DatabaseError.isFull(constraint, reason: ENOSPC))
    }
}
