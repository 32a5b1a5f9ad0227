import ProgramKit
import SyncCore

/// A link as a person sees it: its text and a QR code.
enum LinkPage {
    static func show(_ link: Link, validSeconds: Int, _ output: Output) {
        output.result(
            .object([("link", .text(link.description)), ("validSeconds", .integer(validSeconds))])
        ) {
            let code = output.isQuiet ? nil : QRCode(link.description)
            return "\(link)\n" + (code.map { "\n" + $0.text(isColoured: output.isColoured) } ?? "")
        }
    }
}
