import ProgramKit
import SyncCore

enum StatusCommand {
    static let command = Command(
        "status",
        summary: "show unsent changes and what needs attention",
        details: """
            The exit code is 4 while something of the server's log is missing here; for
            anything else, scripts can read --json.
            """
    ) { _, context in
        let report = try await StatusReport(of: try await context.library(), context)
        if context.output.isJSON {
            context.output.json(report.json)
        } else {
            report.show(on: context.output)
        }
        return report.isWhole ? .success : .attention
    }
}

/// The output of `status`.
private struct StatusReport {
    let identity: DeviceIdentity
    let status: ReplicaStatus
    let spaces: [SpaceSummary]
    let rejections: RejectionReport?
    /// The last renaming of the replica, if it is recent.
    let renamed: ReplicaEvent?
    let cutShort: ReplicaEvent?
    let recording: Track?
    let isRecorderRunning: Bool
    let clockOffset: Int64?
    let now: UnixTime
    let preferences: Preferences
    let folder: String
    let hasRecoveryCode: Bool
    let breaches: [Breach]
    /// The number of held sets of others that this person can decide on.
    let undecided: Int

    init(of library: Library, _ context: Context) async throws {
        let replica = library.replica
        identity = try await replica.read { try $0.identity.current() }
        status = try await replica.read { try $0.maintenance.status() }
        spaces = try await replica.read { try $0.spaces.all() }
        preferences = try await library.preferences()
        rejections =
            status.held + status.refused + status.pending > 0
            ? try await RejectionReport(of: library, preferences) : nil
        isRecorderRunning = RecorderLock.isTaken(in: library.folder)
        if let id = try await replica.read({ try $0.recordings.unfinishedTracks(in: library.space) }
        ).first {
            recording = try await library.present(id)
        } else {
            recording = nil
        }
        clockOffset = identity.anchor?.offsetMilliseconds(at: context.moment())
        now = context.now()
        let oldest = now.milliseconds - Self.newsMilliseconds
        (renamed, cutShort) = try await replica.read { parts in
            func news(_ kind: ReplicaEvent.Kind) throws -> ReplicaEvent? {
                try parts.events.last(kind).flatMap { $0.time.milliseconds > oldest ? $0 : nil }
            }
            return (try news(.renamed), try news(.cutShort))
        }
        folder = library.folder
        hasRecoveryCode = try await replica.read {
            try $0.controls.plannedChain(of: $0.spaces.own()).hasRecoveryCode
        }
        breaches = try await replica.read { try $0.breaches.open() }
        undecided = try await replica.read { parts in
            try parts.sharedSpaces.governed()
                .reduce(0) { try $0 + parts.rejected.heldCount(in: $1, ofOthers: true) }
        }
    }

    /// Whether this replica has everything that the merged log names.
    var isWhole: Bool { status.missing + status.wantedChunks == 0 }

    /// Events are shown for a week.
    private static let newsMilliseconds: Int64 = 7 * 86_400_000

    /// The number of sets to send, counting unsealed changes as one more.
    private var queued: Int { status.queued + (status.unsealed > 0 ? 1 : 0) }

    var json: JSON {
        .object([
            ("device", .text(identity.device.description)),
            ("deviceName", .text(identity.name)),
            ("replica", .text(identity.replica.description)),
            ("server", .text(identity.authority)),
            ("trust", .text(identity.trust?.description)),
            ("queued", .integer(queued)),
            ("unsealed", .integer(status.unsealed)),
            ("unpackedSamples", .integer(status.unpackedSamples)),
            ("isSent", .bool(status.isSent)),
            ("lastSync", .time(identity.lastSync)),
            ("held", .integer(status.held)),
            ("undecided", .integer(undecided)),
            ("refused", .integer(status.refused)),
            ("pending", .integer(status.pending)),
            ("missing", .integer(status.missing)),
            ("wantedChunks", .integer(status.wantedChunks)),
            ("lostChunks", .integer(status.lostChunks)),
            ("mismatches", .integer(status.mismatches)),
            ("clockOffset", clockOffset.map { .integer($0) } ?? .null),
            ("recording", recordingJSON),
            ("trouble", .text(identity.trouble)),
            ("renamed", .time(renamed?.time)),
            ("cutShort", .time(cutShort?.time)),
            ("hasRecoveryCode", .bool(hasRecoveryCode)),
            ("breaches", .array(breaches.map { .text("\($0)") })),
            ("concerns", .array(rejections?.json ?? [])),
        ])
    }

