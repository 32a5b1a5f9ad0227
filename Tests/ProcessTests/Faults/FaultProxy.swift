import Foundation
import Harness

@testable import SyncServer

/// A TCP relay on loopback that spoils connections as it was told.
///
/// Devices call it by its address, which the server must know as its own (`--authority`), since
/// they sign it.
final class FaultProxy: Sendable {
    /// `host:port`.
    let address: String
    private let listener: Socket
    private let state = Locked(State())

    private struct State {
        var target: UInt16?
        /// One for each connection to come; after them all are left alone.
        var faults: [Fault] = []
        var spoiled = 0
        /// Connections that are not over.
        var open: [ObjectIdentifier: Relay] = [:]
    }

    init() throws {
        let (listener, port) = try Socket.listening()
        self.listener = listener
        address = "127.0.0.1:\(port)"
        Thread.detachNewThread { [listener, weak self] in
            while let client = listener.accepted() { self?.take(client) }
        }
    }

    deinit {
        listener.end()
    }

    /// Where connections go; before it is set none is taken.
    func setTarget(_ address: String) throws {
        guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw POSIXError(.EINVAL)
        }
        state.withLock { $0.target = port }
    }

    /// Spoils the next connections, in this order.
    func spoil(_ faults: [Fault]) {
        state.withLock { $0.faults = faults }
    }

    /// How many connections were spoiled.
    var spoiledCount: Int { state.withLock { $0.spoiled } }

    /// Leaves all connections alone from now on, and waits until those that were made are over.
    func calm() async throws {
        state.withLock { $0.faults = [] }
        try await until("the end of all connections") { state.withLock { $0.open.isEmpty } }
    }

    private func take(_ client: Socket) {
        let (fault, target) = state.withLock { state in
            let fault = state.faults.isEmpty ? .none : state.faults.removeFirst()
            state.spoiled += fault == .none ? 0 : 1
            return (fault, state.target)
        }
        guard fault != .refuse, let target, let server = try? Socket.connected(to: target) else {
            return client.abort()
        }
        let relay = Relay(client: client, server: server, fault, target: target)
        state.withLock { $0.open[ObjectIdentifier(relay)] = relay }
        relay.start { [weak self] in
            self?.state.withLock { $0.open[ObjectIdentifier(relay)] = nil }
        }
    }
}

/// One connection through a ``FaultProxy``.
private final class Relay: Sendable {
    private let client: Socket
    private let server: Socket
    private let fault: Fault
    private let target: UInt16
    /// Who gets what the client sends as well.
    private let twin: Socket?
    private let sent = Locked<[UInt8]>([])

    init(client: Socket, server: Socket, _ fault: Fault, target: UInt16) {
        self.client = client
        self.server = server
        self.fault = fault
        self.target = target
        twin = fault == .duplicate ? try? Socket.connected(to: target) : nil
    }

    /// Relays until both sides are done, on threads of its own.
    func start(then done: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        let works: [@Sendable () -> Void] = [
            { self.pump(.up) }, { self.pump(.down) }, { self.drain(self.twin) },
        ]
        for work in works {
            group.enter()
            Thread.detachNewThread {
                work()
                group.leave()
            }
        }
        Thread.detachNewThread {
            group.wait()
            if self.fault == .replay { self.replay() }
            done()
        }
    }

    private func pump(_ direction: Fault.Direction) {
        let (source, target) = direction == .up ? (client, server) : (server, client)
        var passed = 0
        while let bytes = source.receive() {
            if direction == .up {
                if fault == .replay { sent.withLock { $0 += bytes } }
                twin?.send(bytes[...])
            }
            guard pass(bytes, direction, after: passed, to: target) else { break }
            passed += bytes.count
        }
        // An end is an end for the other side too, but the answer may still be on its way.
        target.finish()
        if direction == .up { twin?.finish() }
    }

    /// Sends a piece on, as far as the fault lets it; false where nothing more passes.
    private func pass(
        _ bytes: [UInt8],
        _ direction: Fault.Direction,
        after passed: Int,
        to target: Socket
    ) -> Bool {
        switch fault {
        case .delay(let milliseconds):
            pause(milliseconds)
            return target.send(bytes[...])
        case .cut(direction, let limit) where passed + bytes.count > limit:
            target.send(bytes[..<(limit - passed)])
            tear()
            return false
        case .stall(direction, let limit, let milliseconds) where passed + bytes.count > limit:
            target.send(bytes[..<(limit - passed)])
            pause(milliseconds)
            tear()
            return false
        case .silence(direction, let limit) where passed + bytes.count > limit:
            target.send(bytes[..<(limit - passed)])
            client.waitForEnd()
            tear()
            return false
        case .trickle(direction, let count) where passed < count:
            let slow = min(count - passed, bytes.count)
            for index in 0..<slow where target.send(bytes[index...index]) { pause(2) }
            return target.send(bytes[slow...])
        default: return target.send(bytes[...])
        }
    }

    /// Ends the connection on both sides as a broken line does.
    private func tear() {
        for socket in [client, server] {
            socket.abort()
            socket.end()
        }
    }

    private func pause(_ milliseconds: Int) {
        _ = poll(nil, 0, Int32(milliseconds))
    }

    /// Makes the same requests once more, and reads all the answers.
    private func replay() {
        guard let again = try? Socket.connected(to: target) else { return }
        let bytes = sent.withLock { $0 }
        Thread.detachNewThread {
            again.send(bytes[...])
            again.finish()
        }
        drain(again)
    }

    private func drain(_ socket: Socket?) {
        while socket?.receive() != nil {}
    }
}
