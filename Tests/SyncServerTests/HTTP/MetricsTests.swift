import Testing

@testable import SyncServer

@Suite struct MetricsTests {
    @Test func `counters and gauges are sorted by name and label`() {
        let metrics = Metrics()
        let sets = Metric("wake_sets_total", .counter, "Sets stored.")
        let free = Metric("wake_disk_free_bytes", .gauge, "Room on the disk.")
        metrics.increase(sets, by: 2, ["verdict": "held"])
        metrics.increase(sets, ["verdict": "accepted"])
        metrics.increase(sets, ["verdict": "accepted"])
        metrics.set(1.5, of: free)
        metrics.set(1024, of: free)
        #expect(
            metrics.exposition == """
                # HELP wake_disk_free_bytes Room on the disk.
                # TYPE wake_disk_free_bytes gauge
                wake_disk_free_bytes 1024
                # HELP wake_sets_total Sets stored.
                # TYPE wake_sets_total counter
                wake_sets_total{verdict="accepted"} 2
                wake_sets_total{verdict="held"} 2\n
                """
        )
    }

    @Test func `a histogram is cumulative and a bound belongs to its bucket`() {
        let metrics = Metrics()
        let size = Metric("wake_size_bytes", .histogram([1, 2.5]), "Sizes.")
        for value in [0.5, 1, 2, 3] { metrics.observe(value, in: size, ["a": "b"]) }
        #expect(
            metrics.exposition == """
                # HELP wake_size_bytes Sizes.
                # TYPE wake_size_bytes histogram
                wake_size_bytes_bucket{a="b",le="1"} 2
                wake_size_bytes_bucket{a="b",le="2.5"} 3
                wake_size_bytes_bucket{a="b",le="+Inf"} 4
                wake_size_bytes_sum{a="b"} 6.5
                wake_size_bytes_count{a="b"} 4\n
                """
        )
    }

    @Test func `labels are escaped`() {
        let metrics = Metrics()
        metrics.increase(Metric("wake_x_total", .counter, "X."), ["a": "\\ \" \n"])
        #expect(metrics.exposition.hasSuffix("wake_x_total{a=\"\\\\ \\\" \\n\"} 1\n"))
    }

    @Test func `requests are counted from everywhere at once`() async {
        let metrics = Metrics()
        let record = RequestRecord(
            id: "a",
            route: "sync",
            status: 200,
            bytesIn: 3,
            bytesOut: 5,
            duration: .milliseconds(3),
            device: "01hzy3",
            fault: nil
        )
        await withTaskGroup { group in
            for _ in 0..<1000 { group.addTask { metrics(record) } }
        }
        let lines = metrics.exposition.split(separator: "\n")
        #expect(lines.contains("wake_http_requests_total{route=\"sync\",status=\"200\"} 1000"))
        #expect(lines.contains("wake_http_in_bytes_total 3000"))
        #expect(lines.contains("wake_http_out_bytes_total 5000"))
        #expect(lines.contains("wake_http_request_seconds_bucket{route=\"sync\",le=\"0.0025\"} 0"))
        #expect(
            lines.contains("wake_http_request_seconds_bucket{route=\"sync\",le=\"0.005\"} 1000")
        )
        #expect(!metrics.exposition.contains("01hzy3"))
    }
}
