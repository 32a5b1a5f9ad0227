internal import CCurl

/// One handle of libcurl, which keeps its connection from one request to the next.
@safe final class CurlConnection {
    private let handle: UnsafeMutableRawPointer
    private let authority: String
    private let trust: ServerTrust
    private let limits: HTTPTransport.Limits
    /// Where the certificates of authorities are, if not where the system has them.
    private let authoritiesFile: String?
    /// What libcurl says of a failure beyond its code.
    private let explanation: UnsafeMutablePointer<CChar>

    init(
        authority: String,
        trust: ServerTrust,
        limits: HTTPTransport.Limits,
        authoritiesFile: String? = nil
    ) {
        precondition(Self.isLibraryReady, "libcurl could not be set up")
        guard let handle = unsafe curl_easy_init() else {
            preconditionFailure("no memory for a connection")
        }
        unsafe self.handle = handle
        self.authority = authority
        self.trust = trust
        self.limits = limits
        self.authoritiesFile = authoritiesFile
        unsafe explanation = .allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe explanation.deallocate()
    }

    /// Sends a request and waits for the reply on the calling thread.
    func perform(_ request: HTTPRequest, cancellation: Cancellation) throws -> HTTPResponse {
        let reply = ReplyBuffer(byteLimit: limits.replyBytes, cancellation: cancellation)
        if cancellation.isCancelled { throw CancellationError() }
        // Options do not outlive the request; the connection does.
        unsafe curl_easy_reset(handle)
        setLimits()
        setTrust()
        setTarget(of: request)
        let fields = FieldList(request.headers)
        unsafe set(ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, fields.first))
        setReceiver(reply)
        let code = withExtendedLifetime((fields, reply)) {
            unsafe request.body.withUnsafeBytes { body in
                unsafe setBody(body, of: request.method)
                return unsafe curl_easy_perform(handle)
            }
        }
        guard code == CURLE_OK else { throw error(code, reply) }
        var status = 0
        unsafe set(ccurl_status(handle, &status))
        return HTTPResponse(status, headers: reply.headers, body: reply.body)
    }

    /// Done once a process, before the first handle.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private func set(_ code: CURLcode) {
        precondition(code == CURLE_OK, "libcurl \(code.rawValue): an option or memory is missing")
    }

    private func setLimits() {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
            (CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds),
            (CURLOPT_TIMEOUT_MS, limits.totalMilliseconds),
            (CURLOPT_NOPROGRESS, 0),
        ]
        for (option, value) in numbers { unsafe set(ccurl_set_long(handle, option, value)) }
        // An empty name is no proxy, whatever the environment says.
        unsafe set(ccurl_set_text(handle, CURLOPT_PROXY, ""))
    }

    private func setTrust() {
        unsafe explanation.pointee = 0
        unsafe set(ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, explanation))
        unsafe set(ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, scheme))
        guard trust != .plain else { return }
        unsafe set(ccurl_set_long(handle, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2))
        // A server without a certificate has no key to compare.
        let ciphers = "HIGH:!aNULL:!eNULL:!PSK:!SRP"
        unsafe set(ccurl_set_text(handle, CURLOPT_SSL_CIPHER_LIST, ciphers))
        if let authoritiesFile {
            unsafe set(ccurl_set_text(handle, CURLOPT_CAINFO, authoritiesFile))
        }
        guard case .pinned(let digest) = trust else { return }
        let pin = "sha256//" + Base64.standard.encode(digest.bytes)
        unsafe set(ccurl_set_text(handle, CURLOPT_PINNEDPUBLICKEY, pin))
        unsafe set(ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 0))
        unsafe set(ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0))
    }

    private var scheme: String { trust == .plain ? "http" : "https" }

    private func setTarget(of request: HTTPRequest) {
        let target = request.path + (request.query.map { "?" + $0 } ?? "")
        precondition(target.hasPrefix("/"), "a path starts at the root")
        unsafe set(ccurl_set_text(handle, CURLOPT_URL, "\(scheme)://\(authority)\(target)"))
    }

    private func setReceiver(_ reply: ReplyBuffer) {
        let context = unsafe Unmanaged.passUnretained(reply).toOpaque()
        unsafe set(ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        unsafe set(ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        unsafe set(ccurl_set_pointer(handle, CURLOPT_XFERINFODATA, context))
        unsafe set(
            ccurl_set_receiver(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                return unsafe ReplyBuffer.at(context)?.append(bytes) == true ? bytes.count : 0
            }
        )
        unsafe set(
            ccurl_set_receiver(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                unsafe ReplyBuffer.at(context)?.appendLine(String(decoding: line, as: UTF8.self))
                return line.count
            }
        )
        unsafe set(
            ccurl_set_progress(handle) { context, _, _, _, _ in
                unsafe ReplyBuffer.at(context)?.cancellation.isCancelled == true ? 1 : 0
            }
        )
    }

    /// `body` must live until the transfer ends.
    private func setBody(_ body: UnsafeRawBufferPointer, of method: String) {
        if method == "HEAD" {
            unsafe set(ccurl_set_long(handle, CURLOPT_NOBODY, 1))
        } else if unsafe !body.isEmpty || method == "POST" || method == "PUT" {
            unsafe set(ccurl_set_long(handle, CURLOPT_POST, 1))
            unsafe set(
                ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
            )
            // With a null pointer libcurl would ask a read callback for the body.
            let start = unsafe body.baseAddress ?? UnsafeRawPointer(handle)
            unsafe set(ccurl_set_pointer(handle, CURLOPT_POSTFIELDS, start))
        }
        unsafe set(ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method))
    }

    private func error(_ code: CURLcode, _ reply: ReplyBuffer) -> any Error {
        switch code {
        case _ where reply.isTooLarge:
            return TransportError.replyTooLarge(byteLimit: limits.replyBytes)
        case CURLE_ABORTED_BY_CALLBACK:
            return CancellationError()
        case CURLE_OPERATION_TIMEDOUT:
            return TransportError.timedOut(authority: authority)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return TransportError.wrongKey(authority: authority)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            return TransportError.notTrusted(authority: authority, reason: explained(code))
        case CURLE_SSL_CONNECT_ERROR:
            return handshakeError(explained(code))
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_GOT_NOTHING, CURLE_RECV_ERROR:
            guard trust == .plain, reply.headers.isEmpty else { fallthrough }
            return TransportError.noHTTP(authority: authority)
        default:
            let reason = unsafe String(cString: curl_easy_strerror(code))
            return TransportError.unreachable(authority: authority, reason: reason)
        }
    }

    /// What libcurl says in this case, or else always says of the code.
    private func explained(_ code: CURLcode) -> String {
        let text = unsafe String(cString: explanation)
        return text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text
    }

    /// OpenSSL's own errors have a number; what else broke a handshake is the network.
    private func handshakeError(_ text: String) -> TransportError {
        let reason = String(text.split(separator: ":").last ?? "")
        switch reason {
        case _ where !text.contains("error:"), "unexpected eof while reading":
            return .unreachable(authority: authority, reason: text)
        case "wrong version number", "packet length too long", "record layer failure":
            return .noTLS(authority: authority)
        default:
            return .notTrusted(authority: authority, reason: reason)
        }
    }
}

