import SyncCore
import Testing

@testable import SyncServer

/// What every store promises of every call: it is done or not done, and can be repeated.
@Suite struct InterruptionContractTests {
    @Test(arguments: StoreKind.allCases, try StoreScene().calls)
    func `a repeated call answers as before and changes nothing`(
        kind: StoreKind,
        call: StoreCall
    ) async throws {
        let scene = try StoreScene()
        try await kind.machine().withStore { store in
            try await scene.fill(store)
            let before = try await scene.state(of: store)
            let answer = try await call.make(store)
            let after = try await scene.state(of: store)
            #expect((before == after) == !call.isSeen)
            for _ in 0..<2 {
                switch call.repeated {
                case .same: #expect(try await call.make(store) == answer)
                case .other(let other): #expect(try await call.make(store) == other)
                case .failing(let error):
                    await #expect(throws: error) { try await call.make(store) }
                }
                #expect(try await scene.state(of: store) == after)
            }
        }
    }

    /// The machine goes off at the first write of the call, then at the second one, and so on.
    @Test(arguments: StoreKind.allCases, try StoreScene().calls)
    func `a call that is interrupted anywhere is done or not done`(
        kind: StoreKind,
        call: StoreCall
    ) async throws {
        let scene = try StoreScene()
        let whole = kind.machine()
        let before = try await whole.withStore { store in
            try await scene.fill(store)
            return try await scene.state(of: store)
        }
        let after = try await whole.copy(seed: 0).withStore { store in
            _ = try await call.make(store)
            return try await scene.state(of: store)
        }
        for lostPower in [false, true] {
            var (writes, wasOff): (Int64, Bool) = (0, true)
            while wasOff {
                let machine = whole.copy(seed: UInt64(writes))
                let isDone = try await machine.withStore { store in
                    machine.goOff(after: writes)
                    let isDone = (try? await call.make(store)) != nil
                    wasOff = machine.isOff
                    return isDone
                }
                machine.restart(lostPower: lostPower)
                let state = try await machine.withStore { try await scene.state(of: $0) }
                // What was answered is durable.
                #expect(state == after || state == before && !isDone, "write \(writes)")
                writes += 1
            }
            #expect(writes > 1 || !call.isSeen)
        }
    }
}
