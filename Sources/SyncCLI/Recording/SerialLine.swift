internal import Glibc

/// The settings of a serial line (termios(3)).
enum SerialLine {
    /// The supported speeds in bits per second; NMEA 0183 uses 4,800, and 38,400 for high speed.
    static let bauds = [4800, 9600, 19_200, 38_400, 57_600, 115_200]
    private static let speeds: [Int: UInt32] = [
        4800: UInt32(B4800), 9600: UInt32(B9600), 19_200: UInt32(B19200), 38_400: UInt32(B38400),
        57_600: UInt32(B57600), 115_200: UInt32(B115200),
    ]

    /// Sets a terminal line to raw mode and to `baud`; leaves other files unchanged.
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
