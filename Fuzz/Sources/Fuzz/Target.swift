internal import SyncCore

/// A reader of bytes from outside, and the laws for whatever it reads.
enum Target: String {
    case cbor, set, message, chunk, nmea, gpsd, gpx, tcx, kml, fit, geojson, link, signature, http
    case control, identity

    /// Reads one input, and ends the process where a law is broken.
    func check(_ input: [UInt8]) {
        switch self {
        case .cbor: CBORTarget.check(input)
        case .set: SetTarget.check(input)
        case .message: MessageTarget.check(input)
        case .chunk: ChunkTarget.check(input)
        case .nmea: NMEATarget.check(input)
        case .gpsd: GPSDTarget.check(input)
        case .gpx: RecordingTarget.check(input, as: .gpx)
        case .tcx: RecordingTarget.check(input, as: .tcx)
        case .kml: RecordingTarget.check(input, as: .kml)
        case .fit: RecordingTarget.check(input, as: .fit)
        case .geojson: RecordingTarget.check(input, as: .geoJSON)
        case .link: LinkTarget.check(input)
        case .signature: SignatureTarget.check(input)
        case .http: HTTPTarget.check(input)
        case .control: ControlTarget.check(input)
        case .identity: IdentityTarget.check(input)
        }
    }
}
