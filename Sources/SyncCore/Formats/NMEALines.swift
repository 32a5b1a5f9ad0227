/// Splits a byte stream into the lines of NMEA 0183 and tolerates noise.
///
/// A carriage return, a line feed or both end a line. A `$` always starts a new line, in case the
/// line end was lost. Zero bytes are dropped, and lines beyond the length limit are discarded.
struct NMEALines {
    /// In bytes; the standard allows 82, but chart plotters write more.
    private static let lengthLimit = 512

    private var line: [UInt8] = []
    private var isTooLong = false
    /// The number of lines over the length limit or cut off by the `$` of the next.
    private(set) var unreadable = 0

    /// Adds bytes and calls `body` with each completed line, without its line end.
    mutating func feed(_ bytes: some Sequence<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) {
        for byte in bytes {
            switch byte {
            case 0x0a, 0x0d: end(body)
            case 0: break
            case UInt8(ascii: "$"):
                if isTooLong || line.first == byte { unreadable += 1 }
                line = [byte]
                isTooLong = false
            case _ where line.count >= Self.lengthLimit: isTooLong = true
            default: line.append(byte)
            }
        }
    }

    /// Completes the last line, which may have no line end.
    mutating func end(_ body: (ArraySlice<UInt8>) -> Void) {
        if isTooLong {
            unreadable += 1
        } else if !line.isEmpty {
            body(line[...])
        }
        line.removeAll(keepingCapacity: true)
        isTooLong = false
    }
}
