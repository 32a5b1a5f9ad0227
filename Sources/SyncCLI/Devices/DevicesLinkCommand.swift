import ProgramKit
import SyncCore

enum DevicesLinkCommand {
    static let command = Command(
        "devices link",
        summary: "print a one-time link and QR code to add a device",
        options: [
            Option("--minutes N", "how long the link is valid, up to a week (default: 60)"),
            Option("--no-wait", "end at once; otherwise, on a terminal, wait for the other device"),
        ],
        details: """
            On the other device, run 'wake join LINK'. Anyone who has the link can read all
            your data, so show it to nobody else. The server never sees the secret in it.
            The command also syncs, because the server must know of the link.
            'wake devices list' shows the links that are still valid, and
            'wake devices revoke ID' withdraws one.
            """
    ) { arguments, context in
        let minutes = try arguments.integer("--minutes", in: 1...10_080) ?? 60
        let library = try await context.library()
        let change = MemberChange(library: library, context: context, failure: "no link was made")
        try await change.prepare()
        var random = context.random
        let draft = try await Enroller.link(
            for: library.replica,
            validSeconds: minutes * 60,
            at: context.moment(),
            using: &random
        )
        let invitation = draft.secret.keys.publicKeys.invitation
        try await change.send { $0.invitations[invitation]?.isOpen == true }
        let link = try await Enroller.anchored(draft, for: library.replica)
        LinkPage.show(link, validSeconds: minutes * 60, context.output)
        context.output.note(
            "valid once, for \(minutes.counted("minute")); on the other device: 'wake join LINK'"
        )
        guard context.output.isTerminal, !context.output.isJSON, !context.output.isQuiet,
            !arguments.flag("--no-wait")
        else { return .success }
        return try await LinkWait(
            invitation: invitation,
            milliseconds: Int64(minutes) * 60_000,
            library: library,
            context: context
        ).run()
    }
}

/// Syncs until a device has joined by a link, the link has ended, or the user has seen enough.
private struct LinkWait: Sendable {
    /// The interval at which an interrupt is checked.
    private static let lookMilliseconds = 500
    /// The interval between syncs.
    private static let pauseMilliseconds: Int64 = 3000

    let invitation: Identifier
    let milliseconds: Int64
    let library: Library
    let context: Context

    func run() async throws -> ExitCode {
        let isOver = context.catchInterrupts()
        let client = try await library.client(context)
        // A status line would flicker every few seconds.
        var quiet = context
        quiet.output.isErrorTerminal = false
        let start = context.uptimeMilliseconds()
        context.output.note("waiting for the other device; Ctrl-C ends only the wait")
        var last: SyncResult.End?
        while !isOver(), context.uptimeMilliseconds() - start < milliseconds {
            let report = try await SyncCommand.exchange(library, client, quiet)
            if report.result.end != last, let userError = report.userError {
                context.output.report(userError)
            }
            last = report.result.end
            if case .refused = report.result.end { return report.userError?.code ?? .failure }
            if let end = try await outcome() { return end }
            try await pause(isOver)
        }
        context.output.note("no device has joined yet; 'wake devices list' shows the link")
        return .success
    }

    /// How the wait ends; nil while nobody has used the link.
    private func outcome() async throws -> ExitCode? {
        let known = try await library.replica.read {
            try $0.controls.chain(of: $0.spaces.own()).invitations[invitation]
        }
        guard let known else { return nil }
        guard !known.isClosed else {
            throw UserError.attention("the link was withdrawn", hint: "make another one")
        }
        guard !known.isOpen else { return nil }
        let devices = try await library.replica.read { try $0.devices.listed() }
        // The control set that used the link is the newest that let a device in by this one.
        let own = try await library.replica.read { try $0.identity.current() }.device
        let joined = devices.last { $0.voucher == own && $0.kind == .device }
        let name = joined.map { $0.name?.withoutControls ?? $0.id.short } ?? "the device"
        context.output.text("\(name) has joined\n")
        return .success
    }

    private func pause(_ isOver: @Sendable () -> Bool) async throws {
        let start = context.uptimeMilliseconds()
        while !isOver(), context.uptimeMilliseconds() - start < Self.pauseMilliseconds {
            try await context.sleep(Self.lookMilliseconds)
        }
    }
}
