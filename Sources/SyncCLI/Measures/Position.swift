import ProgramKit
import SyncCore

/// Positions as text.
extension Coordinate {
    /// Degrees north and east with five decimals (1 m): `52.85123,5.31045`.
    var words: String { "\(Self.degrees(latitude)),\(Self.degrees(longitude))" }

    private static func degrees(_ count: Int32) -> String { (Double(count) / 1e7).fixed(5) }

    /// The position as JSON, in degrees.
    var json: JSON {
        .object([
            ("latitude", .number(Double(latitude) / 1e7, decimals: 7)),
            ("longitude", .number(Double(longitude) / 1e7, decimals: 7)),
        ])
    }

    /// Parses a position in degrees, optionally with minutes and seconds.
    ///
    /// Examples: `52.85123,5.31045`, `52°51.07'N 5°18.63'E`, `S33 51 24 E151 12 54`.
    init(typed text: String) throws(UserError) {
        guard let angles = Self.angles(in: text), let position = Self(angles) else {
            throw UserError.usage(
                "'\(text.withoutControls.shortened(to: 40))' is not a position",
                hint:
                    "use degrees north and east, such as 52.85123,5.31045 or 52°51.07'N 5°18.63'E"
            )
        }
        self = position
    }

    private init?(_ angles: (Angle, Angle)) {
        let (first, second) = angles
        let isSwapped = first.axis == .eastWest && second.axis == .northSouth
        let (north, east) = isSwapped ? (second, first) : (first, second)
        guard north.axis != .eastWest, east.axis != .northSouth, let latitude = north.degrees,
            let longitude = east.degrees, (-90...90).contains(latitude),
            (-180...180).contains(longitude)
        else { return nil }
        self.init(
            latitude: Int64((latitude * 1e7).rounded()),
            longitude: Int64((longitude * 1e7).rounded())
        )
    }

    /// Splits a text into its two angles.
    private static func angles(in text: String) -> (Angle, Angle)? {
        guard text.utf8.count <= longestText else { return nil }
        let halves = text.split(separator: ",", omittingEmptySubsequences: false)
        if halves.count == 2 {
            guard let first = Angle(tokens(in: halves[0])),
                let second = Angle(tokens(in: halves[1]))
            else { return nil }
            return (first, second)
        }
        let tokens = tokens(in: text[...])
        // A letter ends or begins its half; without letters both halves have as many tokens.
        let letters = tokens.indices.filter { tokens[$0].isLetter }
        let middle: Int
        switch letters.count {
        case 0: middle = tokens.count / 2
        case 2: middle = letters[0] == 0 ? letters[1] : letters[0] + 1
        default: return nil
        }
        guard halves.count == 1, let first = Angle(Array(tokens[..<middle])),
            let second = Angle(Array(tokens[middle...]))
        else { return nil }
        return (first, second)
    }

    private static let longestText = 100

    fileprivate enum Token {
        case number(String)
        case letter(Character)
        case other

        var isLetter: Bool { if case .letter = self { true } else { false } }
    }

    private static func tokens(in text: Substring) -> [Token] {
        var tokens: [Token] = []
        var number = ""
        func finish() {
            if !number.isEmpty { tokens.append(.number(number)) }
            number = ""
        }
        for character in text.uppercased() {
            switch character {
            case "0"..."9", ".": number.append(character)
            case "+", "-", "−":
                finish()
                if character != "+" { number = "-" }
            case "N", "S", "E", "W":
                finish()
                tokens.append(.letter(character))
            case " ", "°", "º", "'", "′", "’", "\"", "″", "”", ":": finish()
            default:
                finish()
                tokens.append(.other)
            }
        }
        finish()
        return tokens
    }
}

/// One angle of a position: degrees, optional minutes and seconds, and an optional letter.
private struct Angle {
    enum Axis { case northSouth, eastWest }

    /// The axis that the letter implies, or nil without a letter.
    let axis: Axis?
    private let isNegative: Bool
    private let parts: [Double]

    init?(_ tokens: [Coordinate.Token]) {
        var letters: [Character] = []
        var numbers: [String] = []
        for token in tokens {
            switch token {
            case .number(let text): numbers.append(text)
            case .letter(let letter): letters.append(letter)
            case .other: return nil
            }
        }
        let isSigned = numbers.first?.hasPrefix("-") == true
        let parts = numbers.map { $0.drop { $0 == "-" } }.compactMap { Double($0) }
        guard letters.count <= 1, (1...3).contains(numbers.count), parts.count == numbers.count,
            !numbers.dropFirst().contains(where: { $0.hasPrefix("-") }),
            // Only the last part may have decimals: 52.5° 30' is a typing error.
            parts.dropLast().allSatisfy({ $0 == $0.rounded() }), !(isSigned && !letters.isEmpty)
        else { return nil }
        axis = letters.first.map { "NS".contains($0) ? .northSouth : .eastWest }
        isNegative = isSigned || letters.first.map { "SW".contains($0) } ?? false
        self.parts = parts
    }

    /// The angle in degrees, or nil if minutes or seconds are 60 or more.
    var degrees: Double? {
        guard parts.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
        let sum = zip(parts, [1.0, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
        return isNegative ? -sum : sum
    }
}
