/// What two replicas of a space compare: sums of its base's cells, from the whole to single rows.
///
/// A sum is the fingerprint of a part, so the fingerprint of the whole is the sum of the parts.
package enum AuditScope: Hashable, Sendable {
    /// A sum for each collection.
    case collections
    /// A sum for each bucket of a collection: of the rows whose encoding has a SHA-256 that begins
    /// with this byte.
    case buckets(of: Text)
    /// A sum for each row of a bucket.
    case rows(of: Text, bucket: UInt8)
}

/// A part of a space and the sum of its cells.
package struct AuditSum: Hashable, Sendable {
    /// Which part.
    package let name: Name
    /// The sum of its cells' digests.
    package let sum: Fingerprint

    /// A part's name; of what kind it is follows from the scope.
    package enum Name: Hashable, Sendable {
        case collection(Text)
        case bucket(UInt8)
        /// A row as it is encoded.
        case row([UInt8])
    }

    package init(name: Name, sum: Fingerprint) {
        self.name = name
        self.sum = sum
    }

    /// The parts that are not alike, or that one side lacks.
    package static func differences(_ left: [AuditSum], _ right: [AuditSum]) -> Set<Name> {
        Set(Set(left).symmetricDifference(right).map(\.name))
    }
}