/// The fields of a request as libcurl wants them.
@safe private final class FieldList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// A field with a line break in it is the caller's error: it would be another field.
    init(_ headers: [String: String]) {
        // libcurl would add these two of its own accord.
        for name in ["expect", "content-type"] where headers[name] == nil { append(name + ":") }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            let line = value.isEmpty ? name + ";" : name + ": " + value
            precondition(line.utf8.allSatisfy { $0 >= 0x20 }, "a field is one line: \(name)")
            append(line)
        }
    }

    deinit {
        unsafe curl_slist_free_all(first)
    }

    private func append(_ line: String) {
        guard let longer = unsafe curl_slist_append(first, line) else {
            preconditionFailure("no memory for a field")
        }
        unsafe first = longer
    }
}

/// What has come of a reply.
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

    static func at(_ context: UnsafeMutableRawPointer?) -> ReplyBuffer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<ReplyBuffer>.fromOpaque(context).takeUnretainedValue()
    }

    /// False where the reply is longer than the limit.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = body.count + bytes.count > byteLimit
        if !isTooLarge { unsafe body.append(contentsOf: bytes) }
        return !isTooLarge
    }

    /// A status line starts anew: an interim reply (100) has a head too.
    func appendLine(_ line: String) {
        if line.hasPrefix("HTTP/") { headers = [:] }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let name = parts[0].lowercased()
        let value = parts[1].trimmed
        headers[name] = headers[name].map { $0 + ", " + value } ?? value
    }
}

extension Substring {
    /// Without the white space and line ends of a field.
    fileprivate var trimmed: String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        let start = drop(while: isSpace)
        guard let end = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(start[...end])
    }
}
