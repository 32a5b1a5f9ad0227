internal import Glibc

/// The target that the environment names; one program serves them all.
private let target: Target = {
    guard let name = unsafe getenv("WAKE_FUZZ"),
        let target = Target(rawValue: unsafe String(cString: name))
    else { preconditionFailure("WAKE_FUZZ names a target") }
    return target
}()

/// What libFuzzer calls with each input; a broken law ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe target.check(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
