import ProgramKit
import Testing

@Suite struct FixedDecimalsTests {
    @Test(arguments: [
        (1.005, 1, "1.0"), (-0.5, 0, "-1"), (0.05, 1, "0.1"), (12.345, 0, "12"), (0.007, 2, "0.01"),
        (-3.14159, 3, "-3.142"), (.infinity, 1, "–"), (.nan, 1, "–"), (1e30, 1, "–"),
    ])
    func `a number has a fixed count of decimals`(value: Double, decimals: Int, text: String) {
        #expect(value.fixed(decimals) == text)
    }
}
