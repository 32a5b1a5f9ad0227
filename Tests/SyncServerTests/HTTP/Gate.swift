/// Lets everyone through once it was opened `count` times.
actor Gate {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int = 1) {
        missing = count
    }

    func open() {
        missing -= 1
        guard missing <= 0 else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func wait() async {
        guard missing > 0 else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
