import Testing

@testable import SyncCore

/// What a person can still read of after the sync that met it.
@Suite struct SyncTroubleTests {
    private static let space = Identifier(number: 1)
    private static let refusal = ServerRefusal(type: .unauthorized, detail: "")

    @Test(
        arguments: [
            (.complete, nil), (.unreachable(.timedOut(authority: "a")), nil),
            (.busy(ServerRefusal(type: .unavailable, detail: "")), nil),
            (.busy(ServerRefusal(type: .storageFull, detail: "")), "storage-full"),
            (.refused(refusal), "unauthorized"), (.stuck, "stuck"),
            (.untrusted(.wrongKey(authority: "a")), "untrusted"),
            (.failed(.replica(.malformedPage(space: space))), "failed"),
            (.failed(.database(.full)), nil),
        ] as [(SyncResult.End, String?)]
    )
    func `an end that only a person can help is noted`(end: SyncResult.End, trouble: String?) {
        var result = SyncResult()
        result.end = end
        #expect(result.trouble == trouble)
    }
}
