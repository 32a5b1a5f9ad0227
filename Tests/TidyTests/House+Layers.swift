extension House {
    /// The most methods that a type has, those of its extensions included.
    static let mostMethods = 60

    /// Types that have more, with their exact number.
    static let toleratedMethods = ["Replica": 318]

    /// Target → its folders from the lowest to the highest.
    static let layers: [String: Layers] = [
        "SyncCore": core,
        "SyncServer": server,
        "SyncCLI": commandLine,
    ]

    private static let engine: Set<String> = [
        "Clock", "CBOR", "Merge", "Keys", "Collections", "Points", "ChangeSet", "SQLite", "Replica",
    ]

    /// The domain knows no storage, and the engine knows no domain but the chunks of Points.
    private static let core = Layers(
        order: [
            ["Clock", "Compression", "Words"],
            ["CBOR", "Keys"],
            ["Merge"],
            ["Collections", "Points"],
            ["ChangeSet", "Places", "Settings"],
            ["Tracks"],
            ["Figures", "Formats"],
            ["SQLite"],
            ["Replica"],
            ["Domain", "Sync"],
        ],
        only: ["SQLite": ["Clock", "Keys"], "Replica": engine, "Sync": engine],
        tolerated: ["Replica": ["Domain", "Tracks"], "Tracks": ["Formats"]]
    )

    private static let server = Layers(
        order: [
            ["HTTP", "Store"],
            ["Auth", "Views"],
            ["Description"],
            ["Routes"],
            ["Tools"],
            [""],
        ],
        tolerated: [
            "HTTP": ["Description"],
            "Auth": ["", "Description"],
            "Description": ["", "Routes"],
            "Routes": [""],
            "Tools": [""],
        ]
    )

    private static let commandLine = Layers(
        order: [
            ["Files", "Measures"],
            ["Pictures"],
            ["Terminal"],
            ["Rows"],
            ["Tracks"],
            ["Editing", "Exporting", "Importing", "Recording", "Syncing"],
            ["Trouble"],
            ["Commands"],
            [""],
        ],
        tolerated: [
            "Files": ["", "Importing"],
            "Measures": ["", "Terminal"],
            "Pictures": ["", "Terminal", "Tracks"],
            "Terminal": [""],
            "Rows": ["", "Commands", "Tracks"],
            "Tracks": ["", "Editing"],
            "Editing": [""],
            "Exporting": [""],
            "Importing": [""],
            "Recording": [""],
            "Syncing": ["", "Commands"],
            "Trouble": [""],
            "Commands": [""],
        ]
    )
}
