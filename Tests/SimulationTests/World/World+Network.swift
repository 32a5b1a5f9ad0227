import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// Lets some of what is on its way arrive, in any order.
    func deliver(_ count: Int, _ random: inout SplitMix64) throws {
        for _ in 0..<count where network.count > 0 {
            let index = Int.random(in: 0..<network.count, using: &random)
            time.advance(by: Int64.random(in: 0...300, using: &random))
            try deliver(network.take(at: index), &random)
        }
    }

    private func deliver(_ parcel: Network.Parcel, _ random: inout SplitMix64) throws {
        switch parcel {
        case .sleep(let milliseconds, let device, let end):
            time.advance(by: Int64(milliseconds))
            trace.note("  d\(device) wakes")
            end.resume()
        case .request(let request, let device, let reply):
            try deliver(Network.Request(content: request, device: device, reply: reply), &random)
        case .reply(let response, let device, let request, let reply):
            try deliver(response, to: device, of: request, reply, &random)
        }
        jobs.drain()
    }

    private func deliver(_ request: Network.Request, _ random: inout SplitMix64) throws {
        let (content, device, reply) = (request.content, request.device, request.reply)
        if let flipped = flipped(content.body, &random) {
            trace.note("  d\(device) request with a flipped bit")
            var damaged = request
            damaged.content.body = flipped
            return try answer([damaged], &random)
        }
        let fate = reply == nil ? .arrives : RequestFate(weather, &random)
        note(request, "\(fate)")
        switch fate {
        case .isLost: reply?.resume(throwing: Self.silence)
        case .isLate:
            reply?.resume(throwing: Self.silence)
            network.post(.request(content, from: device, nil))
        case .meetsPortal: reply?.resume(returning: Self.portal)
        case .isRefused(let status): reply?.resume(returning: HTTPResponse(status))
        case .arrives, .arrivesTwice:
            if case .arrivesTwice = fate { network.post(.request(content, from: device, nil)) }
            var arrived = [request]
            if Int.random(in: 0..<3, using: &random) > 0, let other = network.takeRequest() {
                note(other, "at once")
                arrived.append(other)
            }
            try answer(arrived, &random)
        }
    }

    private func note(_ request: Network.Request, _ fate: String) {
        told.note(request.content)
        let (method, path) = (request.content.method, request.content.path)
        trace.note("  d\(request.device) \(method) \(Self.short(path)) \(fate)")
    }

    /// The server works on requests at once; nobody hears of it that is down, or goes down before it
    /// has answered.
    private func answer(_ requests: [Network.Request], _ random: inout SplitMix64) throws {
        let answers = requests.map { request in
            let answer = server.answer(request.content)
            jobs.step(Int.random(in: 0...20, using: &random))
            return answer
        }
        jobs.drain()
        let isOff = server.disk.isOff
        if isOff { try restartServer(lostPower: true) }
        for (request, answer) in zip(requests, answers) {
            guard !isOff, let answer else {
                request.reply?.resume(throwing: Self.silence)
                continue
            }
            let (method, path) = (request.content.method, request.content.path)
            guard let response = try answer.withLock({ $0 })?.get() else {
                throw fail("the server does not answer \(method) \(path)")
            }
            trace.note("    \(response.status) \(response.body.count)")
            guard let reply = request.reply else { continue }
            network.post(.reply(response, to: request.device, of: request.content, reply))
        }
    }

    private func deliver(
        _ response: HTTPResponse,
        to device: Int,
        of request: HTTPRequest,
        _ reply: Network.Reply?,
        _ random: inout SplitMix64
    ) throws {
        if let flipped = flipped(response.body, &random) {
            trace.note("  d\(device) reply with a flipped bit")
            var damaged = response
            damaged.body = flipped
            reply?.resume(returning: damaged)
            return
        }
        let draw = Int.random(in: 0..<1000, using: &random)
        if draw < weather.lostReply {
            trace.note("  d\(device) reply lost")
            reply?.resume(throwing: Self.silence)
        } else if draw < weather.lostReply + weather.cutReply, !response.body.isEmpty {
            trace.note("  d\(device) reply cut")
            var cut = response
            cut.body.removeLast(Int.random(in: 1...response.body.count, using: &random))
            reply?.resume(returning: cut)
        } else {
            trace.note("  d\(device) reply")
            try told.note(response, to: request)
            reply?.resume(returning: response)
        }
    }

    /// Some bytes on their way with one bit flipped; nil if they arrive as they are.
    private func flipped(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8]? {
        guard weather.flippedBit > 0, !bytes.isEmpty,
            Int.random(in: 0..<1000, using: &random) < weather.flippedBit
        else { return nil }
        var bytes = bytes
        let place = Int.random(in: 0..<bytes.count * 8, using: &random)
        bytes[place / 8] ^= 1 << (place % 8)
        return bytes
    }

    private static let silence = TransportError.timedOut(authority: SimulatedServer.authority)
    private static let portal = HTTPResponse(
        200,
        headers: ["content-type": "text/html"],
        body: Array("<html>Welcome to the marina</html>".utf8)
    )

    private static func short(_ path: String) -> String {
        path.count > 40 ? path.prefix(24) + "…" : path
    }
}

