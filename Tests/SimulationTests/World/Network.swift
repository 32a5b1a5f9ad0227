import SyncCore

@testable import SyncServer

/// What lies between devices and server: everything that is on its way, until the world takes it.
final class Network: Sendable {
    /// Something that a device waits for.
    enum Parcel: Sendable {
        case request(HTTPRequest, from: Int, Reply?)
        case reply(HTTPResponse, to: Int, of: HTTPRequest, Reply?)
        case sleep(milliseconds: Int, of: Int, CheckedContinuation<Void, any Error>)

        var device: Int {
            switch self {
            case .request(_, let device, _), .reply(_, let device, _, _), .sleep(_, let device, _):
                device
            }
        }

        /// Whether nobody waits for it any more.
        var isStray: Bool {
            switch self {
            case .request(_, _, let reply), .reply(_, _, _, let reply): reply == nil
            case .sleep: false
            }
        }
    }

    /// What a device asks the server; without a reply nobody waits for the answer any more.
    struct Request: Sendable {
        var content: HTTPRequest
        let device: Int
        let reply: Reply?
    }

    typealias Reply = CheckedContinuation<HTTPResponse, any Error>

    private let parcels = Locked<[Parcel]>([])

    var count: Int { parcels.withLock(\.count) }

    func post(_ parcel: Parcel) { parcels.withLock { $0.append(parcel) } }

    func take(at index: Int) -> Parcel { parcels.withLock { $0.remove(at: index) } }

    /// The first parcel of a device that it waits for.
    func takeFirst(of device: Int) -> Parcel? {
        parcels.withLock { parcels in
            let index = parcels.firstIndex { $0.device == device && !$0.isStray }
            return index.map { parcels.remove(at: $0) }
        }
    }

    /// The first request that is on its way.
    func takeRequest() -> Request? {
        parcels.withLock { parcels in
            for (index, parcel) in parcels.enumerated() {
                guard case .request(let content, let device, let reply) = parcel else { continue }
                parcels.remove(at: index)
                return Request(content: content, device: device, reply: reply)
            }
            return nil
        }
    }

    /// The device's process is gone: what it sent stays on its way.
    func forget(_ device: Int) {
        let cancelled = parcels.withLock { parcels in
            let (others, own) = (
                parcels.filter { $0.device != device || $0.isStray },
                parcels.filter { $0.device == device && !$0.isStray }
            )
            let strays: [Parcel] = own.compactMap {
                if case .request(let request, let device, _) = $0 {
                    .request(request, from: device, nil)
                } else {
                    nil
                }
            }
            parcels = others + strays
            return own
        }
        for parcel in cancelled {
            switch parcel {
            case .request(_, _, let reply), .reply(_, _, _, let reply):
                reply?.resume(throwing: CancellationError())
            case .sleep(_, _, let end): end.resume(throwing: CancellationError())
            }
        }
    }
}

/// One device's way to the server.
struct SimulatedTransport: Transport {
    let network: Network
    let device: Int

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await withCheckedThrowingContinuation {
            network.post(.request(request, from: device, $0))
        }
    }

    func sleep(_ milliseconds: Int) async throws {
        try await withCheckedThrowingContinuation {
            network.post(.sleep(milliseconds: milliseconds, of: device, $0))
        }
    }
}

/// What may happen to a parcel, in thousandths.
struct Weather: Sendable {
    var lostRequest = 0
    var lateRequest = 0
    var repeatedRequest = 0
    var portal = 0
    var refusal = 0
    var lostReply = 0
    var cutReply = 0
    /// Requests and replies in which the network flips one bit.
    var flippedBit = 0

    static let calm = Weather()

    static func random(using random: inout SplitMix64) -> Weather {
        func some() -> Int {
            Bool.random(using: &random) ? Int.random(in: 0...250, using: &random) : 0
        }
        return Weather(
            lostRequest: some(),
            lateRequest: some(),
            repeatedRequest: some(),
            portal: some() / 2,
            refusal: some(),
            lostReply: some(),
            cutReply: some()
        )
    }
}
