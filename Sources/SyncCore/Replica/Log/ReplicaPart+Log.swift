extension ReplicaPart {
    package var backfill: Backfill { Backfill(context: context) }
    /// Fields that several replicas wrote concurrently.
    public var conflicts: Conflicts { Conflicts(context: context) }
    /// The writes to each row.
    public var history: RowHistory { RowHistory(context: context) }
    package var controlSealer: ControlSealer { ControlSealer(context: context) }
    package var incomplete: IncompleteEntries { IncompleteEntries(context: context) }
    package var lineage: LogLineage { LogLineage(context: context) }
    package var merger: PageMerger { PageMerger(context: context) }
    package var overlay: Overlay { Overlay(context: context) }
    package var queue: PushQueue { PushQueue(context: context) }
    package var rebase: LogReset { LogReset(context: context) }
    /// Change sets that were held, refused or cannot be opened.
    public var rejected: RejectedChangeSets { RejectedChangeSets(context: context) }
    package var signedHeads: SignedHeads { SignedHeads(context: context) }
    package var unsignedHeads: UnsignedHeads { UnsignedHeads(context: context) }
    package var sealer: Sealer { Sealer(context: context) }
    package var sets: SealedSets { SealedSets(context: context) }
    /// Log entries that this program cannot read.
    public var unreadable: UnreadableEntries { UnreadableEntries(context: context) }
}
