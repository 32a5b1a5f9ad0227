import ProgramKit
import SyncCore

enum DevicesLinkCommand {
    static let command = Command(
        "devices link",
        summary: "print a link and its QR code that let another device in once",
        options: [Option("--minutes N", "how long the link is good for, up to a week (60)")],
        details: """
            On the other device: 'wake join LINK'. Who has the link can read all that is yours,
            so show it to nobody else; the server never sees its secret.
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
            .object([
                ("link", .text(link.description)), ("validSeconds", .integer(minutes * 60)),
            ])
        ) {
            let code = output.isQuiet ? nil : QRCode(link.description)
            return "\(link)\n" + (code.map { "\n" + $0.text(isColoured: output.isColoured) } ?? "")
        }
        output.note("good once, for \(minutes.counted("minute")): 'wake join LINK'")
        return .success
    }
}
