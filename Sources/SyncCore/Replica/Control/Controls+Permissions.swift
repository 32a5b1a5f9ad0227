/// What this device may write in a space, by the control sets that it has merged.
struct Permissions {
    let policy: AdmissionPolicy
    let author: AdmissionPolicy.Author
    let collections: CollectionRegistry

    func of(_ change: Change) -> AdmissionPolicy.Permission {
        policy.permission(of: author, toWrite: change, collections[change.key.collection])
    }
}

extension Controls {
    /// Returns what this device may write in a space.
    func permissions(inSpace number: Int64) throws -> Permissions {
        let chain = try chain(ofSpace: number)
        let own = try identity.current()
        return Permissions(
            policy: AdmissionPolicy(chain),
            author: AdmissionPolicy.Author(
                device: own.device,
                user: own.user,
                // The chain at hand says nothing of a device that is about to enter.
                role: chain.role(ofDevice: own.device) ?? .owner,
                controls: chain.count
            ),
            collections: collections
        )
    }
}
