extension ReplicaPart {
    package var copies: TrackCopies { TrackCopies(context: context) }
    package var devices: Devices { Devices(context: context) }
    package var editing: TrackEditing { TrackEditing(context: context) }
    package var imports: TrackImports { TrackImports(context: context) }
    /// Notes and alarms on tracks.
    public var marks: Marks { Marks(context: context) }
    package var originals: Originals { Originals(context: context) }
    package var places: Places { Places(context: context) }
    /// Tracks while they are recorded.
    public var recordings: Recordings { Recordings(context: context) }
    /// The settings of the user.
    public var settings: Settings { Settings(context: context) }
    /// Tracks as people see them.
    public var tracks: Tracks { Tracks(context: context) }
}
