extension CollectionSchema {
    /// The devices of the members, by the ids that the server assigned.
    public static let device = CollectionSchema(
        "device",
        noun: "device",
        plural: "devices",
        "a device of a member of the space",
        rows: .devices,
        title: DeviceField.name,
        fields: [
            FieldSchema(DeviceField.name, .anyText, "the name", isEdited: false),
            FieldSchema(DeviceField.key, .bytes, "the public key", isEdited: false),
        ]
    )
}

/// The fields of a device.
enum DeviceField {
    static let name: Text = "name"
    static let key: Text = "key"
}
