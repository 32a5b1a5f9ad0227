extension Upload {
    /// Returns an own set with its outer MAC restored, or nil if no repair is needed or possible.
    ///
    /// The same bytes and key give the same MAC.
    func restored(by device: DeviceKeys) throws -> Upload? {
        guard let outer = macs?.outer else { return nil }
        let isKnown = device.macKey(epoch: outer.keyEpoch) != nil
        guard let epoch = isKnown ? outer.keyEpoch : device.epoch,
            let key = device.macKey(epoch: epoch), !outer.verifies(with: key, for: .device)
        else { return nil }
        return try authenticated(by: device, epoch: epoch)
    }

    /// Returns an own set with an outer MAC of another key epoch, or nil if the device lacks its key.
    ///
    /// The hash of the set does not cover this MAC.
    func authenticated(by device: DeviceKeys, epoch: UInt64) throws -> Upload? {
        guard header.device == device.device, let outer = macs?.outer,
            let key = device.macKey(epoch: epoch)
        else { return nil }
        let signed = Envelope.seal(Array(outer.payload), with: key, epoch: epoch, for: .device)
        return try Upload(parsing: signed)
    }
}
