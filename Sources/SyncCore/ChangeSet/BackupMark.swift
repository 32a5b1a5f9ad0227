/// How far a space's log was in the server's last verified backup.
package struct BackupMark: Hashable, Sendable {
    /// The last position that the backup holds.
    package let position: UInt64
    /// When it was made, by the server's wall clock.
    package let time: UnixTime

    package init(position: UInt64, time: UnixTime) {
        self.position = position
        self.time = time
    }
}
