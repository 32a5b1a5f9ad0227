import ProgramKit
import SyncCore

enum DevicesLinkCommand {
    static let command = Command(
        "devices link",
        summary: "print a one-time link and QR code to add a device",
        options: [Option("--minutes N", "how long the link is valid, up to a week (default: 60)")],
        details: """
            On the other device, run 'wake join LINK'. Anyone who has the link can read all
            your data, so show it to nobody else. The server never sees the secret in it.
            The command also syncs, because the server must know of the link.
            """
    ) { arguments, context in
        let minutes = try arguments.integer("--minutes", in: 1...10_080) ?? 60
        let library = try await context.library()
        var random = context.random
        let draft = try await Enroller.link(
            for: library.replica,
            validSeconds: minutes * 60,
            at: context.moment(),
            using: &random
        )
        try await SyncCommand.sendControls(library, context)
        let link = try await Enroller.anchored(draft, for: library.replica)
        let output = context.output
        output.result(
            .object([("link", .text(link.description)), ("validSeconds", .integer(minutes * 60))])
        ) {
            let code = output.isQuiet ? nil : QRCode(link.description)
            return "\(link)\n" + (code.map { "\n" + $0.text(isColoured: output.isColoured) } ?? "")
        }
        output.note(
            "valid once, for \(minutes.counted("minute")); on the other device: 'wake join LINK'"
        )
        return .success
    }
}
