/// Why a device could not be enrolled.
package enum EnrolmentError: Error, Equatable {
    /// The reply does not follow the protocol.
    case malformedReply
    /// No wrap in the reply decrypts the secret of the space.
    case wrongWrap
    /// The server's control chain breaks its rules, so it was altered.
    case brokenChain(ControlError)
    /// The server's control chain is not the one that the maker of the link has.
    case otherHistory
    /// This device was revoked, so its keys cannot vouch for new ones.
    case revoked
    /// Other devices changed the control chain again and again meanwhile.
    case stale
    /// The server refused the set by which the device enters, for this problem.
    case refused(String)
}
