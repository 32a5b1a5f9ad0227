internal import CCurl

/// A libcurl handle that keeps its connection open between requests.
final class CurlConnection {
    private let handle: ccurl_connection
    private let authority: String
    private let trust: ServerTrust
    private let limits: HTTPTransport.Limits
    /// A PEM file of certificate authorities; nil for those of the system.
    private let authoritiesFile: String?

    init(
        authority: String,
        trust: ServerTrust,
        limits: HTTPTransport.Limits,
        authoritiesFile: String? = nil
    ) {
        guard let handle = ccurl_new() else {
            preconditionFailure("libcurl could not be set up, or has no memory")
        }
        self.handle = handle
        self.authority = authority
        self.trust = trust
        self.limits = limits
        self.authoritiesFile = authoritiesFile
    }

    /// Sends a request and blocks the calling thread until the reply is complete.
    func perform(_ request: HTTPRequest, cancellation: Cancellation) throws -> HTTPResponse {
        let reply = ReplyBuffer(byteLimit: limits.replyBytes, cancellation: cancellation)
        if cancellation.isCancelled { throw CancellationError() }
        begin(request)
        setTrust()
        addFields(request.headers)
        let outcome = perform(request.body, reply)
        let fault = ccurl_fault(handle)
        precondition(fault == 0, "libcurl \(fault): an option or memory is missing")
        guard outcome == .answered else { throw error(outcome, reply) }
        return HTTPResponse(Int(ccurl_status(handle)), headers: reply.headers, body: reply.body)
    }

    private func begin(_ request: HTTPRequest) {
        let target = request.path + (request.query.map { "?" + $0 } ?? "")
        precondition(target.hasPrefix("/"), "a path starts at the root")
        let scheme = trust == .plain ? "http" : "https"
        ccurl_begin(
            handle,
            request.method,
            "\(scheme)://\(authority)\(target)",
            Int64(limits.connectMilliseconds),
            Int64(limits.totalMilliseconds)
        )
    }

    private func setTrust() {
        guard trust != .plain else { return ccurl_use_plain(handle) }
        ccurl_use_tls(handle)
        if let authoritiesFile { ccurl_set_authorities(handle, authoritiesFile) }
        guard case .pinned(let digest) = trust else { return }
        ccurl_set_pin(handle, "sha256//" + Base64.standard.encode(digest.bytes))
    }

    /// Adds header fields; a line break in a field is a programmer error (header injection).
    private func addFields(_ headers: [String: String]) {
        // Otherwise libcurl adds these two by itself.
        for name in ["expect", "content-type"] where headers[name] == nil {
            ccurl_add_field(handle, name + ":")
        }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            let line = value.isEmpty ? name + ";" : name + ": " + value
            precondition(line.utf8.allSatisfy { $0 >= 0x20 }, "a field is one line: \(name)")
            ccurl_add_field(handle, line)
        }
    }

    private func perform(_ body: [UInt8], _ reply: ReplyBuffer) -> ccurl_outcome {
        withExtendedLifetime(reply) {
            unsafe ccurl_perform(
                handle,
                body,
                body.count,
                Unmanaged.passUnretained(reply).toOpaque(),
                { unsafe ReplyBuffer.at($0).append(UnsafeBufferPointer(start: $1, count: $2)) },
                { unsafe ReplyBuffer.at($0).appendLine(UnsafeBufferPointer(start: $1, count: $2)) },
                { unsafe ReplyBuffer.at($0).cancellation.isCancelled }
            )
        }
    }

    private func error(_ outcome: ccurl_outcome, _ reply: ReplyBuffer) -> any Error {
        switch outcome {
        case _ where reply.isTooLarge: TransportError.replyTooLarge(byteLimit: limits.replyBytes)
        case .cancelled: CancellationError()
        case .timedOut: TransportError.timedOut(authority: authority)
        case .wrongKey: TransportError.wrongKey(authority: authority)
        case .notTrusted: TransportError.notTrusted(authority: authority, reason: explanation)
        case .handshakeFailed: Self.handshakeError(explanation, authority: authority)
        case .noHTTP where trust == .plain && reply.headers.isEmpty:
            TransportError.noHTTP(authority: authority)
        case .noHTTP, .unreachable, .answered:
            TransportError.unreachable(
                authority: authority,
                reason: unsafe String(cString: ccurl_reason(handle))
            )
        }
    }

    /// libcurl's message for this failure, or its generic one for the error code.
    private var explanation: String { unsafe String(cString: ccurl_explanation(handle)) }

    /// Distinguishes TLS errors, which OpenSSL numbers, from a network failure during the
    /// handshake.
    static func handshakeError(_ text: String, authority: String) -> TransportError {
        let reason = String(text.split(separator: ":").last ?? "")
        switch reason {
        case _ where !text.contains("error:"), "unexpected eof while reading":
            return .unreachable(authority: authority, reason: text)
        case "decryption failed or bad record mac", "sslv3 alert bad record mac",
            "digest check failed", "tlsv1 alert decode error", "tlsv1 alert decrypt error",
            "tlsv1 alert record overflow":
            return .unreachable(
                authority: authority,
                reason: "bytes were damaged on their way: \(reason)"
            )
        case "wrong version number", "packet length too long", "record layer failure":
            return .noTLS(authority: authority)
        default: return .notTrusted(authority: authority, reason: reason)
        }
    }
}

/// The part of a reply received so far.
private final class ReplyBuffer {
    let byteLimit: Int
    let cancellation: Cancellation
    private(set) var headers: [String: String] = [:]
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false

    init(byteLimit: Int, cancellation: Cancellation) {
        self.byteLimit = byteLimit
        self.cancellation = cancellation
    }

    static func at(_ context: UnsafeMutableRawPointer) -> ReplyBuffer {
        unsafe Unmanaged<ReplyBuffer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Appends to the body; returns false, which aborts the transfer, if it exceeds the limit.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        isTooLarge = body.count + bytes.count > byteLimit
        if !isTooLarge { unsafe body.append(contentsOf: bytes) }
        return !isTooLarge
    }

    /// Adds a header field; a status line resets the fields, since an interim reply (100) has some
    /// too.
    func appendLine(_ bytes: UnsafeBufferPointer<UInt8>) {
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") { headers = [:] }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let name = parts[0].lowercased()
        let value = parts[1].trimmed
        headers[name] = headers[name].map { $0 + ", " + value } ?? value
    }
}

extension Substring {
    /// The text without leading and trailing white space.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
