import Harness
@testable import SyncCore
import Testing

import ProgramKit
@testable import SyncCLI

@Suite struct PicturePageTests {
    /// Counts the elements of a document.
    private final class Elements: XMLHandler {
        var counts: [String: Int] = [:]
        var size: [String] = []

        func start(_ name: String, _ attributes: [XMLAttribute]) {
            counts[name, default: 0] += 1
            guard name == "svg" else { return }
            size = attributes.filter { ["width", "height"].contains($0.name) }
                .map { String(decoding: $0.value, as: UTF8.self) }
        }

        func end(_ name: String, text: [UInt8]) {}

        func readsOn(after reason: FormatError.Reason) -> Bool { false }
    }

    /// Parses an SVG; throws where it is not well-formed.
    private static func elements(of picture: TrackPicture) throws -> Elements {
        let elements = Elements()
        let parser = XMLParser(handler: elements)
        try parser.feed(try PicturePage(picture: picture).bytes(.svg))
        try parser.finish()
        return elements
    }

    /// Width and height of a PNG; nil where it is none.
    private static func size(of picture: TrackPicture) throws -> [Int]? {
        let bytes = try PicturePage(picture: picture).bytes(.png)
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            bytes.suffix(8).starts(with: Array("IEND".utf8))
        else { return nil }
        return [16, 20].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    }

    private static func placed(_ places: [(Double, Double)]) -> [Sample] {
        Walk.samples(places.count) { index, sample in
            (sample[.latitude], sample[.longitude]) = places[index]
        }
    }

    static let oddities: [(String, [Sample])] = [
        ("one point", Walk.samples(1)), ("two points", Walk.samples(2)),
        ("all in one place", placed(Array(repeating: (52, 5), count: 100))),
        ("over the antimeridian", placed([(0, 179.9), (0.1, -179.9), (0.2, 179.9)])),
        ("at a pole", placed([(89.9, 0), (90, 90), (89.9, 180), (89.9, -90)])),
        ("around the earth", placed((0..<360).map { (0, Double($0) - 179.5) })),
        ("from pole to pole", placed([(-90, -180), (90, 180)])),
        (
            "no places",
            Walk.samples(9) {
                $1[count: .latitude] = nil; $1[.heel] = Double($0)
            }
        ),
        ("no times", Walk.samples(9) { $1[count: .time] = nil }),
        ("years", Walk.samples(9, everySeconds: 100_000_000) { $1[.heel] = Double($0) }),
        (
            "absurd values",
            Walk.samples(9) { index, sample in
                for channel in [Channel.altitude, .speed, .heartRate, .heel] {
                    sample[count: channel] = index % 2 == 0 ? .max : .min
                }
            }
        ),
        (
            "many pauses",
            Walk.samples(300) { index, sample in
                sample[count: .segment] = Int64(index)
                sample[.altitude] = 3
            }
        ),
    ]

    @Test(arguments: Rounds.sample(oddities.map(\.0), every: 2))
    func `whatever was recorded makes a page`(name: String) throws {
        let samples = try #require(Self.oddities.first { $0.0 == name }?.1)
        for abscissa in Abscissa.allCases {
            let picture = Walk.picture(samples, against: abscissa)
            let elements = try Self.elements(of: picture)
            #expect(elements.counts["path", default: 0] > 0)
            let size = try Self.size(of: picture)
            #expect(size == [1785, 2526])
            for columns in [nil, 0, 1, 30, 40, 80, 500] {
                let text = picture.text(columns: columns)
                let widest = max(30, min(columns ?? 80, 100))
                let lines = text.split(separator: "\n").filter { !$0.contains("north up") }
                #expect(lines.allSatisfy { String($0).displayWidth <= widest })
            }
        }
    }

    @Test func `a page is A4`() throws {
        let elements = try Self.elements(of: Walk.picture(Walk.samples(100)))
        #expect(elements.size == ["595pt", "842pt"])
    }

    @Test(
        arguments: [
            "<script>&amp;\"'", "\u{1B}[31mred\u{0}\u{7}", "日本語 🛥 עברית", "",
            String(repeating: "a long name ", count: 200), "\u{202E}turned",
        ]
    )
    func `a title and marks of any text make a page`(text: String) throws {
        let mark = Mark(text, at: UnixTime(milliseconds: Walk.start + 30_000), id: .zero)
        let picture = TrackPicture(
            of: Walk.track(name: text, sport: text),
            Walk.trace(Walk.samples(100), sport: text),
            marks: [mark],
            against: nil,
            Preferences()
        )
        #expect(picture.marks.count == 1)
        let elements = try Self.elements(of: picture)
        #expect(elements.counts["script"] == nil)
        let size = try Self.size(of: picture)
        #expect(size != nil)
    }

    @Test func `a mark stands where the track was then`() throws {
        let times: [Int64] = [-100_000, 0, 30_500, 99_000, 99_001]
        let marks = times.map {
            Mark("here", at: UnixTime(milliseconds: Walk.start + $0), id: .zero)
        }
        let samples = Walk.samples(100)
        let places = Walk.picture(samples, marks: marks).marks.map(\.position.latitude)
        #expect(places == [0, 0, 31, 99].map { samples[$0][.latitude] })
    }

    @Test func `a long track makes a small page`() throws {
        let samples = Walk.samples(20_000) { index, sample in
            sample[.longitude] = 5 + Double(index * 7919 % 10_007) / 1e5
            sample[.heel] = Double(index * 31 % 41) - 20
        }
        let bytes = try PicturePage(picture: Walk.picture(samples)).bytes(.svg)
        #expect(bytes.count < 300_000)
    }

    @Test func `the same track makes the same picture`() throws {
        let pictures = try (0..<2).map { _ in
            try PicturePage(picture: Walk.picture(Walk.samples(100))).bytes(.png)
        }
        #expect(pictures[0] == pictures[1])
    }

    @Test func `of what is not here no file is made, and that is said`() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/nothing.svg"
        let words = ["tracks", "show", "7v2m", "--svg", path]
        guard case .run(_, let arguments) = try Request(words, of: Wake.program) else {
            return
        }
        let test = TestContext()
        let files = try PictureFiles(arguments)
        #expect {
            try files.write(Walk.picture([]), test.context)
        } throws: { error in
            (error as? UserError)?.message
                == "cannot draw 00000000 'Walk': no point was received yet, or all are flagged as wrong"
        }
        #expect(!OutputFile.isTaken(path))
    }

    @Test func `a PNG is not poured over a terminal`() throws {
        let words = ["tracks", "show", "7v2m", "--png", "-"]
        guard case .run(_, let arguments) = try Request(words, of: Wake.program) else {
            return
        }
        var test = TestContext()
        test.context.output.isTerminal = true
        let (files, context) = (try PictureFiles(arguments), test.context)
        #expect {
            try files.write(Walk.picture(Walk.samples(9)), context)
        } throws: { ($0 as? UserError)?.code == .usage }
        test.context.output.isTerminal = false
        try files.write(Walk.picture(Walk.samples(9)), test.context)
        #expect(test.output.take().contains("IHDR"))
    }
}
