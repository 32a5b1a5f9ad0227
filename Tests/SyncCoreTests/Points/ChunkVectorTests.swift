@testable import SyncCore
import Testing

/// `Vectors/chunk.txt`: bytes that were made once, by another encoder, and never change.
@Suite struct ChunkVectorTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        var testDescription = ""
        var samples: [Sample] = []
        var bytes: [UInt8] = []
    }

    struct BadVector: Error {
        let line: String
    }

    static func vectors() throws -> [Vector] {
        var vectors: [Vector] = []
        for line in try SharedData.vector("chunk.txt").split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split(separator: " ")
            switch words.first {
            case "name:":
                vectors.append(Vector(testDescription: String(line.dropFirst(6))))
            case "sample:":
                vectors[vectors.count - 1].samples.append(try sample(words.dropFirst()))
            case "bytes:":
                guard let bytes = [UInt8](hexadecimal: words.dropFirst().joined()) else {
                    throw BadVector(line: String(line))
                }
                vectors[vectors.count - 1].bytes += bytes
            default: break
            }
        }
        return vectors
    }

    private static func sample(_ readings: ArraySlice<Substring>) throws -> Sample {
        var sample = Sample()
        for reading in readings {
            let parts = reading.split(separator: "=")
            guard parts.count == 2, let channel = Channel(named: parts[0]),
                let count = Int64(parts[1])
            else { throw BadVector(line: String(reading)) }
            sample[count: channel] = count
        }
        return sample
    }

    @Test func `the file is there`() throws {
        #expect(try Self.vectors().count == 3)
    }

    @Test(arguments: try vectors()) func `a vector is what it says`(vector: Vector) throws {
        #expect(try Chunk.unpack(vector.bytes) == vector.samples)
        #expect([0] + Chunk.payload(of: vector.samples) == vector.bytes)
    }
}
