import SyncCore
import Testing

@testable import SyncCLI

@Suite struct BraillePlotTests {
    /// A hill of 100 m, with a rest on top.
    private static let hill = Walk.samples(601) { index, sample in
        sample[.altitude] = 400 + Double(min(index, 300, 600 - index)) / 3
        if (280..<360).contains(index) { sample[count: .altitude] = nil }
        sample[.speed] = 2
        sample[count: .speed] = nil
    }

    @Test func `a plot has a title, ticks at round values and a gap where nothing was read`() {
        let picture = Walk.picture(Self.hill, against: .time)
        let plots = picture.text(columns: 50).components(before: "\n\nspeed")
        #expect(
            plots == """

                elevation, m
                500┤                    ⣠⠄
                   │                ⢀⡠⠖⠋⠁      ⠰⢄⡀
                   │             ⣀⡤⠚⠉            ⠉⠓⢤⣀
                450┤         ⢀⣠⠴⠊⠁                  ⠈⠑⠦⣄⡀
                   │      ⢀⡤⠖⠋                          ⠙⠲⢤⡀
                   │   ⣀⠴⠚⠉                                ⠉⠓⠦⣀
                400┤⣠⠔⠋⠁                                      ⠈⠙⠢⣄
                """
        )
    }
}

extension String {
    fileprivate func components(before text: String) -> String {
        firstRange(of: text).map { String(self[..<$0.lowerBound]) } ?? self
    }
}
