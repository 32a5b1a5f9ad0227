import ProgramKit
import SyncCore

enum RecoveryCommand {
    static let command = Command(
        "recovery",
        summary: "print a recovery code, if all devices get lost",
        details: """
            Write the code on paper. 'wake join --recovery' with this code restores all your
            data on a new device. Anyone who has the code and reaches the server can read
            your data. Wake does not keep the code; earlier codes stay valid. The command
            also syncs, because the server must know of the code.
            """
    ) { _, context in
        let library = try await context.library()
        let server = try await library.server()
        let change = MemberChange(
            library: library,
            context: context,
            failure: "no code was made",
            unsent: "the code above does not work yet"
        )
        try await change.prepare()
        var random = context.random
        let code = RecoveryCode(using: &random)
        let now = context.moment()
        try await library.replica.write { try $0.controlSealer.add(code, at: now) }
        // Shown also if the sync fails: the next one makes the code count.
        show(code, server, context.output)
        let card = code.keys.publicKeys.device
        try await change.send { $0.cards[card] != nil }
        return .success
    }

    private static func show(
        _ code: RecoveryCode,
        _ server: (authority: String, trust: ServerTrust),
        _ output: Output
    ) {
        let address = ServerLocation(authority: server.authority, trust: server.trust)
        output.result(
            .object([
                ("recoveryCode", .text(code.description)), ("server", .text(address.description)),
            ])
        ) { text(of: code, address) }
    }

    /// What a person writes down.
    static func text(of code: RecoveryCode, _ address: ServerLocation) -> String {
        """
        recovery code: \(code)
        server:        \(address)
        Write both on paper: they restore your data if you lose every device.

        """
    }
}
