extension CollectionRegistry {
    /// All that this program knows: a new kind of data is one line here.
    public static let standard = CollectionRegistry([
        .track,
        .points,
        .original,
        .mark,
        .place,
        .setting,
        .device,
        .vouch,
        .membership,
        .space,
    ])
}
