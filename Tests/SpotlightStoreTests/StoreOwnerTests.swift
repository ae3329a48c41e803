// StoreOwnerTests: the user of a file, the owners of items, and batches that outlive their host.

import Foundation
import LinuxSystem
import PropertyListCoding
import SQLite
import Testing

@testable import SpotlightStore

@Suite struct StoreOwnerTests {
    private func withFile(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try body(folder.path + "/index.sqlite")
    }

    @Test func aFileHasOneUser() throws {
        try withFile { path in
            do {
                let store = try SpotlightStore(path: path)
                let batch = try store.beginBatch(of: "a")
                try store.stage(.put([SpotlightStoreTests.item("1")]), in: batch)
                #expect {
                    try SpotlightStore(path: path)
                } throws: {
                    if case SpotlightStoreError.inUse = $0 { true } else { false }
                }
                // The other has not dropped the batch.
                try store.commit(batch, index: "main", state: [1], now: 0)
                #expect(try store.count() == 1)
            }
            #expect(try SpotlightStore(path: path).count() == 1)
        }
    }

    @Test func anEndedBatchIsRememberedByTheFile() throws {
        try withFile { path in
            var batches: [Int] = []
            do {
                let store = try SpotlightStore(path: path)
                for _ in 0..<70 {
                    let batch = try store.beginBatch(of: "a")
                    try store.commit(batch, index: "main", state: [], now: 0)
                    batches.append(batch)
                }
            }
            let store = try SpotlightStore(path: path)
            #expect(try batches.suffix(64).allSatisfy { try store.hasEnded($0, of: "a") })
            #expect(try !batches.prefix(6).contains { try store.hasEnded($0, of: "a") })
            #expect(try !store.hasEnded(batches[69], of: "b"))
            // A batch of another host has another number.
            #expect(try !batches.contains(store.beginBatch(of: "a")))
        }
    }

    @Test func aBundleDoesNotInheritTheItemsOfAnother() throws {
        let store = try SpotlightStore(path: ":memory:")
        let (one, other) = (AppFamily("app", owner: "/one"), AppFamily("app", owner: "/other"))
        try store.commit(try store.beginBatch(of: one), index: "main", state: [1], now: 0)
        try store.apply([.put((0..<1100).map { SpotlightStoreTests.item("\($0)") })], of: one, now: 0)
        try store.apply([.put([SpotlightStoreTests.item("1", "Other")])], of: other, now: 0)
        #expect(try store.all(of: other).count == 1 && store.clientState(of: "main", family: other) == nil)
        #expect(try store.all(.words("title"), of: other).isEmpty)
        #expect(try store.families == [one, other])

        let open = try store.beginBatch(of: one)
        var parts = 1
        while try store.removePart(of: one) { parts += 1 }
        #expect(parts == 3)
        #expect(
            try store.families == [other] && store.count() == 1 && store.clientState(of: "main", family: one) == nil)
        #expect(throws: SpotlightStoreError.self) { try store.commit(open, index: "main", state: [], now: 0) }
        #expect(try !store.removePart(of: one))
        try store.apply([.put([SpotlightStoreTests.item("2")])], of: one, now: 0)
        #expect(try store.count(of: one) == 1)
        try store.verify()
    }

    @Test func theItemsOfAFileWithoutOwnersAreIndexedAgain() throws {
        try withFile { path in
            do {
                let database = try Database(path: path)
                for table in ["words", "items", "numbers", "families", "states", "staged"] {
                    try database.execute("CREATE TABLE \(table)(x)")
                }
                try database.execute("INSERT INTO items VALUES (1); PRAGMA user_version = 1")
            }
            let store = try SpotlightStore(path: path)
            #expect(try store.count() == 0)
            try store.apply([.put([SpotlightStoreTests.item("1")])], of: "a", now: 0)
            try store.verify()
        }
    }

    // spec: SI-4, SI-6
    @Test func anUpdateWithoutADateKeepsTheDate() throws {
        let store = try SpotlightStore(path: ":memory:")
        try store.apply([.put([SpotlightStoreTests.item("1", expires: 500)])], of: "a", now: 0)
        let update = IndexedItem(identifier: "1", attributes: ["title": "Other"], isUpdate: true)
        try store.apply([.put([update])], of: "a", now: 0)
        #expect(try store.all(now: 499).count == 1 && store.all(now: 500).isEmpty)
        // Without a date to keep it is a month.
        try store.apply([.put([IndexedItem(identifier: "2", isUpdate: true)])], of: "a", now: 100)
        #expect(try store.all(now: 100 + IndexedItem.month - 1).count == 1)
        #expect(try store.all(now: 100 + IndexedItem.month).isEmpty)
        // In a batch it is a month from the batch's end.
        let batch = try store.beginBatch(of: "a")
        try store.stage(.put([IndexedItem(identifier: "3")]), in: batch)
        try store.commit(batch, index: "main", state: [], now: 1000)
        #expect(try store.all().first { $0.identifier == "3" }?.expires == 1000 + IndexedItem.month)
    }
}
