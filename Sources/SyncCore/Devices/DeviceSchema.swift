extension CollectionSchema {
    /// The devices of the members, by their ids, which follow from their keys.
    public static let device = CollectionSchema(
        "device",
        noun: "device",
        plural: "devices",
        "a device of a member of the space",
        rows: .devices,
        writers: .deviceUser,
        title: DeviceField.name,
        fields: [
            FieldSchema(DeviceField.name, .anyText, "the name", isEdited: false)
        ]
    )
}

/// The fields of a device.
enum DeviceField {
    static let name: Text = "name"
}
