/// The content of one sentence, in Wake's channels and units.
struct NMEAReading {
    /// The time of the fix in milliseconds since midnight UTC.
    var timeOfDay: Int64?
    var date: CivilDate?
    /// The UTC offset of the local zone.
    var offset: UTCOffset?
    /// The position of the fix, or nil if it is not valid.
    var place: Coordinate?
    /// Whether the sentence describes the receiver's fix rather than a sensor.
    var isFix = false
    /// Whether the values replace those of other sentences about the same fix.
    var overrides = false
    /// Readings in the channels' units, in sentence order; a channel may repeat.
    var values: [(channel: Channel, value: Double)] = []
}

extension NMEAReading {
    /// Interprets a sentence, or returns nil if its type is not supported.
    ///
    /// `known` holds the types seen so far in the stream. It prevents duplicate readings: depth
    /// from `DBT` yields to `DPT`, wind speed from `MWD` to `MWV`, and magnetic heading from `VHW`
    /// to `HDG` and `HDM`.
    init?(_ sentence: NMEASentence, known: Set<String>) {
        switch sentence.type {
        case "RMC": recommendedMinimum(sentence)
        case "GGA": fixData(sentence)
        case "GLL": geographic(sentence)
        case "VTG": track(sentence)
        case "GSA": dilution(sentence)
        case "GST": deviations(sentence)
        case "ZDA": date(sentence)
        case "HDG": heading(sentence)
        case "HDT": add(.headingTrue, sentence.number(0), in: Self.circle)
        case "HDM": add(.headingMagnetic, sentence.number(0), in: Self.circle)
        case "MWV": wind(sentence)
        case "MWD": windDirection(sentence, known: known)
        case "VHW": water(sentence, known: known)
        case "DPT": add(.depth, sentence.number(0), in: 0...12_000)
        case "DBT": if !known.contains("DPT") { depth(sentence) }
        case "MTW": add(.waterTemperature, sentence.number(0), in: Self.temperatures)
        case "XDR": transducers(sentence)
        default: return nil
        }
    }

    private static let circle = 0.0...360
    private static let temperatures = -100.0...200
    private static let speeds = 0.0...1000
    private static let knot = 1852.0 / 3600

    private mutating func add(
        _ channel: Channel,
        _ value: Double?,
        in range: ClosedRange<Double> = -1e6...1e6
    ) {
        guard let value, range.contains(value) else { return }
        values.append((channel, value))
    }
}

/// Sentences about the fix.
extension NMEAReading {
    private mutating func recommendedMinimum(_ sentence: NMEASentence) {
        (isFix, overrides) = (true, true)
        timeOfDay = sentence.timeOfDay(0)
        // Without a fix, the date is unreliable.
        guard sentence.has(1, "A") else { return }
        date = Self.date(sentence.text(8))
        place = sentence.coordinate(2)
        add(.speed, sentence.number(6).map { $0 * Self.knot }, in: Self.speeds)
        add(.course, sentence.number(7), in: Self.circle)
        add(.variation, sentence.number(9, "E", "W"), in: -180...180)
    }

    private mutating func fixData(_ sentence: NMEASentence) {
        (isFix, overrides) = (true, true)
        timeOfDay = sentence.timeOfDay(0)
        guard let quality = sentence.number(5), quality > 0 else { return }
        place = sentence.coordinate(1)
        add(.satellites, sentence.number(6), in: 0...200)
        add(.dilution, sentence.number(7), in: 0...99)
        add(.altitude, sentence.number(8), in: -1e5...1e5)
    }

    private mutating func geographic(_ sentence: NMEASentence) {
        (isFix, overrides) = (true, true)
        timeOfDay = sentence.timeOfDay(4)
        // Old receivers write neither status nor mode.
        guard sentence.has(5, "A") || sentence.text(5).isEmpty else { return }
        place = sentence.coordinate(0)
    }

    private mutating func track(_ sentence: NMEASentence) {
        isFix = true
        guard !sentence.has(8, "N") else { return }
        add(.course, sentence.number(0), in: Self.circle)
        let knots = sentence.number(4).map { $0 * Self.knot }
        add(.speed, knots ?? sentence.number(6).map { $0 / 3.6 }, in: Self.speeds)
    }

    private mutating func dilution(_ sentence: NMEASentence) {
        isFix = true
        guard sentence.has(1, "2") || sentence.has(1, "3") else { return }
        add(.dilution, sentence.number(15), in: 0...99)
    }

    /// Reads the standard deviations of latitude and longitude in metres.
    ///
    /// The accuracy is the square root of the sum of their squares (DRMS).
    private mutating func deviations(_ sentence: NMEASentence) {
        isFix = true
        timeOfDay = sentence.timeOfDay(0)
        guard let north = sentence.number(5), let east = sentence.number(6), north >= 0, east >= 0
        else { return }
        add(.accuracy, (north * north + east * east).squareRoot(), in: 0...1e6)
    }

    private mutating func date(_ sentence: NMEASentence) {
        (isFix, overrides) = (true, true)
        timeOfDay = sentence.timeOfDay(0)
        offset = Self.offset(sentence)
        let parts = (1...3).map { sentence.text($0).wholeNumber }
        guard let day = parts[0], let month = parts[1], let year = parts[2] else { return }
        date = Self.rolledOver(CivilDate(year: year, month: month, day: day))
    }

