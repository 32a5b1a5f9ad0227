extension ReplicaPart {
    package var audit: Audit { Audit(context: context) }
    /// Status and verification.
    public var maintenance: Maintenance { Maintenance(context: context) }
    package var repairs: Repairs { Repairs(context: context) }
    package var salvager: Salvager { Salvager(context: context) }
}
