import ProgramKit

/// The options of an import.
struct ImportMode: Sendable {
    var isDry = false
    var salvages = false
    /// Whether to keep the files themselves (``Setting/keepOriginals``).
    var keepsOriginals = true
    var onDuplicate = OnDuplicate.keep
    /// Whether a track replaces an earlier version of itself, because files are read as they grow.
    var followsGrowth = false
}

/// What to do with a duplicate of an existing track.
///
/// The default keeps both and says so. Two crew members may have recorded the same outing, or one
/// person may have recorded it twice; only the user knows.
enum OnDuplicate: String, CaseIterable, Sendable {
    /// Skip the new track.
    case skip
    /// Import the new track and move the existing one to the trash, unless that holds more data.
    case replace
    /// Import the new track and keep the existing one.
    case keep
}

extension Arguments {
    /// Returns the options of an import.
    func importMode() throws -> ImportMode {
        ImportMode(
            isDry: flag("--dry-run"),
            salvages: flag("--salvage"),
            onDuplicate: try choice("--on-duplicate") ?? .keep,
            followsGrowth: option("--watch") != nil
        )
    }
}
