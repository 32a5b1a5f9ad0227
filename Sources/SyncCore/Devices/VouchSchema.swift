extension CollectionSchema {
    /// Signatures by which a user's devices prove, in any space, that they belong to that user.
    ///
    /// They name no space, and are kept in the user's own one.
    public static let vouch = CollectionSchema(
        "vouch",
        noun: "vouches",
        plural: "vouches",
        "the signatures of other devices of the user, which prove that a device belongs to that user",
        rows: .devices,
        writers: .deviceUser,
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

    /// The device whose signature a field has.
    static func voucher(of field: Text) -> Identifier? {
        let prefix = signaturePrefix.string
        guard field.string.hasPrefix(prefix) else { return nil }
        return Identifier(String(field.string.dropFirst(prefix.count)))
    }

    /// The field with the signature of a device.
    static func signature(of device: Identifier) -> Text {
        Text(signaturePrefix.string + device.description)
    }
}
