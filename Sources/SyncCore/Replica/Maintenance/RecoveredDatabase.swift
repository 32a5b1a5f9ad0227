/// The small records of a damaged replica, before any check.
///
/// Sets, chunks, tails and unreadable entries are read in a second pass. A record's table is known
/// by its column types alone: no two tables have the same types.
struct RecoveredDatabase {
    var identity: Identity?
    var deviceKeys: [UInt64: Secret] = [:]
    var spaces: [Int64: Space] = [:]
    var spaceKeys: [Int64: [UInt64: Secret]] = [:]
    /// The devices whose revocation a space's control chain lost.
    var lostRevocations: [Int64: Set<Identifier>] = [:]
    var replicas: [Int64: Identifier] = [:]
    /// The field names by the numbers that packed cells use.
    var fields: [Int64: Text] = [:]
    /// The rows by their numbers.
    var places: [Int64: Place] = [:]
    /// Packed overlay cells by the number of their row.
    var overlays: [Int64: [UInt8]] = [:]
    var unsealed: [(row: Int64, field: Text, unsent: Unsent)] = []
    /// The replica ids under which this database sealed.
    var ownReplicas: Set<Identifier> = []
    /// Some sets of each space, own ones apart, for testing the keys.
    ///
    /// Nothing else shows a flipped bit in a key.
    private var trials: [Trial: [Upload]] = [:]

    private struct Trial: Hashable {
        let space: Int64
        let isOwn: Bool
    }

    private static let trialLimit = 16

    /// A record of the table `self`.
    struct Identity {
        let replica: Identifier
        let clock: UInt64
        let name: String
        let user: Identifier
        let device: Identifier
        let keys: KeyPairs
        let authority: String?
        let trust: ServerTrust?
    }

    /// A record of the table `space`.
    ///
    /// The kind is nil if the id comes from a set only.
    struct Space {
        let id: Identifier
        let kind: SpaceKind?
    }

    struct Place: Hashable {
        let space: Int64
        let collection: Text
        let row: Row
    }
}

extension RecoveredDatabase.Place {
    init(_ key: Key, in space: Int64) {
        self.init(space: space, collection: key.collection, row: key.row)
    }
}

/// The shapes of records that are read one at a time, because they may be many and large.
enum RecordShape {
    static let sealed = Shape("niiibbBiIITBTiiI")
    static let chunk = Shape("nbibBiBB")
    static let chunkSlice = Shape("bn")
    static let tail = Shape("nibiiibii")
    static let unreadable = Shape("ibibi", isNumbered: false)
}

extension RecoveredDatabase {
    private static let identity = Shape("nbiitbbbbTIBIITTB")
    private static let deviceKey = Shape("bb")
    private static let space = Shape("nbtbibibiibIIIib")
    private static let spaceKey = Shape("ibb")
    private static let lostRevocation = Shape("ib", isNumbered: false)
    private static let replica = Shape("nb")
    private static let field = Shape("nt")
    /// The index of `field` also gives the names: without them no record of a row can be read.
    private static let fieldIndex = Shape("ti", isNumbered: false)
    private static let row = Shape("nitbbbbi")
    /// The index of `row` also gives the names of rows.
    private static let rowIndex = Shape("itbi", isNumbered: false)
    private static let unsealed = Shape("ibibiii", isNumbered: false)

    /// Stores a record in the field that its shape belongs to.
    mutating func take(_ record: DamagedRecord) {
        let values = record.values
        if Self.identity.fits(record) { return takeSelf(values) }
        if Self.deviceKey.fits(record), let epoch = values.epoch(0) {
            deviceKeys[epoch] = values.secret(1)
        } else if Self.space.fits(record), let id = values.id(1) {
            spaces[record.number] = Space(id: id, kind: values.text(2).flatMap(SpaceKind.init))
        } else if Self.spaceKey.fits(record), let epoch = values.epoch(1) {
            spaceKeys[values.integer(0) ?? 0, default: [:]][epoch] = values.secret(2)
        } else if Self.lostRevocation.fits(record), let id = values.id(1) {
            lostRevocations[values.integer(0) ?? 0, default: []].insert(id)
        } else if Self.replica.fits(record), let id = values.id(1) {
            replicas[record.number] = id
        } else if Self.field.fits(record), let name = values.text(1) {
            fields[record.number] = Text(name)
        } else if Self.fieldIndex.fits(record), let name = values.text(0) {
            fields[values.integer(1) ?? 0] = Text(name)
        } else if Self.row.fits(record) {
            place(record.number, values.integer(1), values.text(2), values.blob(3))
            if let overlay = values.blob(5), !overlay.isEmpty { overlays[record.number] = overlay }
        } else if Self.rowIndex.fits(record) {
            place(values.integer(3) ?? 0, values.integer(0), values.text(1), values.blob(2))
        } else if Self.unsealed.fits(record) {
            takeUnsealed(values)
        } else if RecordShape.sealed.fits(record) {
            takeNames(values)
        }
    }

    private mutating func takeSelf(_ values: [SQLiteValue]) {
        guard let replica = values.id(1), let clock = values.integer(2), clock >= 0,
            let name = values.text(4), let user = values.id(5), let device = values.id(6),
            let signing = values.blob(7), let agreement = values.blob(8),
            let keys = KeyPairs(signing: signing, agreement: agreement),
            keys.publicKeys.device == device
        else { return }
        identity = Identity(
            replica: replica,
            clock: UInt64(clock),
            name: name,
            user: user,
            device: device,
            keys: keys,
            authority: values.text(9),
            trust: values.text(15).flatMap(ServerTrust.init)
        )
    }

