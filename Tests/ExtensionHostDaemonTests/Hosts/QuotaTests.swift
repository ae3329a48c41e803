// QuotaTests: what is over a limit, and in which words.

import EventLoop
import Testing

@testable import ExtensionHostDaemon

@Suite struct QuotaTests {
    init() { LoopThread.start() }

    private static let limit = Usage(requests: 2, descriptors: 3, bytes: 4, processes: 5)

    @Test(arguments: [
        (Usage(requests: 2, descriptors: 3, bytes: 4, processes: 5), nil), (Usage(requests: 3), "2 open requests"),
        (Usage(descriptors: 4), "3 descriptors that wait for extensions"),
        (Usage(bytes: 5), "4 bytes of items that wait for extensions"), (Usage(processes: 6), "5 processes"),
    ])
    func eachPartHasALimitOfItsOwn(usage: Usage, excess: String?) {
        #expect(usage.excess(over: Self.limit) == excess)
    }

    @Test @HostActor func whatIsReleasedLeavesNothingBehind() {
        let book = UsageBook()
        book.add(Usage(requests: 1, descriptors: 2, bytes: 3, processes: 4), to: 7)
        book.add(Usage(requests: 1), to: 7)
        book.add(Usage(bytes: 9), to: 8)
        #expect(book.usage(of: 7) == Usage(requests: 2, descriptors: 2, bytes: 3, processes: 4))
        book.remove(Usage(requests: 2, descriptors: 2, bytes: 3, processes: 4), from: 7)
        #expect(book.usage(of: 7) == Usage() && book.usage(of: 8) == Usage(bytes: 9))
    }
}
