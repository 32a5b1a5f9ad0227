import SyncCore
import Testing

@testable import SyncServer

@Suite struct AccessLogTests {
    private static let answered = RequestRecord(
        id: "k7",
        route: "sync",
        status: 200,
        bytesIn: 120,
        bytesOut: 4096,
        duration: .microseconds(12_900),
        device: "01hzy3",
        fault: nil
    )
    private static let failed = RequestRecord(
        id: "k8",
        route: "-",
        status: 500,
        bytesIn: 0,
        bytesOut: 88,
        duration: .zero,
        device: nil,
        fault: "disk \"a\"\nfull"
    )

    private func line(_ format: AccessLog.Format, _ record: RequestRecord) -> String {
        let lines = Locked("")
        let now = UnixTime(milliseconds: 1_700_000_000_123)
        let log = AccessLog(format: format, now: { now }) { line in
            lines.withLock { $0 += line }
        }
        log(record)
        return lines.withLock { $0 }
    }

    @Test func `text is for a person`() {
        let expected = "1700000000123 k7 sync 200 120/4096 B 12 ms 01hzy3\n"
        #expect(line(.text, Self.answered) == expected)
        let failure = "1700000000123 k8 - 500 0/88 B 0 ms - disk \"a\" full\n"
        #expect(line(.text, Self.failed) == failure)
    }

    @Test func `JSON is for a program`() {
        #expect(
            line(.json, Self.answered) == """
                {"bytes_in":120,"bytes_out":4096,"device":"01hzy3","id":"k7","milliseconds":12,\
                "route":"sync","status":200,"time":1700000000123}\n
                """
        )
        #expect(
            line(.json, Self.failed) == """
                {"bytes_in":0,"bytes_out":88,"fault":"disk \\"a\\"\\nfull","id":"k8",\
                "milliseconds":0,"route":"-","status":500,"time":1700000000123}\n
                """
        )
    }
}
