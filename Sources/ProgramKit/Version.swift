/// What both programs are of.
package enum Version {
    /// As `--version` prints it, and the server's description says it.
    package static let current = "0.1.0"
}
