extension ReliabilityCases {
    /// Cases without a test, and why.
    ///
    /// Each stands here until something that it speaks of is built; then it gets its test.
    static let pending = [
        "I4": noBundles,
        "S6": noCompaction,
        "N8": "there are no snapshots yet: a new device reads the log",
        "N9": "there are no live events yet: `wake sync --watch` asks every ten seconds",
        "V5": "nothing is released yet: there are no older files",
        "M8": "nothing is ever purged yet",
        "R1": noRecords,
        "R2": noRecords,
        "R3": noRecords,
        "R4": noRecords,
        "R5": noRecords,
        "R6": noRecords,
        "L1": noLists,
        "L2": noLists,
        "L3": noLists,
        "A13": "there are no quotas yet",
        "K2": noCompaction,
        "K3": noCompaction,
        "K5": "nothing of the history is dropped yet",
        "E1": noEncryption,
        "E2": noEncryption,
        "E3": noEncryption,
        "E5": noEncryption,
    ]

    private static let noBundles = "there are no bundles and no sync without a server yet"
    private static let noCompaction = "nothing is compacted yet: every body is kept"
    private static let noRecords = "there are no records yet"
    private static let noLists = "there are no dashboards yet"
    private static let noEncryption = "spaces are not encrypted yet"

    /// What the tests of a case do not cover, because it is not built.
    static let remarks = [
        "C9": "the server does not warn when most devices disagree with its clock",
        "C10": "there are no records yet, whose day would depend on the zone",
        "I5": "no old replica is retired: nothing is purged yet",
        "M11": "more than a set takes, 32,768 cells or 1 MiB, is sealed in parts",
        "S8": "the log of all spaces is one file, which is refused as a whole when it is damaged",
        "S10": "there is one version of the protocol yet",
        "S11": "no body is dropped yet, so that no set is taken without it",
        "S12": "a removal from a shared space is not in the file that survives a restore",
        "N10": "a device that watches asks at a fixed pace: only failed attempts are spread",
        "N6": "a proxy that takes less than the server is waited out, nothing is cut smaller",
        "M9": "no mass deletion is asked about before it is done",
        "T3": "nobody proposes to join the two",
        "T11": "until the device itself starts again, others see it as recording",
        "T12": "the test records four hours by day, and eighteen at night",
        "V4": "an older program refuses a newer file, also for reading",
        "A7": "only `wake verify` looks for gaps; a chain that merely ends early is not found",
        "K1": "the reader's side alone: nothing is compacted yet",
        "K4": "the reader's side alone: no body is dropped yet",
        "K7": "there is no reserve file: what was not stored is told",
    ]
}
