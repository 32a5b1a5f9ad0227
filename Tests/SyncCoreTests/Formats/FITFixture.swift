/// Writes FIT as a device does, for tests.
struct FITFixture {
    private var body: [UInt8] = []
    var isBigEndian = false

    /// A field of a definition: number, size and base type.
    typealias Field = (number: UInt8, size: Int, type: UInt8)

    static let timestamp: Field = (253, 4, 0x86)
    static let latitude: Field = (0, 4, 0x85)
    static let longitude: Field = (1, 4, 0x85)
    static let altitude: Field = (2, 2, 0x84)
    static let heartRate: Field = (3, 1, 0x02)

    /// Says what messages of a local type are like; developer fields as number, size, developer.
    mutating func define(
        _ local: UInt8,
        _ global: UInt16,
        _ fields: [Field],
        developer: [(UInt8, UInt8, UInt8)] = []
    ) {
        body += [0x40 | (developer.isEmpty ? 0 : 0x20) | local, 0, isBigEndian ? 1 : 0]
        body += bytes(Int64(global), 2)
        body.append(UInt8(fields.count))
        for field in fields { body += [field.number, UInt8(field.size), field.type] }
        guard !developer.isEmpty else { return }
        body.append(UInt8(developer.count))
        for (number, size, index) in developer { body += [number, size, index] }
    }

    /// A message: each value with its size.
    mutating func add(_ local: UInt8, _ values: [(Int64, Int)]) {
        body.append(local)
        for (value, size) in values { body += bytes(value, size) }
    }

    /// A message whose time is some seconds after the last one's, in five bits.
    mutating func addCompressed(_ local: UInt8, offset: UInt8, _ values: [(Int64, Int)]) {
        body.append(0x80 | local << 5 | offset)
        for (value, size) in values { body += bytes(value, size) }
    }

    mutating func add(raw bytes: [UInt8]) { body += bytes }

    private func bytes(_ value: Int64, _ size: Int) -> [UInt8] {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
        return isBigEndian ? little.reversed() : little
    }

    /// The whole file, with its header and its checksum.
    var file: [UInt8] {
        var bytes: [UInt8] = [14, 0x20, 0, 0]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: body.count >> ($0 * 8)) }
        bytes += Array(".FIT".utf8)
        bytes += Self.checksum(bytes)
        bytes += body
        return bytes + Self.checksum(body)
    }

    /// By nibbles, as in the documentation of the protocol.
    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        let table: [UInt16] = [
            0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401,
            0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801, 0x4400,
        ]
        var sum: UInt16 = 0
        for byte in bytes {
            for nibble in [byte & 15, byte >> 4] {
                sum = sum >> 4 & 0x0fff ^ table[Int(sum & 15)] ^ table[Int(nibble)]
            }
        }
        return [UInt8(sum & 255), UInt8(sum >> 8)]
    }
}
