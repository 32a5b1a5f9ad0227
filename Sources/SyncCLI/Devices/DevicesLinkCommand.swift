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
            """
    ) { arguments, context in
        let minutes = try arguments.integer("--minutes", in: 1...10_080) ?? 60
        let library = try await context.library()
        let client = try await library.client(context)
        try await client.register(library.space)
        var random = context.random
        let link = try await Enroller.link(
            for: library.replica,
            client: client,
            validSeconds: minutes * 60,
            using: &random
        )
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
