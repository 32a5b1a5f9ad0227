extension CollectionSchema {
    /// The tracks and their fields.
    public static let track = CollectionSchema(
        TrackField.collection,
        noun: "track",
        plural: "tracks",
        "what somebody recorded or imported, as people call and arrange it",
        title: TrackField.name,
        projection: .tracks,
        fields: [
            FieldSchema(TrackField.name, .anyText, "what people call it"),
            FieldSchema(TrackField.sport, .anyText, "the sport"),
            FieldSchema(TrackField.notes, .anyText, "what people wrote about it"),
            FieldSchema(TrackField.colour, .anyText, "its colour on a map"),
            FieldSchema(TrackField.gear, .anyText, "the equipment used"),
            FieldSchema(TrackField.filter, .bool, "false turns the filter of outliers off"),
            FieldSchema(
                TrackField.zone,
                .structure(.clocks),
                "what the clocks showed, as a person says"
            ),
            FieldSchema(
                Text(TrackField.tagPrefix),
                .bool,
                "true where the track has the tag",
                isFamily: true
            ),
            FieldSchema(
                TrackField.start,
                .structure(.start),
                "when it began, and on whose clocks",
                isEdited: false
            ),
            FieldSchema(
                TrackField.status,
                .choice(["recording", "paused", "stopped", "interrupted"]),
                "how its recording stands",
                isEdited: false
            ),
            FieldSchema(TrackField.device, .anyText, "what recorded it", isEdited: false),
            FieldSchema(
                TrackField.laps,
                .structure(.laps),
                "the laps that the device counted",
                isEdited: false
            ),
            FieldSchema(
                TrackField.totals,
                .structure(.totals),
                "what the device added up",
                isEdited: false
            ),
            FieldSchema(
                TrackField.original,
                .structure(.original),
                "the file that it came from",
                isEdited: false
            ),
            FieldSchema(TrackEdits.trimStart, .structure(.sample), "the first sample kept"),
            FieldSchema(
                TrackEdits.trimEnd,
                .structure(.sample),
                "the first sample after those kept"
            ),
            FieldSchema(
                Text(TrackEdits.hidePrefix),
                .structure(.hiding),
                "samples that are left out",
                isFamily: true
            ),
            FieldSchema(
                TrackEdits.parts,
                .structure(.parts),
                "of a split or a join: the samples that it shows",
                role: .origin
            ),
            FieldSchema(
                TrackEdits.supersededBy,
                .structure(.successors),
                "the tracks that take its place",
                role: .rowDecision
            ),
        ]
    )

    /// The samples of tracks.
    public static let points = CollectionSchema(
        TrackField.points,
        noun: "points of a track",
        plural: "points",
        "the samples of a track, a chunk a cell",
        rows: .continuing(TrackField.collection),
        chunks: .samples,
        projection: .tracks,
        fields: [
            FieldSchema(
                "",
                .chunk,
                "`<stream>/<first sample>`: the chunk that begins with it",
                isFamily: true,
                isEdited: false
            )
        ]
    )

    /// The files that tracks were imported from.
    public static let original = CollectionSchema(
        TrackField.original,
        noun: "file of a track",
        plural: "files",
        "the file that a track was imported from, piece by piece",
        rows: .continuing(TrackField.collection),
        chunks: .files,
        fields: [
            FieldSchema(
                "",
                .chunk,
                "`<file>/<offset>`: a piece of the file",
                isFamily: true,
                isEdited: false
            )
        ]
    )

    /// The notes and alarms of tracks.
    public static let mark = CollectionSchema(
        Mark.collection,
        noun: "mark",
        plural: "marks",
        "notes and alarms at instants of a track",
        rows: .continuing(TrackField.collection),
        fields: [
            FieldSchema(
                "",
                .structure(.mark),
                "a note by its id, an alarm by its kind and time",
                isFamily: true,
                isEdited: false
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
        "a range of samples, and whether the way goes on over it",
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
        "start (Unix ms), time (ms) and way (cm) of each lap",
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
    /// A ``Mark``.
    package static let mark = Self(
        "time, text and, of an alarm, what was watched",
        examples: Mark("a", at: UnixTime(milliseconds: 0), id: .zero).value,
        Mark("b", at: UnixTime(milliseconds: 1), id: .zero).value
    ) { Mark("", $0) != nil }
}
