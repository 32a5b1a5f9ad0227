extension CollectionSchema {
    /// The tracks and their fields.
    public static let track = CollectionSchema(
        TrackField.collection,
        noun: "track",
        plural: "tracks",
        "a recorded or imported track, with its name and edits",
        title: TrackField.name,
        projection: .tracks,
        fields: [
            FieldSchema(TrackField.name, .anyText, "the name"),
            FieldSchema(TrackField.sport, .anyText, "the sport"),
            FieldSchema(TrackField.notes, .anyText, "the notes"),
            FieldSchema(TrackField.colour, .anyText, "the colour on a map"),
            FieldSchema(TrackField.gear, .anyText, "the equipment used"),
            FieldSchema(
                TrackField.filter,
                .bool,
                "whether outliers are filtered out; false turns the filter off"
            ),
            FieldSchema(
                TrackField.zone,
                .structure(.clocks),
                "the UTC offset and time zone, corrected by a person"
            ),
            FieldSchema(
                Text(TrackField.tagPrefix),
                .bool,
                "true if the track has the tag",
                isFamily: true
            ),
            .unedited(
                TrackField.start,
                .structure(.start),
                "the start time, with UTC offset and time zone"
            ),
            .unedited(
                TrackField.status,
                .choice(["recording", "paused", "stopped", "interrupted"]),
                "the state of the recording"
            ),
            .unedited(TrackField.device, .anyText, "the recording device"),
            .unedited(TrackField.laps, .structure(.laps), "the laps recorded by the device"),
            .unedited(TrackField.totals, .structure(.totals), "the totals computed by the device"),
            .unedited(TrackField.original, .structure(.original), "the imported file"),
            .unedited(
                TrackField.copiedFrom,
                .structure(.trackLink),
                "the track that this one is a copy of, and its space"
            ),
            FieldSchema(TrackEdits.trimStart, .structure(.sample), "the first sample kept"),
            FieldSchema(
                TrackEdits.trimEnd,
                .structure(.sample),
                "the first sample after the last one kept"
            ),
            FieldSchema(
                Text(TrackEdits.hidePrefix),
                .structure(.hiding),
                "a range of hidden samples",
                isFamily: true
            ),
            FieldSchema(
                TrackEdits.parts,
                .structure(.parts),
                "the samples that the result of a split or join shows",
                role: .origin
            ),
            FieldSchema(
                TrackEdits.supersededBy,
                .structure(.successors),
                "the tracks that replace this one",
                role: .rowDecision
            ),
        ]
    )

    /// The samples of tracks.
    public static let points = CollectionSchema(
        TrackField.points,
        noun: "points of a track",
        plural: "points",
        "the samples of a track; each cell names one chunk",
        rows: .continuing(TrackField.collection),
        projection: .tracks,
        fields: [.everyField(.chunk, "`<stream>/<first sample>`: the chunk that begins with it")]
    )

    /// The files that tracks were imported from.
    public static let original = CollectionSchema(
        TrackField.original,
        noun: "file of a track",
        plural: "files",
        "the original file of an imported track, in pieces",
        rows: .continuing(TrackField.collection),
        fields: [.everyField(.chunk, "`<file>/<offset>`: a piece of the file")]
    )

    /// The notes and alarms of tracks.
    public static let mark = CollectionSchema(
        Mark.collection,
        noun: "mark",
        plural: "marks",
        "notes and alarms at instants of a track",
        rows: .continuing(TrackField.collection),
        fields: [
            .everyField(
                .structure(.mark),
                "a note, named by its id, or an alarm, named by its kind and time"
            )
        ]
    )
}

extension CollectionSchema.Projection {
    /// The list of tracks.
    package static let tracks = Self(name: "tracks")
}

extension FieldType.Structure {
    /// A ``TrackStart``.
    package static let start = Self(
        "an instant, an offset from UTC and a time zone",
        examples: .list([.integer(0), .null, .null]),
        .list([.integer(1), .integer(120), .null])
    ) { TrackStart($0) != nil }
    /// The clocks of a ``TrackStart``.
    package static let clocks = Self(
        "an offset from UTC and a time zone",
        examples: .list([.integer(120), .null]),
        .list([.null, .text("Europe/Amsterdam")])
    ) { value in
        value.list.map { TrackStart(.list([.integer(0)] + $0)) != nil } ?? false
    }
    /// A ``SampleName``.
    package static let sample = Self(
        "the name of a sample",
        examples: .text(SampleName(stream: 1, index: 0).field),
        .text(SampleName(stream: 1, index: 2).field)
    ) { SampleName($0) != nil }
    /// A ``TrackEdits/Hiding``.
    package static let hiding = Self(
        "a range of samples, and whether the distance across it counts",
        examples: TrackEdits.Hiding(SampleRange(), isBridged: true).value,
        TrackEdits.Hiding(SampleRange(), isBridged: false).value
    ) { TrackEdits.Hiding($0) != nil }
    /// A list of ``TrackEdits/Part``.
    package static let parts = Self(
        "ranges of samples of other tracks",
        examples: .list([TrackEdits.Part(Identifier(number: 1)).value]),
        .list([TrackEdits.Part(Identifier(number: 2)).value])
    ) { value in
        value.list.map { $0.allSatisfy { TrackEdits.Part($0) != nil } } ?? false
    }
    /// The successors of a track.
    package static let successors = Self(
        "ids of tracks",
        examples: TrackEdits.value(of: [Identifier(number: 1)]),
        TrackEdits.value(of: [Identifier(number: 2)])
    ) { value in
        value.list.map { $0.allSatisfy { $0.bytes?.count == 16 } } ?? false
    }
    /// The laps that a device counted.
    package static let laps = Self(
        "start (Unix ms), time (ms) and distance (cm) of each lap",
        examples: .list([]),
        .list([.list([.integer(0), .null, .null])])
    ) { $0.list != nil }
    /// The totals of a device.
    package static let totals = Self(
        "elapsed and timer (ms), centimetres, ascent and descent (m), kilocalories",
        examples: .map([:]),
        .map(["ascent": .integer(12)])
    ) { $0.map != nil }
    /// The name, size and hash of a file, and the track that stores it.
    package static let original = Self(
        "name, bytes, sha256 and track of a file",
        examples: .map(["name": .text("a.gpx")]),
        .map(["name": .text("b.gpx")])
    ) { $0.map?["name"]?.text != nil }
    /// A ``TrackLink``.
    package static let trackLink = Self(
        "ids of a space and a track",
        examples: TrackLink(space: .zero, track: Identifier(number: 1)).value,
        TrackLink(space: .zero, track: Identifier(number: 2)).value
    ) { TrackLink($0) != nil }
    /// A ``Mark``.
    package static let mark = Self(
        "time, text and, for an alarm, the watched quantity",
        examples: Mark("a", at: UnixTime(milliseconds: 0), id: .zero).value,
        Mark("b", at: UnixTime(milliseconds: 1), id: .zero).value
    ) { Mark("", $0) != nil }
}
