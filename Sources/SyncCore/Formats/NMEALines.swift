/// Cuts a stream of bytes into the lines of NMEA 0183, whatever else is in it.
///
/// Carriage return, line feed or both end a line; a `$` begins a new one even without, as after a
/// lost line end; zero bytes are dropped. What grows beyond the limit is no line.
struct NMEALines {
    /// The standard says 82; chart plotters write more.
    private static let lengthLimit = 512

    private var line: [UInt8] = []
    private var isTooLong = false
    /// How many lines were longer than the limit, or had no end before the next began.
    private(set) var unreadable = 0

    /// Takes bytes, and calls `body` for each line that they end, without its end.
    mutating func feed(
        _ bytes: some Sequence<UInt8>,
        _ body: (ArraySlice<UInt8>) -> Void
    ) {
        for byte in bytes {
            switch byte {
            case 0x0a, 0x0d: end(body)
            case 0: break
            case UInt8(ascii: "$"):
                if line.first == byte { unreadable += 1 }
                line = [byte]
                isTooLong = false
            case _ where line.count >= Self.lengthLimit: isTooLong = true
            default: line.append(byte)
            }
        }
    }

    /// Ends the last line, which may lack its end.
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
