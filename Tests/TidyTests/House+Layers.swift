extension House {
    /// The most methods that a type has, those of its extensions included.
    static let mostMethods = 60

    /// Types that have more, with their exact number.
    static let toleratedMethods: [String: Int] = [:]

    /// Target → its folders from the lowest to the highest.
    static let layers: [String: Layers] = [
        "ProgramKit": Layers(order: [[""]]),
        "SyncCore": core,
        "SyncServer": server,
        "SyncCLI": commandLine,
    ]

    private static let values: Set<String> = [
        "CBOR", "ChangeSet", "Chunks", "Clock", "Collections", "Control", "Identity", "Keys",
        "Merge",
        "Points", "SQLite",
    ]

    /// What stands in the database, without any kind of data.
    private static let engine = values.union(
        ["Identity", "Rows", "Chunks", "Control", "Log"].map { "Replica/" + $0 }
    )

    /// The domain knows no storage, and the engine knows no domain but the chunks of Points.
    private static let core = Layers(
        order: [
            ["Clock", "Compression"],
            ["CBOR", "Keys"],
            ["Merge"],
            ["Identity"],
            ["Collections"],
            ["Chunks"],
            ["Points"],
            ["ChangeSet", "Devices", "Figures", "Places", "Settings", "Spaces"],
            ["Control", "Tracks"],
            ["Domain", "Formats"],
            ["SQLite"],
            ["Replica/Identity", "Replica/Locks"],
            ["Replica/Rows"],
            ["Replica/Chunks"],
            ["Replica/Control"],
            ["Replica/Log", "Replica/Projections"],
            ["Replica/Domain"],
            ["Replica/Enrolment", "Replica/Maintenance"],
            ["Replica"],
            ["Sync"],
        ],
        only: [
            "SQLite": ["Clock", "Keys"],
            "Replica/Identity": values,
            "Replica/Locks": ["Clock"],
            "Replica/Rows": engine,
            "Replica/Chunks": engine,
            "Replica/Control": engine,
            "Replica/Log": engine,
            "Replica/Enrolment": engine.union(["Replica/Domain"]),
            "Sync": engine.union(["Replica", "Replica/Enrolment", "Replica/Maintenance"]),
        ]
    )

    private static let server = Layers(
        order: [
            ["Context", "HTTP", "Store"],
            ["Auth", "OpenAPI", "Store/SQLite", "Views"],
            ["DataFolder", "Routes"],
            ["Serving", "Tools"],
            ["Backups", "Invitations", "Spaces"],
            ["Doctor"],
            [""],
        ],
        only: ["Routes": ["Auth", "OpenAPI", "HTTP", "Store", "Views"]]
    )

    private static let commandLine = Layers(
        order: [
            ["FileSystem", "Measures"],
            ["Context"],
            ["Pictures", "RecordingFiles", "Rows", "Settings", "Syncing"],
            ["Devices"],
            ["Spaces"],
            ["Importing", "Places", "Tracks", "Verdicts"],
            ["Exporting", "Maintenance", "Recording"],
            [""],
        ]
    )
}
