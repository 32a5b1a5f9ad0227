/// The secrets of a space that this device can decrypt.
extension Controls {
    /// Stores the secrets of all key epochs that the chain and the wraps at hand let this device
    /// decrypt.
    package func learnSecrets(of space: Identifier) throws {
        let chain = try chain(of: space)
        let known = try spaces.keys(of: space)
        var secret = try newestSecret(of: chain)
        while let found = secret {
            if known.secrets[found.epoch] == nil {
                try database.setKey(of: space, epoch: found.epoch, found.secret)
            }
            let epoch = chain.epochs[Int(found.epoch) - 1]
            secret = epoch.earlier.flatMap(found.earlier(in:))
            if let before = secret, before.hash != chain.epochs[Int(before.epoch) - 1].secretHash {
                secret = nil
            }
        }
    }

    /// Returns the keys of a space, each as the chain knows it by its hash.
    ///
    /// A wrong one would seal sets that others take for forged, and call those of others forged. Throws
    /// ``ReplicaError/damaged(_:)``.
    func soundKeys(of space: Identifier) throws -> SpaceKeys {
        let keys = try spaces.keys(of: space)
        if let epoch = try damagedEpochs(of: keys).first {
            let number = try spaces.number(ofSpace: space)
            throw ReplicaError.damaged(.secret(space: number, epoch: epoch))
        }
        return keys
    }

    /// Returns the key epochs whose secrets are not those of the chain, in ascending order.
    func damagedEpochs(of keys: SpaceKeys) throws -> [UInt64] {
        // A view has none.
        guard !keys.secrets.isEmpty else { return [] }
        let number = try spaces.number(ofSpace: keys.space)
        let chain = try chain(ofSpace: number)
        // Of epochs beyond a damaged control set nothing is known until the log brings it again.
        let isKnown = try end(ofSpace: number).isEnd(of: chain)
        return keys.secrets.sorted { $0.key < $1.key }
            .filter { epoch, secret in
                guard epoch > 0, epoch <= chain.epochs.count else { return isKnown }
                return !chain.epochs[Int(epoch) - 1].has(secret, in: keys.space)
            }
            .map(\.key)
    }

    /// What became of a damaged secret.
    enum RestoredSecret {
        /// The secret was right, and its number is now.
        case numbered(as: UInt64)
        case decrypted
        /// This device has no wrap of it.
        case lost
    }

    /// Finds the epoch of a secret whose number is damaged, or decrypts a damaged secret again.
    func restoreSecret(of space: Int64, epoch: UInt64) throws -> RestoredSecret {
        let chain = try chain(ofSpace: space)
        let secret = try spaces.keys(of: chain.space).secrets[epoch]
        try database.run(
            "DELETE FROM space_key WHERE space = \(space) AND epoch = \(epoch.bigEndianBytes)"
        )
        if let secret, let right = chain.epochs.first(where: { $0.has(secret, in: chain.space) }) {
            try database.setKey(of: chain.space, epoch: right.number, secret)
            return .numbered(as: right.number)
        }
        try learnSecrets(of: chain.space)
        return try spaces.keys(of: chain.space).secrets[epoch] != nil ? .decrypted : .lost
    }

    /// Returns the chunk of wraps that may hold the newest secret, if this device has neither.
    package func missingWraps(of space: Identifier) throws -> Digest? {
        guard let newest = try chain(of: space).epochs.last,
            try spaces.keys(of: space).secrets[newest.number] == nil,
            try chunks.bytes(newest.wraps) == nil
        else { return nil }
        return newest.wraps
    }

    /// Returns the secret of a chain's newest epoch as it is stored, or decrypts it from a wrap in an
    /// action or in the chunk of wraps; nil if this device has neither.
    func newestSecret(of chain: ControlChain) throws -> EpochSecret? {
        guard let newest = chain.epochs.last else { return nil }
        if let known = try spaces.keys(of: chain.space).secrets[newest.number],
            newest.has(known, in: chain.space)
        {
            return EpochSecret(space: chain.space, epoch: newest.number, secret: known)
        }
        let keys = try identity.current().keys
        let chunk = try chunks.soundBytes(newest.wraps).flatMap { try? KeyWraps(chunk: $0) }
        return chain.newestSecret(
            for: keys.publicKeys.device,
            with: keys.agreement,
            chunk: chunk
        )
    }
}

extension ControlChain {
    /// Decrypts the secret of the newest key epoch; nil if no wrap for the recipient is at hand.
    ///
    /// - Parameter chunk: the wraps that the newest epoch's action names.
    package func newestSecret(
        for recipient: Identifier,
        with key: AgreementKey,
        chunk: KeyWraps?
    ) -> EpochSecret? {
        guard let newest = epochs.last else { return nil }
        let listed = chunk.flatMap { chunk in
            chunk.entries.first { $0.recipient == recipient }.map { entry in
                SecretWrap(
                    recipient: recipient,
                    ephemeral: chunk.ephemeralKey,
                    bytes: entry.wrap
                )
            }
        }
        let candidates = [wraps[recipient], listed].compactMap { $0 }
        return candidates.lazy.compactMap {
            EpochSecret(of: space, epoch: newest.number, in: $0, with: key)
        }
        .first { $0.hash == newest.secretHash }
    }
}
