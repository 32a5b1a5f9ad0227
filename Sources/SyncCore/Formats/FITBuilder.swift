/// Builds tracks from the messages of FIT files.
struct FITBuilder {
    private(set) var file = ImportedFile()
    private var track: ImportedTrack?
    private var segment: Int64 = 0
    private var isStopped = false
    /// The channel and base type of each described developer field.
    private var described: [FITDeveloperField: (channel: Channel, type: UInt8)] = [:]

    /// Global message numbers of the FIT profile.
    private enum Kind {
        static let file: UInt16 = 0
        static let sport: UInt16 = 12
        static let session: UInt16 = 18
        static let lap: UInt16 = 19
        static let record: UInt16 = 20
        static let event: UInt16 = 21
        static let device: UInt16 = 23
        static let activity: UInt16 = 34
        static let description: UInt16 = 206
    }

    /// Seconds from 1970 to 1989-12-31, the FIT epoch.
    private static let epochSeconds: Int64 = 631_065_600
    /// Smaller timestamps count seconds since the device was switched on.
    private static let firstTimestamp: Int64 = 0x1000_0000
    private static let developerFieldLimit = 1024

    mutating func beginFile() {
        track = ImportedTrack()
        (segment, isStopped, described) = (0, false, [:])
    }

    mutating func endFile() { file.end(&track) }

    mutating func add(_ message: FITMessage, at timestamp: Int64?) {
        switch message.definition.global {
        case Kind.record: addRecord(message, at: timestamp)
        case Kind.event: addEvent(message)
        case Kind.lap: addLap(message)
        case Kind.session: addSession(message)
        case Kind.sport: name(sport: message.integer(0))
        case Kind.file: addMaker(message, maker: 1, product: 2, name: 8)
        case Kind.device where message.integer(0) == 0:
            addMaker(message, maker: 2, product: 4, name: 27)
        case Kind.activity: addActivity(message)
        case Kind.description: addDescription(message)
        default: break
        }
    }

    private static func time(_ timestamp: Int64?) -> UnixTime? {
        guard let timestamp, timestamp >= firstTimestamp else { return nil }
        return UnixTime(milliseconds: (timestamp + epochSeconds) * 1000)
    }
}

/// Record messages.
extension FITBuilder {
    private mutating func addRecord(_ message: FITMessage, at timestamp: Int64?) {
        var sample = Sample()
        if segment > 0 { sample[count: .segment] = segment }
        sample.time = Self.time(timestamp)
        if let north = message.integer(0), let east = message.integer(1),
            let place = Coordinate(latitude: Self.degrees(north), longitude: Self.degrees(east))
        {
            sample.coordinate = place
        }
        // In units of 1/5 m with an offset of 500 m.
        sample[count: .altitude] = (message.integer(78) ?? message.integer(2)).map { $0 * 2 - 5000 }
        // In mm/s.
        sample[count: .speed] = (message.integer(73) ?? message.integer(6)).map { ($0 + 5) / 10 }
        sample[count: .heartRate] = message.integer(3)
        sample[count: .cadence] = message.integer(4)
        sample[count: .power] = message.integer(7)
        sample[count: .temperature] = message.integer(13).map { $0 * 10 }
        sample[count: .accuracy] = message.integer(31).map { $0 * 10 }
        for (field, place) in message.definition.developerFields {
            guard let (channel, type) = described[field], sample[count: channel] == nil
            else { continue }
            sample[channel] = message.number(at: place, type: type)
        }
        // A file may declare a wider field than Garmin's profile does, with any value in it.
        if let up = sample[count: .altitude], up.magnitude > ImportedFile.altitudeLimit {
            sample[count: .altitude] = nil
        }
        guard sample.readings.contains(where: { $0.channel > .time }) else { return }
        track?.samples.append(sample)
        isStopped = false
    }

    /// Converts semicircles (2^31 are 180°) to 1e-7 degrees, rounded half away from zero.
    private static func degrees(_ semicircles: Int64) -> Int64 {
        let scaled = semicircles * 1_800_000_000
        let half: Int64 = scaled < 0 ? -(1 << 30) : 1 << 30
        return (scaled + half) / (1 << 31)
    }

    /// Starts a new segment when the timer restarts after a stop.
    private mutating func addEvent(_ message: FITMessage) {
        guard message.integer(0) == 0, let type = message.integer(1) else { return }
        switch type {
        case 0:
            if isStopped, track?.samples.isEmpty == false { segment += 1 }
            isStopped = false
        case 1, 4, 8, 9: isStopped = true
        default: break
        }
    }

