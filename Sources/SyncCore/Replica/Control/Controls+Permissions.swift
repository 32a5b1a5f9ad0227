/// What this device may write in a space, by the control sets that it has merged.
struct Permissions {
    let policy: AdmissionPolicy
    /// Nil for a device that is about to enter: only its server can judge it.
    let author: AdmissionPolicy.Author?
    let collections: CollectionRegistry

    func of(_ change: Change) -> AdmissionPolicy.Permission {
        guard let author else { return .allowed }
        return policy.permission(of: author, toWrite: change, collections[change.key.collection])
    }
}

extension Controls {
    /// Returns what this device may write in a space.
    func permissions(inSpace number: Int64) throws -> Permissions {
        let chain = try chain(ofSpace: number)
        let own = try identity.current()
        let author = chain.role(ofDevice: own.device).map { role in
            AdmissionPolicy.Author(
                device: own.device,
                user: own.user,
                role: role,
                controls: chain.count
            )
        }
        return Permissions(
            policy: AdmissionPolicy(chain),
            author: author,
            collections: collections
        )
    }
}
