extension CollectionSchema {
    /// The devices of the members, by the ids that their server gave them.
    public static let device = CollectionSchema(
        "device",
        noun: "device",
        plural: "devices",
        "what the members of a space know of a device",
        rows: .devices,
        title: DeviceField.name,
        fields: [
            FieldSchema(DeviceField.name, .anyText, "what its person calls it", isEdited: false),
            FieldSchema(DeviceField.key, .bytes, "its public key", isEdited: false),
        ]
    )
}

/// The fields of a device.
enum DeviceField {
    static let name: Text = "name"
    static let key: Text = "key"
}
