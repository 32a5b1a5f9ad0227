import Foundation
@testable import SyncCore
import Testing

import ProgramKit
@testable import SyncServer

/// The described shapes of messages and the types that are sent and read.
@Suite struct MessageTests {
    /// The members of an object as it is sent.
    private func members(_ value: some Encodable) throws -> [String] {
        let object = try JSONSerialization.jsonObject(with: Data(JSON.encode(value)))
        return try #require(object as? [String: Any]).keys.sorted()
    }

    /// The members that a shape names.
    private func names(in shape: JSONValue?) -> [String]? {
        shape?["properties"]?.members.keys.sorted()
    }

    @Test func `a shape names all members of its type`() throws {
        let device = DeviceRecord(id: "", name: "", enrolled: 0, isRevoked: false)
        let devices = DeviceList.schema.shape["properties"]?["devices"]?["items"]
        #expect(try members(device) == names(in: devices))
        let space = SpaceRecord(id: "", role: "", head: 0)
        let spaces = SpaceList.schema.shape["properties"]?["spaces"]?["items"]
        #expect(try members(space) == names(in: spaces))
    }

    @Test func `a problem has the members that are described`() throws {
        let problem = Problem(
            .clockSkew,
            "",
            members: ["server_time": 1, "challenge": "c", "head": 2, "retry_after": 3]
        )
        let object = try JSONSerialization.jsonObject(
            with: Data(problem.response(instance: "").body)
        )
        let told = try #require(object as? [String: Any]).keys.sorted()
        #expect(told == names(in: Problem.schema.shape))
    }

    @Test(arguments: [1, 2, 4, 31, 32, 34, 68, 256])
    func `a shape of bytes fits what is written, and nothing else of its length`(
        count: Int
    ) throws {
        guard case .text(let pattern) = Schema.base64url(bytes: count).shape["pattern"] else {
            Issue.record("no pattern")
            return
        }
        let regex = try Regex(pattern)
        var generator = SplitMix64(seed: UInt64(count))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+=")
        for _ in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = Base64.url.encode(bytes)
            #expect(try regex.wholeMatch(in: text) != nil)
            // Another last character is right only where the strict reader says so.
            let other = text.dropLast() + [alphabet.randomElement(using: &generator) ?? "A"]
            let fits = try regex.wholeMatch(in: String(other)) != nil
            #expect(fits == (Base64.url.decode(other)?.count == count), "\(other)")
        }
    }
}

extension Schema {
    /// The keywords as the document has them.
    fileprivate var shape: JSONValue { .object(members) }
}
