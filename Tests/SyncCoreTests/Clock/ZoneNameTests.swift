@testable import SyncCore
import Testing

@Suite struct ZoneNameTests {
    @Test(arguments: [
        "Europe/Amsterdam", "America/Argentina/ComodRivadavia", "America/Port-au-Prince",
        "Etc/GMT+5", "EST5EDT", "UTC", "NZ-CHAT", "Mars/Olympus_Mons",
    ])
    func `a name of the database's form is one`(text: String) {
        #expect(ZoneName(text)?.text == text)
    }

    @Test(arguments: [
        "", "/etc/passwd", "/usr/share/zoneinfo/Europe/Amsterdam", "../zoneinfo/Europe/Amsterdam",
        "Europe/../../../../etc/shadow", "Europe/..", "..", ".", "Europe/./Amsterdam",
        "file:Europe/Amsterdam", "file:/dev/zero", "libc:localtime", "Fixed/UTC+05:30:00",
        "localtime", "posixrules", "right/Europe/Amsterdam", "zone1970.tab", "tzdata.zi",
        "Europe//Amsterdam", "Europe/Amsterdam/", "Europe/Amsterdam\0", "Europe\\Amsterdam",
        "Europe/Amster dam", "Europe/Amsterdam\n", "Europe/Ämsterdam", "\u{1b}[2J", "CET-1CEST,M3",
        "~/zone", "$HOME", "Ｅurope/Amsterdam", "A" + String(repeating: "/A", count: 32),
    ])
    func `a name that could lead anywhere else is none`(text: String) {
        #expect(ZoneName(text) == nil)
    }
}
