@testable import SyncCore
import Testing

@Suite struct SportKindTests {
    @Test(
        arguments: [
            ("sailing", .sail), ("Windsurfing", .sail), ("running", .foot), ("Trail run", .foot),
            ("Biking", .wheels), ("kayaking", .paddles), ("motor sailing", .motor),
            ("paragliding", .air), ("assailing", .other), ("", .other), (nil, .other),
        ] as [(String?, SportKind)]
    )
    func `a sport is of the kind that its words begin with`(sport: String?, kind: SportKind) {
        #expect(SportKind(sport: sport) == kind)
    }
}
