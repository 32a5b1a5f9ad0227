import SyncCore
import Testing

@testable import SyncServer

/// The order of a replica's sets is judged alike, however a log brings them.
@Suite struct ReplicaRunsTests {
    private struct Link {
        let sequence: UInt64
        let hash: Digest
        var previous: Digest
    }

    private func chain(of count: UInt64) -> [Link] {
        var previous = Digest.zero
        return (1...count).map { sequence in
            let hash = Digest(of: sequence.bigEndianBytes)
            defer { previous = hash }
            return Link(sequence: sequence, hash: hash, previous: previous)
        }
    }

    @Test(arguments: 0..<50) func `any order is good, with or without gaps`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let links = chain(of: 12).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
        var runs = ReplicaRuns()
        for link in links.shuffled(using: &random) {
            let follows = runs.add(link.sequence, link.hash, after: link.previous)
            #expect(follows)
        }
        #expect(runs.head?.hash == links.last?.hash)
    }

    @Test(arguments: 0..<50) func `a set that does not follow is found in any order`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var links = chain(of: 12)
        let wrong = Int.random(in: links.indices, using: &random)
        links[wrong].previous = Digest(of: [1, 2, 3])
        var runs = ReplicaRuns()
        let good = links.shuffled(using: &random).filter {
            runs.add($0.sequence, $0.hash, after: $0.previous)
        }
        #expect(good.count == links.count - 1)
    }
}
