// QuotaBookTests: what is over a limit, whose limit that is, and in which words.

import Testing

@testable import ExtensionHostModel

@Suite struct QuotaBookTests {
    private static let limit = Usage(requests: 2, descriptors: 3, bytes: 4, processes: 5)

    @Test(arguments: [
        (Usage(requests: 2, descriptors: 3, bytes: 4, processes: 5), nil), (Usage(requests: 3), "2 open requests"),
        (Usage(descriptors: 4), "3 descriptors that wait for extensions"),
        (Usage(bytes: 5), "4 bytes of items that wait for extensions"), (Usage(processes: 6), "5 processes"),
    ])
    func eachPartHasALimitOfItsOwn(usage: Usage, excess: String?) {
        #expect(usage.excess(over: Self.limit) == excess)
    }

    private static let limits = QuotaBook.Limits(
        user: Usage(requests: 5), process: Usage(requests: 4), host: Usage(requests: 3))

    private static func payer(_ user: UInt32, _ process: Int32, _ host: Int) -> QuotaBook.Payer {
        QuotaBook.Payer(user: user, process: process, host: host)
    }

    /// Requests of each, and the level at which the first host may have no other.
    @Test(arguments: [
        ([1, 0, 0, 0], nil), ([3, 0, 0, 0], QuotaBook.Level.host), ([1, 3, 0, 0], .process), ([1, 0, 4, 0], .user),
        ([3, 3, 4, 9], .user), ([1, 1, 1, 9], nil),
    ])
    func theNearestLimitIsTheLastThatIsAsked(requests: [Int], level: QuotaBook.Level?) {
        var book = QuotaBook()
        // The first two are of one process, the third of another one of that user, the last another user's.
        let payers = [Self.payer(7, 1, 1), Self.payer(7, 1, 2), Self.payer(7, 2, 3), Self.payer(8, 1, 4)]
        for (payer, count) in zip(payers, requests) { book.add(Usage(requests: count), to: payer) }
        #expect(book.excess(adding: Usage(requests: 1), to: payers[0], within: Self.limits)?.level == level)
        for (payer, count) in zip(payers, requests) { book.remove(Usage(requests: count), from: payer) }
        #expect(book.isEmpty)
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
