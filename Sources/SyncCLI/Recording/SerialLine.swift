internal import Glibc

/// The settings of a line to a receiver (termios(3)).
enum SerialLine {
    /// Bits a second of receivers: 4,800 is the standard's, 38,400 that of its fast variant.
    static let bauds = [4800, 9600, 19_200, 38_400, 57_600, 115_200]
    private static let speeds: [Int: UInt32] = [
        4800: UInt32(B4800), 9600: UInt32(B9600), 19_200: UInt32(B19200), 38_400: UInt32(B38400),
        57_600: UInt32(B57600), 115_200: UInt32(B115200),
    ]

    /// Makes a terminal line one of plain bytes, at `baud`; anything else is left as it is.
    static func prepare(_ descriptor: Int32, baud: Int?, path: String) throws(FileError) {
        guard isatty(descriptor) == 1 else { return }
        var line = termios()
        guard unsafe tcgetattr(descriptor, &line) == 0 else { throw .last(.read, path) }
        unsafe cfmakeraw(&line)
        line.c_cflag |= tcflag_t(CLOCAL | CREAD)
        if let speed = baud.flatMap({ speeds[$0] }) { unsafe cfsetspeed(&line, speed) }
        guard unsafe tcsetattr(descriptor, TCSANOW, &line) == 0 else { throw .last(.read, path) }
    }
}
