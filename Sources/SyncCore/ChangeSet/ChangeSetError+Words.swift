extension ChangeSetError {
    /// Why the change set cannot be used, for a person.
    package var words: String {
        switch self {
        case .lost: "the server's copy was damaged; a device that has it must sync"
        case .encoding: "it is not valid CBOR"
        case .incomplete: "its header is incomplete"
        case .unknownFormat(let format): "it has format \(format), which needs a newer wake"
        case .unknownCriticalKey(let key): "it needs feature \(key) of a newer wake"
        case .unknownKeyEpoch(let epoch):
            "it is signed with key \(epoch), which this device does not have yet"
        case .badMAC: "its signature is not that of a member"
        case .unknownControls: "it names changes of your devices that have not arrived yet"
        case .noCard: "the device that wrote it had no right to"
        case .notAllowed: "the role of the person who wrote it does not allow that"
        case .beyondCut: "the device that wrote it was revoked before"
        case .wrongBody, .wrongCellCount, .wrongChunks: "its body is not the signed one"
        case .repeatedCell: "it writes one field twice"
        case .tooLarge, .tooManyCells: "it is larger than the limit for a set"
        }
    }
}
