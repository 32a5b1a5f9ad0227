import ProgramKit
import Testing

@Suite struct JSONTests {
    @Test(arguments: [
        (0.1, 1, "0.1"), (1.5, 3, "1.5"), (2, 3, "2"), (-0.001, 2, "0"), (-7.25, 2, "-7.25"),
        (120, 0, "120"), (.nan, 1, "null"), (-.infinity, 1, "null"),
    ])
    func `a number has the fewest digits`(value: Double, decimals: Int, text: String) {
        #expect(JSON.number(value, decimals: decimals).compact == text)
    }

    @Test(arguments: [1e10, -12_345_678_901.5, 1.5e300, -Double.greatestFiniteMagnitude])
    func `a number that does not fit 64 bits with its decimals is kept`(value: Double) {
        #expect(Double(JSON.number(value, decimals: 9).compact) == value)
    }
}
