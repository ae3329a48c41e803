// SpotlightStore+Batches: changes that are in the index together or not at all.

internal import PropertyListCoding
internal import SQLite

/// A batch whose changes are in the table `staged`.
struct OpenBatch {
    let family: AppFamily
    var bytes = 0
    var count = 0
    /// The reason for which the first change was refused. The batch cannot be applied whole then.
    var refusal: SpotlightStoreError?
}

extension SpotlightStore {
    /// Opens a batch. Its changes are in the index once it is committed.
    ///
    /// - Returns: the number of the batch, which no other batch has, also in another file.
    public func beginBatch(of family: AppFamily) throws(SpotlightStoreError) -> Int {
        guard batches.values.count(where: { $0.family == family }) < limits.openBatches else {
            throw .quotaExceeded("\(limits.openBatches) batches of an app are open, which is the limit")
        }
        // A client may still have the number of a batch of an earlier host.
        let batch = Int.random(in: 1...Int.max)
        batches[batch] = OpenBatch(family: family)
        return batch
    }

    /// Adds a change to a batch. If one is refused, the batch's end fails with the same error.
    public func stage(_ change: IndexChange, in batch: Int) throws(SpotlightStoreError) {
        guard let open = batches[batch] else { throw .invalidClientState("the batch is not open") }
        do throws(SpotlightStoreError) {
            try stage(change, batch, open)
        } catch {
            if open.refusal == nil { batches[batch]?.refusal = error }
            throw error
        }
    }

    private func stage(_ change: IndexChange, _ batch: Int, _ open: OpenBatch) throws(SpotlightStoreError) {
        var open = open
        try check(change)
        let bytes: [UInt8]
        do { bytes = try change.plist.encodeBinary() } catch {
            throw .invalidItem("the change cannot be stored: \(error)")
        }
        open.bytes += bytes.count
        guard open.bytes <= limits.batchBytes else {
            throw .quotaExceeded("the changes of a batch have at most \(limits.batchBytes) bytes")
        }
        try run(
            "INSERT INTO staged(batch, number, change) VALUES (?, ?, ?)", .integer(batch), .integer(open.count),
            .blob(bytes))
        open.count += 1
        batches[batch] = open
    }

    /// Applies the changes of a batch, and sets the client state of its index with them, all of it or nothing.
    ///
    /// - Parameters:
    ///   - batch: the batch, which ends here, also after an error.
    ///   - index: the name of the index.
    ///   - state: the client state.
    ///   - now: the time, in seconds since 2001.
    /// - Throws: `SpotlightStoreError` `invalidClientState` for a long state or a batch that is not open; the error of a
    ///   change that was refused; and others.
    @discardableResult
    public func commit(
        _ batch: Int, index: String, state: [UInt8], now: Double
    ) throws(SpotlightStoreError) -> IndexEffect {
        guard let open = batches.removeValue(forKey: batch) else {
            throw .invalidClientState("the batch is not open")
        }
        do throws(SpotlightStoreError) {
            guard state.count <= limits.clientStateBytes else {
                throw .invalidClientState("a client state has at most \(limits.clientStateBytes) bytes")
            }
            try check(index, "the name of an index")
            if let refusal = open.refusal { throw refusal }
            return try transaction { () throws(SpotlightStoreError) in
                let family = try number(of: open.family)
                var effect = IndexEffect()
                for number in 0..<open.count { effect += try perform(try change(number, of: batch), family, now) }
                try run("DELETE FROM staged WHERE batch = ?", .integer(batch))
                try set(state, of: index, family)
                try remember(batch, family)
                try finish(family, now)
                return effect
            }
        } catch {
            try? run("DELETE FROM staged WHERE batch = ?", .integer(batch))
            throw error
        }
    }

    /// The ended batches of a family that are remembered.
    private static let rememberedBatches = 64

    private func remember(_ batch: Int, _ family: Int) throws(SpotlightStoreError) {
        try run("INSERT INTO ended(family, batch) VALUES (?, ?)", .integer(family), .integer(batch))
        try run(
            """
            DELETE FROM ended WHERE family = ? AND id NOT IN
                (SELECT id FROM ended WHERE family = ? ORDER BY id DESC LIMIT ?)
            """, .integer(family), .integer(family), .integer(Self.rememberedBatches))
    }

    /// Whether a batch is one of the last that a family has committed, whichever process did it.
    public func hasEnded(_ batch: Int, of family: AppFamily) throws(SpotlightStoreError) -> Bool {
        guard let id = try known(family) else { return false }
        var hasEnded = false
        try rows("SELECT 1 FROM ended WHERE batch = ? AND family = ?", [.integer(batch), .integer(id)]) { _ in
            hasEnded = true
            return false
        }
        return hasEnded
    }

    private func change(_ number: Int, of batch: Int) throws(SpotlightStoreError) -> IndexChange {
        var found: IndexChange?
        try rows("SELECT change FROM staged WHERE batch = ? AND number = ?", [.integer(batch), .integer(number)]) {
            row in
            let plist = row.withBlob(0) { try? PropertyList(binary: $0, limits: .payload) }
            found = plist.flatMap { IndexChange($0) }
            return false
        }
        guard let found else { throw .storage("a change of the batch cannot be read") }
        return found
    }

    private func set(_ state: [UInt8], of index: String, _ family: Int) throws(SpotlightStoreError) {
        try run(
            "INSERT OR REPLACE INTO states(family, name, state) VALUES (?, ?, ?)", .integer(family), .text(index),
            .blob(state))
        var count = 0
        try rows("SELECT count(*) FROM states WHERE family = ?", [.integer(family)]) { row in
            count = row.integer(0)
            return false
        }
        guard count <= limits.clientStates else {
            throw .quotaExceeded("an app has at most \(limits.clientStates) named indexes with a client state")
        }
    }

    /// Drops a batch that is not committed.
    public func drop(_ batch: Int) {
        guard batches.removeValue(forKey: batch) != nil else { return }
        // What is left is deleted when the store is opened next.
        try? run("DELETE FROM staged WHERE batch = ?", .integer(batch))
    }

    /// Returns the client state of the last batch of an index that is in the store; nil if there is none.
    public func clientState(of index: String, family: AppFamily) throws(SpotlightStoreError) -> [UInt8]? {
        guard let id = try known(family) else { return nil }
        var state: [UInt8]?
        try rows("SELECT state FROM states WHERE family = ? AND name = ?", [.integer(id), .text(index)]) { row in
            state = row.withBlob(0) { Array($0) }
            return false
        }
        return state
    }
}