/// What becomes of a request.
private enum RequestFate {
    case arrives, arrivesTwice, isLost, isLate, meetsPortal
    case isRefused(Int)

    init(_ weather: Weather, _ random: inout SplitMix64) {
        let draw = Int.random(in: 0..<1000, using: &random)
        let status = [429, 500, 503][Int.random(in: 0..<3, using: &random)]
        var limit = 0
        let fates: [(Int, RequestFate)] = [
            (weather.lostRequest, .isLost), (weather.lateRequest, .isLate),
            (weather.repeatedRequest, .arrivesTwice), (weather.portal / 2, .meetsPortal),
            (weather.refusal / 2, .isRefused(status)),
        ]
        for (share, fate) in fates {
            limit += share
            if draw < limit {
                self = fate
                return
            }
        }
        self = .arrives
    }
}

extension World {
    /// Goes on with one device alone until its sync has ended.
    func pump(_ device: SimulatedDevice) throws -> Result<SyncResult, any Error> {
        var random = SplitMix64(seed: 0)
        jobs.drain()
        for _ in 0..<20_000 {
            if let ended = device.endedSession() { return ended }
            guard let parcel = network.takeFirst(of: device.number) else {
                throw fail("\(device.name) waits for nothing")
            }
            time.advance(by: 5)
            try deliver(parcel, &random)
        }
        throw fail("\(device.name) never ends its sync")
    }

    /// One whole sync of one device in calm weather.
    @discardableResult
    func syncAlone(_ device: SimulatedDevice) throws -> SyncResult {
        let before = weather
        weather = .calm
        defer { weather = before }
        _ = device.beginSync()
        let result = try pump(device).get()
        device.noteTime()
        try forgetUsedLink(of: device)
        return result
    }

    /// Notes the syncs that have ended.
    func collectSessions() throws {
        for device in devices {
            guard let ended = device.endedSession() else { continue }
            trace.note("  \(device.name) ends: \(Self.describe(ended))")
            if case .success = ended { device.noteTime() }
            try forgetUsedLink(of: device)
        }
    }

    /// A link has done its work once the device has joined.
    func forgetUsedLink(of device: SimulatedDevice) throws {
        guard device.link != nil || device.rejoining != nil, device.replica != nil,
            let identity = try attempt(
                on: device,
                { try await $0.read { try $0.identity.current() } }
            )
        else { return }
        if identity.authority != nil { device.link = nil }
        if let before = device.rejoining?.before, before != identity.device {
            device.rejoining = nil
            trace.note("  \(device.name) is another device now")
            expectations[device.number]?.move(from: before, to: identity.device)
            let moved = Row.device(before)
            writes = writes.filter { $0.key.key.row != moved }
        }
    }

    static func describe(_ ended: Result<SyncResult, any Error>) -> String {
        switch ended {
        case .success(let result): "\(result.end) +\(result.pushed) -\(result.pulled)"
        case .failure(let error): "\(error)"
        }
    }
}
