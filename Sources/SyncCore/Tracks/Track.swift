/// A track as lists show it: its row, and what its chunks add up to.
public struct Track: Hashable, Sendable {
    /// The row.
    public let id: Identifier
    /// What a person called it; nil where nobody did.
    public let name: String?
    /// The kind of sport.
    public let sport: String?
    /// What a person wrote of it.
    public let notes: String?
    /// How its recording stands; nil where a program that knows other states wrote it.
    public package(set) var status: Status?
    /// When it began: as written, else the time of its first sample.
    public let start: TrackStart?
    /// The time of its last sample.
    public let finish: UnixTime?
    /// Samples, with or without a position.
    public let sampleCount: Int
    /// Samples with a position, of the chunks that are here.
    public let pointCount: Int
    /// Metres along the points, of the chunks that are here.
    public let distanceMetres: Double
    /// The smallest box around the points, also of chunks that did not arrive yet; nil without any.
    package let box: ChunkSummary.Box?
    /// Chunks that did not arrive yet.
    public let missingChunkCount: Int
    /// Whether it lies in the trash.
    public let isDeleted: Bool
    /// Whether it is shown, or others in its place.
    public let standing: Standing

    /// How a track stands to those that it was split into or joined with.
    public enum Standing: Int64, Sendable {
        /// It is a track like any other.
        case shown
        /// Others show what it is: it was split, or joined with others.
        case superseded
        /// It came from a split or a join that is undone, or that another one was written over.
        case alternative
        /// All that it is made of lies in the trash.
        case sourceless
    }

    /// How a recording stands.
    public enum Status: String, Sendable {
        /// A recorder adds to it.
        case recording
        /// A recorder waits.
        case paused
        /// It ended as it should.
        case stopped
        /// Its recorder went away without a word.
        case interrupted
    }
}

/// The collections and fields that make a track (`design.md`, section 3).
package enum TrackField {
    package static let collection: Text = "track"
    package static let points: Text = "points"
    /// A collection, the track's row in it holding the pieces of a file, and a field of the track,
    /// saying which file it came from (``Original``).
    package static let original: Text = "original"
    package static let name: Text = "name"
    package static let sport: Text = "sport"
    package static let notes: Text = "notes"
    package static let colour: Text = "colour"
    package static let gear: Text = "gear"
    /// A ``TrackStart``.
    package static let start: Text = "start"
    /// What a person says that the clocks showed: the rest of a ``TrackStart``.
    package static let zone: Text = "zone"
    package static let status: Text = "status"
    /// What recorded it, as its file says.
    package static let device: Text = "device"
    /// The laps that the device counted: a list of `[start in Unix ms, ms, cm]`.
    package static let laps: Text = "laps"
    /// What the device added up: ascent and descent in metres, elapsed and timer in milliseconds,
    /// centimetres, kilocalories.
    package static let totals: Text = "totals"

    /// False where a person believes every fix of the track (``FixRule/off``).
    package static let filter: Text = "filter"

    /// What the fixes of a track are judged by.
    package static func rule(_ cells: [Text: Cell]) -> FixRule {
        cells[filter]?.value.bool == false ? .off : FixRule(sport: cells[sport]?.value.text)
    }

    /// Begins the name of a field that is true where a track has the tag after it.
    package static let tagPrefix = "tag/"

    /// The fields that a person sets as text.
    package static let texts: [Text] = [name, sport, notes, colour, gear]
}
