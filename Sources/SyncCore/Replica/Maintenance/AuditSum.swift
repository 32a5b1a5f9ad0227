/// The granularity at which two replicas compare the bases of a space.
///
/// Each sum is the fingerprint of one part, so the sums of all parts add up to the fingerprint.
package enum AuditScope: Hashable, Sendable {
    /// One sum for each collection.
    case collections
    /// One sum for each bucket of a collection.
    ///
    /// A row's bucket is the first byte of the SHA-256 of its encoding.
    case buckets(of: Text)
    /// One sum for each row of a bucket.
    case rows(of: Text, bucket: UInt8)
}

/// A part of a space, with the sum of its cells.
package struct AuditSum: Hashable, Sendable {
    package let name: Name
    /// The sum of the cells' digests, mod 2^256.
    package let sum: Fingerprint

    /// The name of a part.
    ///
    /// The scope decides the case.
    package enum Name: Hashable, Sendable {
        case collection(Text)
        case bucket(UInt8)
        /// An encoded row.
        case row([UInt8])
    }

    /// Returns the parts whose sums differ or that one side lacks.
    package static func differences(_ left: [AuditSum], _ right: [AuditSum]) -> Set<Name> {
        Set(Set(left).symmetricDifference(right).map(\.name))
    }
}
