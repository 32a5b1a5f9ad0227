internal import CEvent
internal import SyncCore

extension HTTPRequest {
    /// Copies a request out of libevent; nil where it is not one that we answer.
    init?(arrived request: OpaquePointer) {
        guard let method = unsafe cevent_method(request),
            let target = unsafe evhttp_request_get_uri(request),
            let headers = unsafe Head(of: request).headers
        else { return nil }
        let parts = unsafe String(cString: target)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/") else { return nil }
        self.init(
            unsafe String(cString: method),
            String(path),
            headers: headers,
            body: unsafe Self.body(of: request)
        )
        query = parts.count == 2 ? String(parts[1]) : nil
    }

    private static func body(of request: OpaquePointer) -> [UInt8] {
        guard let buffer = unsafe evhttp_request_get_input_buffer(request) else { return [] }
        let count = unsafe evbuffer_get_length(buffer)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
            initialized = unsafe max(0, evbuffer_copyout(buffer, bytes.baseAddress, count))
        }
    }
}

extension Head {
    /// Copies the fields of a request.
    init(of request: OpaquePointer) {
        self.init()
        unsafe withUnsafeMutablePointer(to: &self) { head in
            unsafe cevent_each_field(
                request,
                { name, value, context in
                    guard let name = unsafe name, let value = unsafe value else { return }
                    let head = unsafe context?.assumingMemoryBound(to: Head.self)
                    unsafe head?.pointee.fields.append(
                        (String(cString: name), String(cString: value))
                    )
                },
                head
            )
        }
    }
}

extension HTTPResponse {
    /// Hands the reply to libevent, which frees the request when it is written.
    ///
    /// Without its body (RFC 9110 §9.3.2) a reply still tells the length.
    func send(as request: OpaquePointer, withBody: Bool) {
        let fields = unsafe evhttp_request_get_output_headers(request)
        for (name, value) in headers {
            let code = unsafe evhttp_add_header(fields, name, value)
            assert(code == 0, "a field has a line break in it: \(name)")
        }
        if withBody {
            unsafe evbuffer_add(evhttp_request_get_output_buffer(request), body, body.count)
        } else if headers["content-length"] == nil {
            unsafe evhttp_add_header(fields, "content-length", String(body.count))
        }
        unsafe evhttp_send_reply(request, Int32(status), nil, nil)
    }
}
