extension CollectionSchema {
    /// The vouches for the user's devices, which prove in any space whose devices they are.
    ///
    /// They name no space, and are kept in the user's own one.
    public static let vouch = CollectionSchema(
        "vouch",
        noun: "vouches",
        plural: "vouches",
        "what other devices of the user sign about a device: that it is the same user's",
        rows: .devices,
        writers: .user,
        fields: [
            FieldSchema(
                VouchField.signaturePrefix,
                .bytes,
                "the signature of another device of the user, whose id follows",
                isFamily: true,
                isEdited: false
            )
        ]
    )
}

/// The fields of the row of a device for which others vouch.
enum VouchField {
    static let signaturePrefix: Text = "by/"

    /// The field with the signature of a device.
    static func signature(of device: Identifier) -> Text {
        Text(signaturePrefix.string + device.description)
    }
}
