extension Enroller {
    /// Creates a link for another device of the same user, or for people to a shared space.
    ///
    /// The invitation is sealed in the control chain of the space; the link works once the
    /// server has it. The server never sees the link's secret.
    ///
    /// - Parameters:
    ///   - space: the shared space, or nil for the own one, whose link is for one device.
    ///   - role: the role of those who enter the shared space.
    ///   - uses: how many may enter it.
    package static func link(
        for replica: Replica,
        to space: Identifier? = nil,
        as role: Role = .editor,
        uses: UInt64 = 1,
        validSeconds: Int,
        at moment: Moment,
        using generator: inout some RandomNumberGenerator
    ) async throws -> Link {
        let identity = try await replica.read { try $0.identity.current() }
        guard let authority = identity.authority, let trust = identity.trust else {
            throw ReplicaError.notJoined
        }
        let secret = LinkSecret(.random(using: &generator))
        // The server judges the expiry by its own clock.
        let now = identity.time(at: moment)
        let expires = UnixTime(milliseconds: now.milliseconds + Int64(validSeconds) * 1000)
        let chain = try await replica.write { parts in
            let place = try space ?? parts.spaces.own()
            let chain = try parts.controls.chain(of: place)
            try parts.controlSealer.invite(
                by: secret.keys,
                into: place,
                as: space == nil ? .device : .member(role),
                uses: uses,
                until: expires,
                at: moment
            )
            return chain
        }
        return Link(
            authority: authority,
            secret: secret,
            trust: trust,
            invitation: Link.Invitation(space: chain.space, anchor: Link.Anchor(chain))
        )
    }

    /// Returns a link that was sent to the server, with the newest control set as its anchor.
    ///
    /// The control set that was the newest before may be one that the server has lost.
    package static func anchored(_ link: Link, for replica: Replica) async throws -> Link {
        guard let space = link.invitation?.space else { return link }
        let chain = try await replica.read { try $0.controls.chain(of: space) }
        return Link(
            authority: link.authority,
            secret: link.secret,
            trust: link.trust,
            invitation: Link.Invitation(space: space, anchor: Link.Anchor(chain))
        )
    }
}

extension Link.Anchor {
    /// The newest control set of a chain, which is not empty.
    fileprivate init(_ chain: ControlChain) {
        self.init(index: chain.count - 1, hash: Array(chain.head.bytes.prefix(16)))
    }
}