    /// Maps a developer field to a channel if its description names a native field of a record.
    private mutating func addDescription(_ message: FITMessage) {
        guard let developer = message.integer(0), let number = message.integer(1),
            let type = message.integer(2), let native = message.integer(15),
            message.integer(14).map({ $0 == Int64(Kind.record) }) ?? true,
            let channel = Self.channels[native], described.count < Self.developerFieldLimit
        else { return }
        let field = FITDeveloperField(
            developer: UInt8(truncatingIfNeeded: developer),
            number: UInt8(truncatingIfNeeded: number)
        )
        described[field] = (channel, UInt8(truncatingIfNeeded: type) & 0x1f)
    }

    private static let channels: [Int64: Channel] = [
        2: .altitude, 3: .heartRate, 4: .cadence, 6: .speed, 7: .power, 13: .temperature,
        73: .speed, 78: .altitude,
    ]
}

/// Laps, totals and other facts about the whole track.
extension FITBuilder {
    private mutating func addLap(_ message: FITMessage) {
        guard let start = Self.time(message.integer(2)),
            (track?.laps.count ?? 0) < ImportedFile.lapLimit
        else { return }
        let duration = message.integer(8) ?? message.integer(7)
        let distance = message.integer(9)
        track?.laps.append(.init(start: start, milliseconds: duration, centimetres: distance))
    }

    /// Adds up the totals of several sessions; the sport is that of the first.
    private mutating func addSession(_ message: FITMessage) {
        track?.totals.add(message.integer(7), to: \.elapsedMilliseconds)
        track?.totals.add(message.integer(8), to: \.timerMilliseconds)
        track?.totals.add(message.integer(9), to: \.centimetres)
        track?.totals.add(message.integer(11), to: \.kilocalories)
        track?.totals.add(message.integer(22), to: \.ascentMetres)
        track?.totals.add(message.integer(23), to: \.descentMetres)
        name(sport: message.integer(5))
    }

    /// Derives the UTC offset from the device's local time at the end of the activity.
    ///
    /// The offset is rounded to 15 minutes, because the clock may tick between the two readings.
    private mutating func addActivity(_ message: FITMessage) {
        guard let time = Self.time(message.integer(FITMessage.timestamp)),
            let local = Self.time(message.integer(5))
        else { return }
        let minutes = Double(local.milliseconds - time.milliseconds) / 60_000
        let rounded = (minutes / 15).rounded() * 15
        guard abs(rounded) <= Self.offsetLimitMinutes else { return }
        track?.note(UTCOffset(minutes: Int(rounded)))
    }

    /// Larger offsets mean a wrong clock.
    private static let offsetLimitMinutes = 14.0 * 60

    private mutating func name(sport number: Int64?) {
        guard let number, track?.sport.isEmpty == true, Self.sports.indices.contains(Int(number))
        else { return }
        track?.sport = Self.sports[Int(number)]
    }

    private mutating func addMaker(
        _ message: FITMessage,
        maker: UInt8,
        product: UInt8,
        name: UInt8
    ) {
        guard track?.device.isEmpty == true, let number = message.integer(maker) else { return }
        let known = Self.makers[number] ?? "maker \(number)"
        let text = message.text(name)
        let model = text.isEmpty ? message.integer(product).map { "product \($0)" } ?? "" : text
        track?.device = model.isEmpty ? known : "\(known) \(model)"
    }

    private static let makers: [Int64: String] = [
        1: "Garmin", 23: "Suunto", 32: "Wahoo", 38: "o_synce", 70: "Sigma Sport", 89: "Tacx",
        123: "Polar", 260: "Zwift", 267: "Bryton", 294: "Coros",
    ]

    /// Indexed by Garmin's sport number.
    private static let sports = [
        "", "running", "cycling", "transition", "fitness equipment", "swimming", "basketball",
        "soccer", "tennis", "american football", "training", "walking", "cross country skiing",
        "alpine skiing", "snowboarding", "rowing", "mountaineering", "hiking", "multisport",
        "paddling", "flying", "e-biking", "motorcycling", "boating", "driving", "golf",
        "hang gliding", "horseback riding", "hunting", "fishing", "inline skating",
        "rock climbing", "sailing", "ice skating", "sky diving", "snowshoeing", "snowmobiling",
        "stand up paddleboarding", "surfing", "wakeboarding", "water skiing", "kayaking",
        "rafting", "windsurfing", "kitesurfing",
    ]
}
