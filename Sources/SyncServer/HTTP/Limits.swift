/// What one client may cost the server; advertised in `.well-known/wake`.
///
/// The rest of the hardening kit has its values here and its code where each line says:
/// - read watermark of a connection, input bytes of all connections: where `Listener` opens a
///   connection (a bufferevent callback);
/// - deadline of a head and of a whole request: a sweep every 250 ms on the loop;
/// - connections in all and per address: in the same callback and sweep.
enum Limits {
    /// The body of a request, with room for 1,000 sets; one byte more is 413.
    static let bodyBytes = 8 << 20

    /// The request line and the fields together; more is 400.
    static let headBytes = 16 << 10

    /// The time for a head; enforced by the sweep.
    static let headSeconds = 10

    /// The silence after which a connection is closed, between requests and within one.
    static let idleSeconds = 60

    /// The time that requests in flight are given at shutdown.
    static let drainSeconds = 10
}
