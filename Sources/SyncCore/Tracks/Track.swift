/// A track as lists show it: its row and the totals of its chunks.
public struct Track: Hashable, Sendable {
    /// The id of the track's row.
    public let id: Identifier
    /// The track's name, or nil if nobody named it.
    public let name: String?
    /// The sport.
    public let sport: String?
    /// A person's notes about the track.
    public let notes: String?
    /// The state of its recording, or nil if there is none or this version does not know it.
    public package(set) var status: Status?
    /// The start as written in the row, otherwise the earliest trusted time of a sample.
    public let start: TrackStart?
    /// The latest trusted time of a sample.
    public let finish: UnixTime?
    /// The number of samples, with or without a position.
    public let sampleCount: Int
    /// The number of samples with a position, without those of unmeasured chunks.
    public let pointCount: Int
    /// The distance along the points in metres, without that of unmeasured chunks.
    ///
    /// In a missing chunk it is what the chunk's reference states.
    public let distanceMetres: Double
    /// The smallest box around the points, missing chunks included, or nil if there are none.
    package let box: ChunkSummary.Box?
    /// The number of chunks that have not arrived yet.
    public let missingChunkCount: Int
    /// The number of missing chunks of which only times and box are known.
    ///
    /// Because an edit hides a part of them, a shorter chunk stands in their place, or their author
    /// used another outlier filter.
    public let unmeasuredChunkCount: Int
    /// Whether the track is in the trash.
    public let isDeleted: Bool
    /// Whether the track is shown, or others in its place.
    public let standing: Standing

    /// The state of a track after splits and joins.
    public enum Standing: Int64, Sendable {
        /// Shown like any other track.
        case shown
        /// Split, or joined with others, which are shown in its place.
        case superseded
        /// From a split or a join that was undone, or that lost to another one.
        case alternative
        /// All tracks that it was made from are in the trash.
        case sourceless
    }

    /// The state of a recording.
    public enum Status: String, Sendable {
        /// A recorder adds samples.
        case recording
        /// The recorder waits.
        case paused
        /// The recording ended as intended.
        case stopped
        /// The recorder ended without stopping the recording.
        case interrupted
    }
}

/// The collections and fields of a track.
package enum TrackField {
    package static let collection: Text = "track"
    package static let points: Text = "points"
    /// The name of a collection and of a field.
    ///
    /// The collection holds the pieces of a file in the track's row. The field says which file the
    /// track was imported from (``Original``).
    package static let original: Text = "original"
    package static let name: Text = "name"
    package static let sport: Text = "sport"
    package static let notes: Text = "notes"
    package static let colour: Text = "colour"
    package static let gear: Text = "gear"
    /// A ``TrackStart``.
    package static let start: Text = "start"
    /// The clocks as a person corrected them: the rest of a ``TrackStart``.
    package static let zone: Text = "zone"
    package static let status: Text = "status"
    /// The recording device, as the file names it.
    package static let device: Text = "device"
    /// The laps that the device counted: a list of `[start in Unix ms, ms, cm]`.
    package static let laps: Text = "laps"
    /// The device's own totals.
    ///
    /// Ascent and descent in metres, elapsed and timer time in milliseconds, distance in
    /// centimetres, kilocalories.
    package static let totals: Text = "totals"
    /// The ``TrackLink`` to the track that this one is a copy of.
    package static let copiedFrom: Text = "copiedFrom"

    /// False if a person turned the filter off for the track (``FixRule/off``).
    package static let filter: Text = "filter"

    /// Returns the rule that the track's fixes are filtered by.
    package static func rule(_ cells: [Text: Cell]) -> FixRule {
        cells[filter]?.value.bool == false ? .off : FixRule(sport: cells[sport]?.value.text)
    }

    /// The prefix of the fields that are true if the track has the tag after it.
    package static let tagPrefix = "tag/"

    /// The text fields that a person sets.
    package static let texts: [Text] = [name, sport, notes, colour, gear]

    /// Whether a track made from another one has its field.
    ///
    /// Edits refer to samples of the other one, and so may fields of later versions.
    static func isCopied(_ field: Text) -> Bool {
        texts.contains(field) || [zone, device, filter].contains(field)
            || field.string.hasPrefix(tagPrefix)
    }
}
