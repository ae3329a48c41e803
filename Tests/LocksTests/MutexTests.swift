// MutexTests: the lock of the build, which is another one for the thread sanitizer; that is the strictest of these
// tests.

import Locks
import Testing

@Suite struct MutexTests {
    private struct Refused: Error {}

    @Test func threadsThatWaitForEachOtherLoseNothing() async {
        let lines = Lines()
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask { for _ in 0..<2_000 { lines.add(number) } }
            }
        }
        #expect(lines.count == 16_000)
    }

    @Test func anErrorPassesWithItsTypeAndLetsTheLockGo() {
        let mutex = Mutex(0)
        #expect(throws: Refused.self) {
            try mutex.withLock { value throws(Refused) in
                value = 1
                throw Refused()
            }
        }
        #expect(mutex.withLock { $0 } == 1)
    }

    @Test func theValueEndsOnceAndWithTheLock() {
        let ends = Ends()
        do {
            let mutex = Mutex(Ending(ends))
            mutex.withLock { _ in }
            #expect(ends.count.load(ordering: .relaxed) == 0)
        }
        #expect(ends.count.load(ordering: .relaxed) == 1)
    }
}

private final class Lines: Sendable {
    private let list = Mutex<[Int]>([])
    func add(_ line: Int) { list.withLock { $0.append(line) } }
    var count: Int { list.withLock { $0.count } }
}

private final class Ends: Sendable {
    let count = Atomic(0)
}

private struct Ending: ~Copyable {
    let ends: Ends
    init(_ ends: Ends) { self.ends = ends }
    deinit { ends.count.add(1, ordering: .relaxed) }
}
