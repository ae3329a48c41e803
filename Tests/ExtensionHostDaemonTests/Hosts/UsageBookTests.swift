// UsageBookTests: what is over a limit, and in which words.

import EventLoop
import ExtensionHostModel
import Testing

@testable import ExtensionHostDaemon

@Suite struct UsageBookTests {
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

    @Test @HostActor func eachProcessOfAUserIsCountedByItself() {
        let book = UsageBook()
        book.add(Usage(requests: 2), to: 7, process: 1)
        book.add(Usage(requests: 3), to: 7, process: 2)
        book.add(Usage(requests: 5), to: 8, process: 1)
        #expect(book.usage(of: 7) == Usage(requests: 5))
        #expect(book.usage(of: 7, process: 1) == Usage(requests: 2) && book.usage(of: 8, process: 1) == Usage(requests: 5))
        book.remove(Usage(requests: 2), from: 7, process: 1)
        #expect(book.usage(of: 7, process: 1) == Usage() && book.usage(of: 7) == Usage(requests: 3))
    }

    @Test func aDaemonWithFewDescriptorsPromisesNoMoreThanItHas() {
        #expect(Usage.userLimit.within(descriptors: 1 << 20) == Usage.userLimit)
        let few = Usage.userLimit.within(descriptors: 1024)
        #expect(few.descriptors == 128 && few.processes == 64)
        #expect(few.requests == Usage.userLimit.requests && few.bytes == Usage.userLimit.bytes)
    }

    @Test func aProcessMayHaveWhatOneOfItsHostsMay() {
        let given = Usage(requests: 2, descriptors: 9, bytes: 2, processes: 9).orMore(Self.limit)
        #expect(given == Usage(requests: 2, descriptors: 9, bytes: 4, processes: 9))
    }
}
