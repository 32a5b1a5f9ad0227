import ProgramKit

/// What a person asked for besides the files.
struct ImportMode: Sendable {
    var isDry = false
    var salvages = false
    /// Whether the files themselves are kept (``Setting/keepOriginals``).
    var keepsOriginals = true
    var onDuplicate = OnDuplicate.keep
    /// Whether a track takes the place of one that it goes on from: a file is looked at while it
    /// grows.
    var followsGrowth = false
}

/// What to do with a track that is like one that is here already.
///
/// The default keeps both and says so: that two people of one crew record the same outing is as
/// likely as that one person does so twice, and only they know.
enum OnDuplicate: String, CaseIterable, Sendable {
    /// Leave the new one out.
    case skip
    /// Take the new one, and put the one that is here into the trash if it tells no more.
    case replace
    /// Take the new one beside the one that is here.
    case keep
}

extension Arguments {
    /// What the options of an import say.
    func importMode() throws -> ImportMode {
        var mode = ImportMode(isDry: flag("--dry-run"), salvages: flag("--salvage"))
        if let choice: OnDuplicate = try choice("--on-duplicate") { mode.onDuplicate = choice }
        return mode
    }
}
