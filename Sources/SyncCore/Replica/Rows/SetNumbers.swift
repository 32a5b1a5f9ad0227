/// Numbers of sets in this database, ascending, packed as varint differences.
struct SetNumbers {
    private(set) var packed: [UInt8] = []

    /// The most numbers in one value; see ``RowHistory``.
    static let blockLimit = 64

    init() {}

    init(packed: [UInt8]) { self.packed = packed }

    /// How many numbers there are: each ends with a byte below 128.
    var count: Int { packed.count { $0 < 0x80 } }

    /// The numbers; those after damaged bytes are missing, and `verify` reports their sets.
    var all: [Int64] {
        var reader = VarintReader(packed[...])
        var numbers: [Int64] = []
        while !reader.isAtEnd,
            let difference = (try? reader.next(at: 0)).flatMap(Int64.init(exactly:))
        {
            let (number, isOver) = (numbers.last ?? 0).addingReportingOverflow(difference)
            guard !isOver else { break }
            numbers.append(number)
        }
        return numbers
    }

    /// Inserts numbers that are not there yet.
    mutating func insert(_ numbers: [Int64]) {
        if let last, numbers.allSatisfy({ $0 > last }) {
            append(numbers.sorted(), after: last)
        } else {
            set(Set(all + numbers))
        }
    }

    /// The last number: 0 if there is none, nil if the bytes are damaged.
    private var last: Int64? {
        var (reader, last) = (VarintReader(packed[...]), UInt64(0))
        while !reader.isAtEnd {
            guard let difference = try? reader.next(at: 0) else { return nil }
            let (number, isOver) = last.addingReportingOverflow(difference)
            guard !isOver else { return nil }
            last = number
        }
        return Int64(exactly: last)
    }

    mutating func remove(_ number: Int64) { keep { $0 != number } }

    /// Keeps the numbers that satisfy `isKept`.
    mutating func keep(_ isKept: (Int64) -> Bool) { set(Set(all.filter(isKept))) }

    private mutating func set(_ numbers: Set<Int64>) {
        packed = []
        append(numbers.sorted(), after: 0)
    }

    private mutating func append(_ ascending: [Int64], after last: Int64) {
        var last = last
        for number in ascending where number > last {
            packed.append(varint: UInt64(number - last))
            last = number
        }
    }
}
