/// The part of a space's log that is in the server's last verified backup.
package struct BackupMark: Hashable, Sendable {
    package let position: UInt64
    /// The time of the backup by the server's wall clock.
    package let time: UnixTime

    package init(position: UInt64, time: UnixTime) {
        self.position = position
        self.time = time
    }
}
