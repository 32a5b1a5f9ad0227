extension SyntheticSail {
    /// The sentences of a receiver and the boat's instruments, with CR LF.
    ///
    /// Each second: RMC GGA ZDA HDG MWV (apparent, true) DPT VHW XDR.
    package var nmea: [UInt8] {
        var text: [UInt8] = []
        for state in states {
            for sentence in Self.sentences(state) {
                let sum = sentence.utf8.reduce(0, ^)
                text += Array("$\(sentence)*\([sum].hexadecimal.uppercased())\r\n".utf8)
            }
        }
        return text
    }

    private static func sentences(_ state: State) -> [String] {
        fix(state) + [
            "IIHDG,\(text((state.headingTrue - variation).turned, 1)),,,\(text(variation, 1)),E",
            "WIMWV,\(text(state.apparentAngle, 1)),R,\(knots(state.apparentSpeed)),N,A",
            "WIMWV,\(text(state.windAngle, 1)),T,\(knots(state.windSpeed)),N,A",
            "SDDPT,\(text(state.depth, 1)),0.4",
            "VWVHW,\(text(state.headingTrue, 1)),T,,M,\(knots(state.waterSpeed)),N,,K",
            "IIXDR,A,\(text(state.heel, 1)),D,HEEL,A,\(text(state.pitch, 1)),D,TRIM",
        ]
    }

    private static func fix(_ state: State) -> [String] {
        let (days, milliseconds) = state.time.dayAndTime
        let (date, time) = (CivilDate(days: Int(days)), Int(milliseconds))
        let parts = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60]
        let clock =
            parts.map { $0.padded(to: 2) }.joined() + "." + (time % 1000 / 10).padded(to: 2)
        let (day, month) = (date.day.padded(to: 2), date.month.padded(to: 2))
        let shortYear = (date.year % 100).padded(to: 2)
        let place = state.coordinate.map(Self.place) ?? ",,,"
        let valid = state.coordinate == nil ? "V" : "A"
        let motion = "\(knots(state.speed)),\(text(state.course, 1))"
        return [
            "GPRMC,\(clock),\(valid),\(place),\(motion),\(day)\(month)\(shortYear),,,A",
            "GPGGA,\(clock),\(place),1,12,0.80,\(text(state.altitude, 1)),M,46.8,M,,",
            "GPZDA,\(clock),\(day),\(month),\(date.year.padded(to: 4)),00,00",
        ]
    }

    private static func place(_ coordinate: Coordinate) -> String {
        let north = angle(coordinate.latitude, degreeDigits: 2)
        let east = angle(coordinate.longitude, degreeDigits: 3)
        return "\(north),\(coordinate.latitude < 0 ? "S" : "N"),"
            + "\(east),\(coordinate.longitude < 0 ? "W" : "E")"
    }

    /// Formats degrees and minutes; six decimals of a minute are exact for 1e-7 degrees.
    private static func angle(_ count: Int32, degreeDigits: Int) -> String {
        let (degrees, rest) = Int(count.magnitude).quotientAndRemainder(dividingBy: 10_000_000)
        let (minutes, fraction) = (rest * 6).quotientAndRemainder(dividingBy: 1_000_000)
        return degrees.padded(to: degreeDigits) + minutes.padded(to: 2) + "."
            + fraction.padded(to: 6)
    }

    private static func knots(_ metresPerSecond: Double) -> String {
        text(metresPerSecond * 3600 / 1852, 2)
    }

    private static func text(_ value: Double, _ decimals: Int) -> String {
        let scale = decimals == 1 ? 10.0 : 100.0
        return Decimal.text(Int64(exactly: (value * scale).rounded()) ?? 0, decimals: decimals)
    }
}
