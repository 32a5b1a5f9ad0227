import ProgramKit
import SyncCore

/// The tracks of a file of any supported format.
///
/// The file is streamed; only packed samples stay in memory.
struct RecordingFile: Sendable {
    /// The SHA-256 of the file, from which the ids of its tracks derive.
    let digest: Digest
    private(set) var tracks: [ImportedTrack]
    /// The waypoints of the file.
    let waypoints: [ImportedWaypoint]
    /// The file itself, or nil if it is too large or not to be kept.
    let original: OriginalFile?
    /// A note on data that was ignored or truncated, or nil if none was.
    let remark: String?
    /// The faults in points and the error that ended the reading; the tracks hold the rest.
    let damage: UserError?
    /// Whether reading ended early, so that the last track may be incomplete.
    let isCut: Bool
    /// Whether the file only looks like a recording: undamaged, but without tracks and waypoints.
    let isNoRecording: Bool

    /// Reads a whole source; throws if it is no recording.
    ///
    /// `packer` packs the file to be kept; nil keeps no file.
    init(_ source: ByteSource, keptBy packer: OriginalPacker? = nil, _ context: Context) throws {
        var reading = Reading(source, packer)
        let broken = try Self.readAll(of: source, into: &reading, context)
        let file = try reading.finish(isWhole: broken == nil)
        digest = reading.digest.finish()
        original = broken == nil ? reading.original(named: source.fileName ?? "", digest) : nil
        damage = Self.damage([file.fault, reading.damage], broken, of: source.name, reading.format)
        isCut = broken != nil || reading.isCut
        isNoRecording =
            broken == nil && file.tracks.allSatisfy(\.samples.isEmpty) && file.waypoints.isEmpty
            && (reading.damage?.isOfAnotherKind ?? true)
        tracks = file.tracks
        waypoints = file.waypoints
        var cutCount = 0
        for index in tracks.indices { cutCount += tracks[index].cutTexts() }
        remark = Self.remark(
            file.passedOver,
            cutCount: cutCount,
            isKept: packer == nil || broken != nil || original != nil
        )
        for index in tracks.indices where tracks[index].name.isEmpty {
            tracks[index].name = source.stem ?? ""
        }
    }

    /// Reads to the end; returns the error of a damaged archive whose data before it is usable.
    private static func readAll(
        of source: ByteSource,
        into reading: inout Reading,
        _ context: Context
    ) throws -> UserError? {
        let progress = Progress(
            source.stem ?? source.name,
            total: source.byteCount,
            unit: .bytes,
            context: context
        )
        defer { progress.end() }
        do {
            while case let piece = try source.next(), !piece.isEmpty {
                try reading.take(piece)
                progress.update(done: reading.byteCount)
            }
            return nil
        } catch let error as ArchiveError where error.leavesWhatCameBefore {
            return UserError(source.name, error)
        }
    }

    /// Combines all faults, without repetitions, into one error.
    private static func damage(
        _ faults: [FormatError?],
        _ broken: UserError?,
        of name: String,
        _ format: RecordingFormat?
    ) -> UserError? {
        let told = faults.compactMap(\.self).uniqued().map { UserError(name, $0, format) }
        let userErrors = told + [broken].compactMap(\.self)
        return userErrors.last.map { last in
            let message = userErrors.map(\.message).joined(separator: "; ")
            return UserError(last.code, message, hint: last.hint)
        }
    }

    private static func remark(
        _ counts: [ImportedFile.PassedOver: Int],
        cutCount: Int,
        isKept: Bool
    ) -> String? {
        let parts = ImportedFile.PassedOver.allCases.compactMap { what in
            counts[what].map { count in
                let (one, many) = what.words
                return count.counted(one, many)
            }
        }
        var remarks: [String] = []
        if !parts.isEmpty { remarks.append("skipped " + parts.joined(separator: ", ")) }
        if cutCount > 0 {
            let texts = cutCount.counted("text", "texts")
            remarks.append("shortened \(texts) longer than 16 KiB")
        }
        if !isKept { remarks.append("the original file is too large to keep") }
        return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
    }
}

/// The state of reading a file.
private struct Reading {
    let digest = DigestBuilder()
    private(set) var byteCount = 0
    private(set) var format: RecordingFormat?
    private(set) var damage: FormatError?
    private(set) var isCut = false
    private let source: ByteSource
    private var head: [UInt8] = []
    private var reader: (any RecordingReader)?
    private var packer: OriginalPacker?

    init(_ source: ByteSource, _ packer: OriginalPacker?) {
        self.source = source
        self.packer = packer
    }

    mutating func original(named name: String, _ digest: Digest) -> OriginalFile? {
        // An archive entry may have a longer name than any file system allows.
        packer?.finish(name: name.utf8.count <= 255 ? name : "", digest: digest)
    }

    mutating func take(_ piece: [UInt8]) throws {
        digest.add(piece)
        packer?.add(piece)
        byteCount += piece.count
        if reader == nil {
            head += piece
            if head.count >= RecordingFormat.headSize { try begin() }
        } else {
            feed(piece)
        }
    }

    mutating func finish(isWhole: Bool) throws -> ImportedFile {
        if reader == nil { try begin() }
        guard var reader else { throw noRecording() }
        if isWhole, damage == nil {
            do throws(FormatError) {
                return try reader.finish()
            } catch {
                damage = error
                isCut = !error.isOfPoints
            }
        }
        return reader.salvage()
    }

    private mutating func begin() throws {
        format = RecordingFormat(head: head)
        guard let format else { throw noRecording() }
        reader = format.reader()
        feed(head)
        head = []
    }

    /// Parses a piece; after an error the rest of the file only counts for the digest.
    private mutating func feed(_ piece: [UInt8]) {
        guard damage == nil else { return }
        do throws(FormatError) {
            try reader?.feed(piece)
        } catch {
            damage = error
            isCut = true
        }
    }

    private func noRecording() -> NoRecording {
        NoRecording(name: source.name, isEmpty: byteCount == 0)
    }
}

/// A file in none of the supported formats.
struct NoRecording: DescribedError {
    let name: String
    let isEmpty: Bool

    var words: (message: String, hint: String?) {
        let reason = isEmpty ? ": the file is empty" : ":1: not one of the formats \(Self.formats)"
        return (name + reason, nil)
    }

    private static let formats = RecordingFormat.allCases.map(\.rawValue).joined(separator: ", ")
}

extension ImportedFile.PassedOver {
    fileprivate var words: (one: String, many: String) {
        switch self {
        case .route: ("route", "routes")
        case .waypoint: ("waypoint", "waypoints")
        case .shape: ("shape that is not a line", "shapes that are not lines")
        case .value: ("value that is not a number", "values that are not numbers")
        case .badChecksum: ("sentence with a wrong checksum", "sentences with a wrong checksum")
        case .missingChecksum: ("sentence without a checksum", "sentences without a checksum")
        case .line: ("line that is not a sentence", "lines that are not sentences")
        case .timeOfDay: ("time of day without a date", "times of day without a date")
        }
    }
}