    private mutating func place(
        _ number: Int64,
        _ space: Int64?,
        _ collection: String?,
        _ row: [UInt8]?
    ) {
        guard let space, let collection, let row = row.flatMap({ try? Row(decoding: $0) }) else {
            return
        }
        places[number] = Place(space: space, collection: Text(collection), row: row)
    }

    private mutating func takeUnsealed(_ values: [SQLiteValue]) {
        guard let row = values.integer(0), let field = values.blob(1).flatMap({ Text(utf8: $0) }),
            let time = values.integer(2), time > 0, let value = values.blob(3),
            (try? Value(decoding: value)) != nil, let lead = values.integer(4),
            let state = values.integer(5).flatMap(Unsent.State.init)
        else { return }
        var unsent = Unsent(time: UInt64(time), value: value, lead: lead, state: state)
        // The row's overlay has the field too.
        guard values.integer(6) == unsent.sum(row: row, field) else { return }
        // The periods of the clock are not read.
        if state.period != nil { unsent.state = .written(period: ClockPeriods.unknown) }
        unsealed.append((row, field, unsent))
    }

    /// Reads the ids behind a set's space number and replica number from its header.
    private mutating func takeNames(_ values: [SQLiteValue]) {
        guard let space = values.integer(1), let replica = values.integer(2),
            let bytes = values.blob(5), let upload = try? Upload(parsing: bytes),
            upload.hash.bytes == values.blob(4)
        else { return }
        if spaces[space] == nil { spaces[space] = Space(id: upload.header.space, kind: nil) }
        if replicas[replica] == nil { replicas[replica] = upload.header.replica }
        let isOwn = values.integer(7) == 1
        if isOwn { ownReplicas.insert(upload.header.replica) }
        // The keys of a control set stand in the control chain itself.
        guard !upload.isControl else { return }
        let trial = Trial(space: space, isOwn: isOwn)
        if trials[trial, default: []].count < Self.trialLimit {
            trials[trial, default: []].append(upload)
        }
    }

    /// Whether the identity and all keys are known and work.
    var isWhole: Bool {
        guard let identity, !spaces.isEmpty else { return false }
        let device = DeviceKeys(device: identity.device, secrets: deviceKeys)
        let speaks = identity.authority == nil || (identity.trust != nil && !deviceKeys.isEmpty)
        return speaks && spaces.keys.allSatisfy { spaceKeys[$0]?.isEmpty == false }
            && trials.allSatisfy { trial, uploads in
                uploads.contains {
                    $0.verifies(with: keys(ofSpace: trial.space, $0.header.space))
                } && (!trial.isOwn || uploads.contains { $0.verifies(with: device) })
            }
    }

    /// Whether no part of a replica was found.
    var isNothing: Bool { identity == nil && spaces.isEmpty && places.isEmpty && unsealed.isEmpty }

    /// Returns whether a replica id belongs to this database.
    ///
    /// An unknown replica counts as its own.
    func isOwn(_ replica: Identifier) -> Bool {
        replica == .zero || replica == identity?.replica || ownReplicas.contains(replica)
    }

    /// Returns whether a space is the own one.
    ///
    /// A space of unknown kind counts as the own one, unless another space is known to be.
    func isOwnSpace(_ number: Int64) -> Bool {
        guard let kind = spaces[number]?.kind else {
            return !spaces.values.contains { $0.kind == .own }
        }
        return kind == .own
    }

    func keys(ofSpace number: Int64, _ id: Identifier) -> SpaceKeys {
        SpaceKeys(space: id, secrets: spaceKeys[number] ?? [:])
    }
}

/// The column types of a record, one letter each: integer, blob, text, real or null.
///
/// A capital letter allows null as well.
struct Shape {
    private let columns: [Character]
    private let isNumbered: Bool

    init(_ columns: String, isNumbered: Bool = true) {
        self.columns = Array(columns)
        self.isNumbered = isNumbered
    }

    func fits(_ record: DamagedRecord) -> Bool {
        record.isNumbered == isNumbered && columns.count == record.values.count
            && zip(columns, record.values).allSatisfy(Self.fits)
    }

    private static func fits(_ column: Character, _ value: SQLiteValue) -> Bool {
        switch value {
        case .null: column == "n" || column.isUppercase
        // SQLite stores a whole number in a column of reals as an integer.
        case .integer: "iIrR".contains(column)
        case .real: "rR".contains(column)
        case .text: "tT".contains(column)
        case .blob: "bB".contains(column)
        }
    }
}

extension [SQLiteValue] {
    /// Returns the integer in a column, or nil for any other type.
    func integer(_ column: Int) -> Int64? {
        if column < count, case .integer(let number) = self[column] { number } else { nil }
    }

    func blob(_ column: Int) -> [UInt8]? {
        if column < count, case .blob(let bytes) = self[column] { bytes } else { nil }
    }

    func text(_ column: Int) -> String? {
        if column < count, case .text(let text) = self[column] {
            String(decoding: text, as: UTF8.self)
        } else {
            nil
        }
    }

    func id(_ column: Int) -> Identifier? { blob(column).flatMap { Identifier(bytes: $0) } }

    fileprivate func epoch(_ column: Int) -> UInt64? {
        blob(column).flatMap { $0.count == 8 ? UInt64(bigEndian: $0) : nil }
    }

    fileprivate func secret(_ column: Int) -> Secret? {
        blob(column).flatMap { $0.count == 32 ? Secret(bytes: $0) : nil }
    }
}
