/// The list of failures that Wake must survive, in our words.
enum ReliabilityCases {
    /// One failure and the right behaviour.
    struct Case: Sendable {
        /// A letter and a number, such as `C1`: the first word of the name of each of its tests.
        let id: String
        let meaning: String

        init(_ id: String, _ meaning: String) {
            self.id = id
            self.meaning = meaning
        }
    }

    /// The cases of one topic.
    struct Section: Sendable {
        let title: String
        let cases: [Case]
    }

    static let sections = [
        Section(title: "Clocks", cases: clocks),
        Section(title: "Identity", cases: identity),
        Section(title: "The server's history", cases: history),
        Section(title: "Network", cases: network),
        Section(title: "Merging and deleting", cases: merging),
        Section(title: "Tracks", cases: tracks),
        Section(title: "Records, lists, settings", cases: records),
        Section(title: "Versions", cases: versions),
        Section(title: "Roles and trust", cases: trust),
        Section(title: "Compaction and storage", cases: storage),
        Section(title: "Encryption", cases: encryption),
    ]

    /// Every case, in the order of the page.
    static let all = sections.flatMap(\.cases)

    private static let clocks = [
        Case("C1", "a device is an hour ahead: its edits get right stamps, none is lost"),
        Case("C2", "a device is ten years ahead, then right again: nobody else notices"),
        Case("C3", "a device lives in 1970: its edits are moved forward and count"),
        Case("C4", "the clock jumps back: stamps go on upward"),
        Case("C5", "a restart between edit and sync: the order of edits stays"),
        Case("C6", "more than 65,536 writes in a millisecond: the counter carries"),
        Case("C7", "one set of a batch is from the future: only that one is refused"),
        Case("C8", "two writes with one stamp: the same one wins everywhere"),
        Case("C9", "the server is a day off and then put right: nobody is locked out"),
        Case("C10", "another time zone, summer time: the order of edits is the same"),
        Case("C11", "a cell lies ahead because the server once did: later edits win over it"),
        Case("C12", "a corrected stamp never falls below what its author had seen there"),
    ]

    private static let identity = [
        Case("I0", "the server is behind or its answer was lost: no fork, the rest is pushed"),
        Case("I1", "an old copy of the database is put back: it takes a new replica id"),
        Case("I2", "the guard file is put back with it: the server's head gives it away"),
        Case("I3", "two copies of one device live on: both keep all they wrote"),
        Case("I4", "two copies meet without a server: the double names are shown"),
        Case("I5", "a device is wiped and joins again: it is new, and has everything"),
        Case("I6", "two devices with one id: the second is not let in"),
        Case("I7", "a disk lost what it said was stored: the server's word counts"),
        Case("I8", "several programs on one database: no name is given twice"),
        Case("I9", "another person's link on a joined device: nothing mixes, nothing goes"),
        Case("I10", "a device's key leaks: revoked, what it signs is void, the person re-enrols"),
        Case("I11", "server and device are both put back: all is pushed, forks are merged"),
        Case("I12", "a set under another device's replica id: refused, the owner unharmed"),
        Case("I13", "two copies of one device record at once: every sample of both is kept"),
    ]

    private static let history = [
        Case("S1", "restored by the command: a new epoch, and members bring back the rest"),
        Case(
            "S2",
            "an old file put back without a word: healed alike, and reported as two histories"
        ),
        Case("S3", "a wiped server: rebuilt from its members' devices"),
        Case("S4", "two histories of one server: the sets of both are kept, and both are reported"),
        Case("S5", "members come back over weeks: it heals a piece at a time"),
        Case("S6", "bodies are gone everywhere but in a snapshot: the state comes from there"),
        Case("S7", "a chunk is missing at the server: it asks who has it"),
        Case("S8", "the database of one space is damaged: the others go on"),
        Case("S9", "the disk is full: nothing is half stored, devices wait"),
        Case("S10", "an older server meets a newer file: refused, and the protocol stays served"),
        Case("S11", "a member refills what was never accepted or is forged: judged anew, refused"),
        Case("S12", "an old copy of the store lets nobody back in who was shut out"),
        Case("S13", "a new epoch while work is unsent: nothing looks lost in between"),
    ]

    private static let network = [
        Case("N1", "the answer is lost after the commit: the same verdict the next time"),
        Case("N2", "requests come twice or in another order: no harm"),
        Case("N3", "a body breaks off, a client dribbles or falls silent: nothing is half done"),
        Case("N4", "errors, limits, a login page: waited out, the queue stays"),
        Case("N5", "a signature has expired: signed anew, the queue stays"),
        Case("N6", "too much for one request: cut between sets; one value too large is refused"),
        Case("N7", "a first sync breaks off at any byte: it goes on from there"),
        Case("N8", "a newer snapshot appears: the old one stays good for a while"),
        Case("N9", "live events stop without a word: noticed, and asked for"),
        Case("N10", "everyone comes back at once: waits are spread"),
        Case("N11", "pushing fails for ever: pulling goes on, and the other way round"),
        Case("N12", "no loop goes on without progress"),
        Case("N13", "one poisoned item among good ones: the good ones get their verdicts"),
    ]

    private static let merging = [
        Case("M1", "one field on two devices: one winner, the loser in the history"),
        Case("M2", "two fields on two devices: both"),
        Case("M3", "an edit against a deletion: deleted, and restored with the edit"),
        Case("M4", "deleted, restored and deleted at once in several places: one outcome"),
        Case("M5", "deleted and made again in one go: it is there"),
        Case("M6", "made and deleted within one page: a fresh device has it in the trash"),
        Case("M7", "six or eighteen months offline: overwrites nothing newer, loses nothing"),
        Case("M8", "a replica from before the last purge"),
        Case("M9", "everything deleted by mistake: all of it comes back"),
        Case("M10", "a part arrives before its whole: it waits and is used"),
        Case("M11", "fields written together are seen together"),
        Case("M12", "odd values come through bit for bit"),
        Case("M13", "sets applied twice, pages cut anywhere: the same state"),
        Case("M14", "edits from before a pull and after it are sealed apart"),
    ]
}
