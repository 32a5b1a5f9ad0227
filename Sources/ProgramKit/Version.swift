/// The version of both programs.
package enum Version {
    /// Printed by `--version` and stated in the server's description.
    package static let current = "0.1.0"
}
