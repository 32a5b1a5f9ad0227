internal import Dispatch
internal import Glibc

/// Signals that are handled instead of ending the program.
enum Signals {
    /// Calls `handle` for each signal from now on, until the sources are cancelled.
    static func catching(
        _ numbers: [Int32],
        handle: @escaping @Sendable (Int32) -> Void
    ) -> [any DispatchSourceSignal] {
        numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { handle(number) }
            source.resume()
            return source
        }
    }
}
