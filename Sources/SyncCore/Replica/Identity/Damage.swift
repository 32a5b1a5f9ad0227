/// A damaged part of a replica's file that the rest of the file can restore, or set aside.
public enum Damage: Hashable, Sendable {
    /// The packed cells of a row, by the row's number.
    case row(Int64)
    /// Changes that no set carries yet.
    case changes
    /// An own set that no server has judged, by its number.
    case set(Int64)
    /// A chunk that an own set names which no server has judged.
    case chunk(Digest)
    /// Samples that are in no chunk yet, by the number of their row of `tail`.
    case samples(Int64)
    /// The secret of a key epoch, by the number of the space.
    case secret(space: Int64, epoch: UInt64)
    /// The permanent keys of this device, or its id.
    case keys
    /// Change sets of a space's log, by the number of the space.
    case log(space: Int64)
    /// How much of a space's log is merged, by the number of the space.
    case cursor(space: Int64)
}
