import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// In some worlds every device of a person is lost at the end.
    ///
    /// The code on paper must bring back what the log has.
    func checkCodeRestores() throws {
        guard schedule.seed % 4 == 1 else { return }
        for person in 0..<schedule.personCount { try checkCodeRestores(person) }
    }

    private func checkCodeRestores(_ person: Int) throws {
        let lost = devices.first {
            $0.person == person && !$0.isGone && !$0.isKeptOut && $0.replica != nil
        }
        guard let lost, let space = try ownSpace(of: lost),
            let chain = try lost.run({ try await $0.read { try $0.controls.chain(of: space) } }),
            chain.cards[lost.code.keys.publicKeys.device]?.isLive == true
        else { return }
        let cells = try lost.run { try await $0.allCells(in: space) } ?? [:]
        trace.note("p\(person) has nothing left but the code")
        let fresh = try addDevice(of: person)
        try fresh.recover(with: server)
        let found = try fresh.run { replica in
            (
                try await replica.read { try $0.spaces.own() },
                try await replica.allCells(in: space),
                try await replica.read { try $0.chunks.wanted(of: space, limit: 1000) }
            )
        }
        guard let (own, restored, wanted) = found, own == space else {
            throw fail("the code leads \(fresh.name) into another space")
        }
        // Of itself the new device says more than the log did.
        if let key = cells.keys.sorted().first(where: { restored[$0] != cells[$0] }) {
            throw fail("\(fresh.name), restored by the code, shows another \(key)")
        }
        guard self.lost.chunks.isSuperset(of: wanted.map { .init(space: space, hash: $0) }) else {
            throw fail("\(fresh.name), restored by the code, wants \(wanted.count) chunks")
        }
    }
}