    /// Reads the local zone of `ZDA`, in hours and minutes to add to local time to get UTC.
    ///
    /// East is therefore negative, and the sign of the hours applies to the minutes. Most receivers
    /// write `00,00` everywhere, so zero counts as unknown.
    private static func offset(_ sentence: NMEASentence) -> UTCOffset? {
        let hours = sentence.text(4)
        let isEast = hours.first == UInt8(ascii: "-")
        let isSigned = isEast || hours.first == UInt8(ascii: "+")
        guard let hour = (isSigned ? hours.dropFirst() : hours).wholeNumber,
            let minute = sentence.text(5).wholeNumber, hour <= 14, minute < 60, hour + minute > 0
        else { return nil }
        return UTCOffset(minutes: (isEast ? 1 : -1) * (hour * 60 + minute))
    }

    /// Parses `ddmmyy`; years 80 to 99 belong to the last century.
    private static func date(_ text: ArraySlice<UInt8>) -> CivilDate? {
        guard text.count == 6, let number = text.wholeNumber else { return nil }
        let year = number % 100 + (number % 100 < 80 ? 2000 : 1900)
        return rolledOver(CivilDate(year: year, month: number / 100 % 100, day: number / 10_000))
    }

    /// Undoes a GPS week rollover, assuming that no recording is older than 2000.
    private static func rolledOver(_ date: CivilDate?) -> CivilDate? {
        guard let date, date.year >= 1980 else { return nil }
        var days = date.days
        while CivilDate(days: days).year < 2000 { days += 1024 * 7 }
        return CivilDate(days: days)
    }
}

extension NMEAReading {
    private mutating func heading(_ sentence: NMEASentence) {
        if let heading = sentence.number(0), Self.circle.contains(heading) {
            let corrected = heading + (sentence.number(1, "E", "W") ?? 0)
            add(.headingMagnetic, corrected.turned)
        }
        add(.variation, sentence.number(3, "E", "W"), in: -180...180)
    }

    private mutating func wind(_ sentence: NMEASentence) {
        guard sentence.has(4, "A") else { return }
        let isTrue = sentence.has(1, "T")
        guard isTrue || sentence.has(1, "R") else { return }
        let angle = sentence.number(0).flatMap { -360...360 ~= $0 ? $0.turned : nil }
        add(isTrue ? .windAngleTrue : .windAngleApparent, angle)
        let metresPerSecond: Double? =
            switch sentence.text(3).first.map(Unicode.Scalar.init) {
            case "N": Self.knot
            case "K": 1 / 3.6
            case "M": 1
            case "S": 1609.344 / 3600
            default: nil
            }
        guard let metresPerSecond, let speed = sentence.number(2) else { return }
        add(isTrue ? .windSpeedTrue : .windSpeedApparent, speed * metresPerSecond, in: Self.speeds)
    }

    /// Reads the direction from which the wind blows, not the angle to the bow.
    private mutating func windDirection(_ sentence: NMEASentence, known: Set<String>) {
        if sentence.has(1, "T") {
            add(.windDirectionTrue, sentence.number(0), in: Self.circle)
        }
        // On the first `MWD`, it is not known yet whether the stream has `MWV`.
        guard known.contains("MWD"), !known.contains("MWV") else { return }
        let knots = sentence.number(4).map { $0 * Self.knot }
        add(.windSpeedTrue, sentence.number(6) ?? knots, in: Self.speeds)
    }

    private mutating func water(_ sentence: NMEASentence, known: Set<String>) {
        add(.headingTrue, sentence.number(0), in: Self.circle)
        if known.isDisjoint(with: ["HDG", "HDM"]) {
            add(.headingMagnetic, sentence.number(2), in: Self.circle)
        }
        let knots = sentence.number(4).map { $0 * Self.knot }
        add(.waterSpeed, knots ?? sentence.number(6).map { $0 / 3.6 }, in: Self.speeds)
    }

    private mutating func depth(_ sentence: NMEASentence) {
        let feet = sentence.number(0).map { $0 * 0.3048 }
        let fathoms = sentence.number(4).map { $0 * 1.8288 }
        add(.depth, sentence.number(2) ?? feet ?? fathoms, in: 0...12_000)
    }

    /// Reads transducers, each a quadruple of type, value, unit and name.
    ///
    /// Some names depend on the maker: `HEEL` and `TRIM` by B&G, `ROLL` and `PTCH` by pypilot,
    /// `PITCH` by TNT.
    private mutating func transducers(_ sentence: NMEASentence) {
        for index in stride(from: 0, to: sentence.fields.count, by: 4) {
            guard let value = sentence.number(index + 1) else { continue }
            let name = String(decoding: sentence.text(index + 3), as: UTF8.self).uppercased()
            switch (sentence.text(index).first.map(Unicode.Scalar.init), name) {
            case ("A", "HEEL"), ("A", "ROLL"): add(.heel, value, in: -180...180)
            case ("A", "TRIM"), ("A", "PTCH"), ("A", "PITCH"): add(.pitch, value, in: -180...180)
            case ("A", "RUDDER"): add(.rudder, value, in: -180...180)
            case ("C", "AIRTEMP"), ("C", "AIR"), ("C", "ENV_OUTAIR_T"), ("C", "TEMPAIR"):
                add(.temperature, value, in: Self.temperatures)
            case ("C", "ENV_WATER_T"), ("C", "WATERTEMP"):
                add(.waterTemperature, value, in: Self.temperatures)
            case ("P", "BARO"), ("P", "BAROMETER"), ("P", "ENV_ATMOS_P"):
                let hectopascals = sentence.has(index + 2, "B") ? value * 1000 : value / 100
                add(.pressure, hectopascals, in: 100...1200)
            default: break
            }
        }
    }
}
