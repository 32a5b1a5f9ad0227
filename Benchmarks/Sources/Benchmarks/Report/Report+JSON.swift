internal import FoundationEssentials

extension Report {
    /// The same for a program.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let document = Document(
            isKept: isKept,
            counts: counts.map { count in
                Document.Count(
                    name: count.name,
                    value: count.value,
                    limit: thresholds.limit(of: count),
                    isKept: thresholds.isKept(by: count)
                )
            },
            times: times.map { time in
                Document.Time(
                    name: time.name,
                    value: time.value,
                    unit: time.unit,
                    floor: time.floor?.name,
                    floorValue: time.floor?.value,
                    ratio: time.ratio
                )
            },
            unknownLimits: missing
        )
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private struct Document: Encodable {
        let isKept: Bool
        let counts: [Count]
        let times: [Time]
        let unknownLimits: [String]

        struct Count: Encodable {
            let name: String
            let value: Double?
            let limit: Double?
            let isKept: Bool
        }

        struct Time: Encodable {
            let name: String
            let value: Double
            let unit: String
            let floor: String?
            let floorValue: Double?
            let ratio: Double?
        }
    }
}
