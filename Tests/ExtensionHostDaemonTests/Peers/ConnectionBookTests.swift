// ConnectionBookTests: how many connections a process, a user and all may have.

import EventLoop
import ExtensionProtocol
import Testing

@testable import ExtensionHostDaemon
import LinuxSystem

@Suite struct ConnectionBookTests {
    init() { LoopThread.start() }

    /// Of users' daemons and of the system's, with many and with few descriptors.
    @Test(arguments: [
        (1 << 20, false, 4096, 3840, 1024, 256), (1024, false, 512, 480, 128, 32), (1 << 20, true, 4096, 1024, 256, 64),
        (1024, true, 512, 128, 32, 8), (16, false, 8, 8, 2, 1),
    ])
    func limitsLeaveHalfOfTheDescriptorsToOthers(
        descriptors: Int, isSystem: Bool, all: Int, ofUser: Int, ofProcess: Int, strangers: Int
    ) {
        let limits = ConnectionLimits(most: 4096, descriptors: descriptors, isSystem: isSystem)
        #expect(limits.all == all && limits.ofUser == ofUser)
        #expect(limits.ofProcess == ofProcess && limits.strangersOfProcess == strangers)
    }

    private func peer(_ user: UInt32, _ pid: Int32) -> PeerCredentials {
        PeerCredentials(pid: pid, uid: user, gid: user, groups: [])
    }

    @HostActor private func book(isSystem: Bool = false) -> ConnectionBook {
        ConnectionBook(ConnectionLimits(most: 64, descriptors: 1 << 20, isSystem: isSystem), UserShares())
    }

    @Test @HostActor func aProcessWithManyConnectionsKeepsNobodyElseOut() {
        let book = book()
        for _ in 0..<book.limits.ofProcess {
            #expect(book.problem(of: peer(7, 1)) == nil)
            _ = book.add(peer(7, 1))
            book.introduced(peer(7, 1))
        }
        #expect(book.problem(of: peer(7, 1))?.message == "process 1 has 16 connections, which is the limit")
        #expect(book.problem(of: peer(7, 2)) == nil && book.problem(of: peer(8, 1)) == nil)
        book.remove(peer(7, 1), isStranger: false)
        #expect(book.problem(of: peer(7, 1)) == nil)
    }

    @Test @HostActor func connectionsThatSayNothingAreFewer() {
        let book = book()
        for _ in 0..<book.limits.strangersOfProcess { _ = book.add(peer(7, 1)) }
        #expect(
            book.problem(of: peer(7, 1))?.message
                == "process 1 has 4 connections that have not sent hello, which is the limit")
        book.introduced(peer(7, 1))
        #expect(book.problem(of: peer(7, 1)) == nil)
    }

    @Test @HostActor func aUserWithManyProcessesKeepsNeitherRootNorOthersOut() {
        let book = book(isSystem: true)
        for pid in 0..<Int32(book.limits.ofUser) {
            #expect(book.problem(of: peer(7, pid)) == nil)
            _ = book.add(peer(7, pid))
        }
        #expect(book.problem(of: peer(7, 1000))?.message == "user 7 has 16 connections, which is the limit")
        #expect(book.problem(of: peer(8, 1)) == nil && book.problem(of: peer(0, 1)) == nil)
        for pid in 0..<Int32(book.limits.ofUser) { book.remove(peer(7, pid), isStranger: true) }
        #expect(book.count == 0 && book.problem(of: peer(7, 1000)) == nil)
    }
}
