/// The chunk that was read last: a track of which much is left out shows many parts of one.
final class LastChunk {
    private var hash: Digest?
    private var samples: [Sample] = []

    func samples(in hash: Digest, read: (Digest) throws -> [Sample]) rethrows -> [Sample] {
        if self.hash != hash { (samples, self.hash) = (try read(hash), hash) }
        return samples
    }
}
