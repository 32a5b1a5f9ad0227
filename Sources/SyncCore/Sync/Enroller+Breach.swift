extension Enroller {
    /// Returns what `body` returns; records a breach if that throws
    /// ``ReplicaError/revivedDevice(_:newcomers:)``, and throws it on.
    ///
    /// The transaction that detected it was rolled back.
    func recordingBreach<Result: Sendable>(
        with replica: Replica,
        at now: Moment,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch ReplicaError.revivedDevice(let device, let newcomers) {
            let others = newcomers.map(\.description).joined(separator: ", ")
            let detail = others.isEmpty ? "\(device)" : "\(device) and unknown ones (\(others))"
            try await replica.write {
                let own = try $0.spaces.number(ofSpace: try $0.spaces.own())
                try $0.breaches.record(.revivedDevice, detail, in: own, at: now.wall)
            }
            throw ReplicaError.revivedDevice(device, newcomers: newcomers)
        }
    }
}
