extension ReliabilityCases {
    static let tracks = [
        Case("T1", "a recorder dies: at most the last second is lost"),
        Case("T2", "chunks and tracks arrive in any order"),
        Case("T3", "two devices record one outing: two tracks, never merged by itself"),
        Case("T4", "one file imported on two devices: one track"),
        Case("T5", "trimmed here, renamed there: both hold"),
        Case("T6", "split here, a range across the cut deleted there"),
        Case("T7", "two different splits: one counts, the other is kept beside it"),
        Case("T8", "joined here, a source deleted there"),
        Case("T9", "points that arrive after a split: they fall into its last part"),
        Case("T10", "a damaged chunk: refused, and fetched again"),
        Case("T11", "a device dies while it records: the track is shown as interrupted"),
        Case("T12", "fifty hours at a fix a second and more: bounded memory"),
        Case("T13", "a file comes again after a rename or a deletion: those stay"),
        Case("T14", "splits against joins, and cycles: every metre counts once"),
    ]

    static let records = [
        Case("R1", "the track of a record is deleted and restored: the list follows"),
        Case("R2", "three bests on one day: one counts"),
        Case("R3", "one device computes by newer rules: no flicker"),
        Case("R4", "a device without points shows what others computed"),
        Case("R5", "equal records: one order everywhere"),
        Case("R6", "a member leaves: the club's records follow its rule"),
        Case("L1", "one element moved on two devices: it is there once"),
        Case("L2", "two elements put in one place: one order everywhere"),
        Case("L3", "ten thousand put at the head: keys stay short"),
        Case("G1", "a value of another version: kept, not used"),
        Case("G2", "settings that belong together: no merge makes a wrong pair"),
        Case("G3", "a fresh device's defaults overwrite nothing"),
    ]

    static let versions = [
        Case("V1", "what an older program does not know: kept, relayed, used after an upgrade"),
        Case("V2", "an older program edits a thing with unknown fields: they survive"),
        Case("V3", "a field of another type: a new field beside the old one"),
        Case("V4", "an upgrade breaks off; an older program meets a newer file"),
        Case("V5", "files of every released version open and sync"),
        Case("V6", "a poisoned value blocks nothing, and no name reaches SQL"),
    ]

    static let trust = [
        Case("A1", "removed while offline: held, to be adopted or exported"),
        Case("A2", "a role goes down, up and down: verdicts by the server's order"),
        Case("A3", "back-dated after a role was lost: refused all the same"),
        Case("A4", "a viewer writes: refused"),
        Case("A5", "a member signs for another's device: refused"),
        Case("A6", "the server alters a value: members see it, and keep it out"),
        Case("A7", "the server keeps sets back: the gap shows"),
        Case("A8", "an old request again: refused"),
        Case("A9", "the last owner leaves"),
        Case("A10", "a link was used, has expired or was taken back"),
        Case("A11", "two admins remove each other: the server's order decides"),
        Case("A12", "bombs, giant counts, deep nesting: refused in bounded memory"),
        Case("A13", "a quota is used up: held, and reading goes on"),
        Case("A14", "the key changes while someone is away"),
        Case("A15", "a member's tag is broken: listed at every reader, all else goes on"),
        Case("A16", "the server invents a key: nobody follows it"),
        Case("A17", "a removed member writes on: held, under a quota, and reads nothing"),
        Case("A18", "one member's settings are never another's"),
    ]

    static let storage = [
        Case("K1", "compacted or not, at every cut: the same state"),
        Case("K2", "a crash while compacting"),
        Case("K3", "compacting beside pushes, pulls and first syncs"),
        Case("K4", "a set without its body still verifies"),
        Case("K5", "undo beyond what is kept: said so"),
        Case("K6", "a damaged replica: found, unsent work saved, built again"),
        Case("K7", "a full disk on a device: refused cleanly, the recording goes on"),
    ]

    static let encryption = [
        Case("E1", "the key is lost and no recovery code is there"),
        Case("E2", "a copy repeats a sequence: no nonce is used twice"),
        Case("E3", "who was removed reads nothing that comes later"),
        Case("E4", "a wrong key: what cannot be opened waits"),
        Case("E5", "members of an encrypted space compare among themselves"),
    ]
}