    private var recordingJSON: JSON {
        guard let recording else { return .null }
        return .object([
            ("track", .text(recording.id.description)),
            ("name", .text(recording.name)),
            ("isRunning", .bool(recording.status != .interrupted)),
            ("isPaused", .bool(recording.status == .paused)),
        ])
    }

    func show(on output: Output) {
        output.fields(fields)
        if let rejections {
            output.line()
            rejections.show(on: output, preferences)
        }
        guard let hint else { return }
        output.line("\n" + hint)
    }

    private var fields: [(label: String, value: String?)] {
        var fields: [(label: String, value: String?)] = [
            ("device", "\(identity.name) (\(identity.device.short))"),
            ("server", identity.authority ?? "none"), ("trust", identity.trust.map(words)),
            ("last sync", lastSync), ("queued", waiting), ("clock", clock),
            ("recovery", recovery), ("trouble", identity.trouble.map(SyncReport.words)),
            ("renamed", renamed.map { "\(preferences.time($0.time)) UTC: \($0.words)" }),
            ("disk", cutShort.map { "\(preferences.time($0.time)) UTC: \($0.words)" }),
        ]
        let counts = [
            ("held", status.held, "change set", "of this device, waiting for an admin"),
            ("held", undecided, "change set", "of others, for you to decide: 'wake held'"),
            ("refused", status.refused, "change set", "of this device, refused by the server"),
            ("pending", status.pending, "change set", "kept, but not readable yet"),
            ("missing", status.missing, "change set", "with contents not received yet"),
            ("missing", status.wantedChunks, "chunk", "of points and files not received yet"),
            (
                "damaged", status.lostChunks, "chunk",
                "of points and files whose only copy is damaged"
            ),
            ("differing", status.mismatches, "space", "with other contents than the server's"),
        ]
        fields += breaches.map { (label: "breach", value: "\($0)") }
        fields += counts.map { label, count, noun, rest in
            (label: label, value: count > 0 ? "\(count.counted(noun)) \(rest)" : nil)
        }
        return fields + [("recording", recording.map(line))]
    }

    private func words(for trust: ServerTrust) -> String {
        switch trust {
        case .plain: "plain HTTP, on this machine"
        case .authorities: "certificate of an authority"
        case .pinned: "key \(trust)"
        }
    }

    /// A device that has not joined yet gets its code then.
    private var recovery: String? {
        guard identity.authority != nil, !hasRecoveryCode else { return nil }
        return "no recovery code; 'wake recovery' prints one"
    }

    private var lastSync: String {
        guard let time = identity.lastSync else { return "never" }
        let ago = Elapsed.ago(milliseconds: now.milliseconds - time.milliseconds)
        return "\(preferences.time(time)) UTC (\(ago))"
    }

    private var waiting: String {
        guard !status.isSent else { return "nothing" }
        let parts = [
            (status.unsealed, "changed field", "changed fields"),
            (status.queued, "batch of changes", "batches of changes"),
            (status.unpackedSamples, "recorded sample", "recorded samples"),
        ]
        return parts.filter { $0.0 > 0 }.map { $0.counted($1, $2) }.joined(separator: ", ")
    }

    private var clock: String {
        guard let clockOffset else { return "not compared with a server since the machine started" }
        return ClockOffset(milliseconds: clockOffset).words
    }

    private func line(of track: Track) -> String {
        let samples = track.sampleCount.counted("sample")
        return switch track.status {
        case .interrupted: "\(track.label), interrupted after \(samples)"
        case .paused: "\(track.label), \(samples), paused"
        default: "\(track.label), \(samples), running"
        }
    }

    private var hint: String? {
        if let recording, !isRecorderRunning { return Track.resuming(recording.label) }
        if identity.authority == nil { return "'wake join LINK' connects this device to a server" }
        // A device unknown to the server cannot send; the line on its trouble explains that.
        let isKnown = identity.trouble.flatMap(ProblemType.init(rawValue:)) != .unauthorized
        return status.isSent || !isKnown ? nil : "'wake sync' sends the queued changes"
    }
}
