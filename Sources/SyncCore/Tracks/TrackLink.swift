/// A track of a space; also the value of the cell `copiedFrom` of a copy.
package struct TrackLink: Hashable, Sendable {
    package let space: Identifier
    package let track: Identifier

    package init(space: Identifier, track: Identifier) {
        (self.space, self.track) = (space, track)
    }
}

extension TrackLink {
    /// Decodes ``value``, or returns nil for anything else.
    package init?(_ value: Value?) {
        guard let parts = value?.list, parts.count == 2,
            let space = parts[0].bytes.flatMap({ Identifier(bytes: $0) }),
            let track = parts[1].bytes.flatMap({ Identifier(bytes: $0) })
        else { return nil }
        self.init(space: space, track: track)
    }

    /// The list `[space, track]`.
    package var value: Value { .list([.bytes(space.bytes), .bytes(track.bytes)]) }
}
