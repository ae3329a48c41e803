// IndexWriter: writes batches to an index, and is killed at a chosen step of its writing.

import CCrashVFS
import Glibc
import PropertyListCoding
import SpotlightStore

/// `IndexWriter PATH FIRST COUNT STEP LOSES`: the batches FIRST to FIRST+COUNT−1, each of twenty items in three changes.
///
/// The client state of a batch is the number of all batches so far. Prints each batch that is in the index, and at the
/// end the number of steps.
@main struct IndexWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        guard numbers.count == 4 else { exit(64) }
        if crash_vfs_install(numbers[2], Int32(numbers[3])) != 0 { exit(70) }
        let store = try SpotlightStore(path: arguments[1])
        for number in numbers[0]..<(numbers[0] + numbers[1]) {
            let batch = try store.beginBatch(of: AppFamily("app", owner: "/apps/app"))
            let items = (0..<21).map { place in
                IndexedItem(
                    identifier: "\(number)-\(place)", domain: "batch.\(number)", expires: 1e9,
                    attributes: ["title": .string("Item \(place) of \(number)"), "rating": .integer(Int64(place))])
            }
            try store.stage(.put(Array(items[..<10])), in: batch)
            try store.stage(.put(Array(items[10...])), in: batch)
            try store.stage(.delete(identifiers: ["\(number)-20"]), in: batch)
            try store.commit(batch, index: "main", state: [UInt8(number + 1)], now: 0)
            say("\(number)")
        }
        say("steps \(crash_vfs_steps())")
    }

    /// Prints without a buffer.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}
