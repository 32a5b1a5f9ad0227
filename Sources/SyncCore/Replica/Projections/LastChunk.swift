/// A cache of one chunk: a track with many hidden ranges shows many parts of the same chunk.
final class LastChunk {
    private var hash: Digest?
    private var samples = Samples()

    func samples(in hash: Digest, read: (Digest) throws -> Samples) rethrows -> Samples {
        if self.hash != hash { (samples, self.hash) = (try read(hash), hash) }
        return samples
    }
}
