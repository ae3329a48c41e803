// Sockets at paths: who may take one, how long it may be, and who is at the other end.

import Glibc
import LinuxSystem
import Testing

@Suite struct SocketTests {
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory(prefix: "exthost-socket-test")
        defer { try? directory.remove() }
        try body(directory.path)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : 0
    }

    /// A socket that nobody listens at any more: a process that another test starts may hold a copy of the listening
    /// one until its exec.
    private func leaveBehind(_ path: String) throws {
        do { _ = try Socket.listen(at: path) }
        let end = ContinuousClock.now + .milliseconds(Int(patience))
        while ContinuousClock.now < end {
            do throws(SystemError) {
                _ = try Socket.connect(to: path, patience: 10)
            } catch {
                if error.code == ECONNREFUSED { return }
                guard error.code == EAGAIN else { throw error }
            }
            usleep(1000)
        }
        throw Impatient()
    }

    @Test func aConnectionCarriesPacketsBothWays() throws {
        try inDirectory { (directory) throws in
            let listener = try Socket.listen(at: directory + "/s")
            #expect(try isNothing(listener.accept()))
            let client = try Socket.connect(to: directory + "/s")
            let server = try orThrow(listener.accept())
            #expect(fcntl(server.raw, F_GETFD) == FD_CLOEXEC && fcntl(server.raw, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(client.raw, F_GETFD) == FD_CLOEXEC && fcntl(client.raw, F_GETFL) & O_NONBLOCK != 0)
            try client.send(Array("ping".utf8))
            #expect(try line(from: server) == "ping")
            try server.send(Array("pong".utf8))
            #expect(try line(from: client) == "pong")
        }
    }

    /// Who connects, sends and leaves must not cost the service what a client does.
    @Test func aConnectionWhosePeerHasHungUpIsAbandonedWhateverItLeftUnread() throws {
        try inDirectory { (directory) throws in
            let listener = try Socket.listen(at: directory + "/s")
            for word in [[], Array("x".utf8)] {
                let client = try Socket.connect(to: directory + "/s")
                if !word.isEmpty { try client.send(word) }
                let server = try orThrow(listener.accept())
                let before = server.isAbandoned()
                // Not closed: a process that another test starts just now may have a copy of the descriptor.
                #expect(shutdown(client.raw, Int32(SHUT_RDWR)) == 0)
                let after = server.isAbandoned()
                #expect(!before && after)
            }
        }
    }

    private func isNothing(_ socket: consuming Socket?) -> Bool { socket == nil }

    private func orThrow(_ socket: consuming Socket?) throws -> Socket {
        guard let socket else { throw Impatient() }
        return socket
    }

    @Test func aPathLongerThanAnAddressWorks() throws {
        try inDirectory { (directory) throws in
            var long = directory
            for _ in 0..<8 {
                long += "/" + String(repeating: "d", count: 60)
                #expect(mkdir(long, 0o700) == 0)
            }
            let listener = try Socket.listen(at: long + "/socket")
            _ = try Socket.connect(to: long + "/socket")
            _ = try orThrow(listener.accept())
            #expect(mode(long + "/socket") & S_IFMT == S_IFSOCK)
            #expect(throws: SystemError("bind", code: EADDRINUSE)) { _ = try Socket.listen(at: long + "/socket") }
        }
    }

    @Test func aNameThatIsTooLongIsRefused() throws {
        try inDirectory { (directory) throws in
            let name = String(repeating: "n", count: 120)
            #expect(throws: SystemError("bind", code: ENAMETOOLONG)) {
                _ = try Socket.listen(at: directory + "/" + name)
            }
        }
    }

    @Test func aSocketLeftBehindIsReplacedAndALiveOneIsNot() throws {
        try inDirectory { (directory) throws in
            let path = directory + "/s"
            try leaveBehind(path)
            #expect(mode(path) & S_IFMT == S_IFSOCK)
            #expect(throws: SystemError("connect", code: ECONNREFUSED)) { _ = try Socket.connect(to: path) }
            let live = try Socket.listen(at: path)
            #expect(throws: SystemError("bind", code: EADDRINUSE)) { _ = try Socket.listen(at: path) }
            // Not even when nobody accepts and the queue is full: the probe just now is in it.
            #expect(Glibc.listen(live.raw, 0) == 0)
            #expect(throws: SystemError("connect", code: EAGAIN)) { _ = try Socket.connect(to: path, patience: 10) }
            #expect(throws: SystemError("bind", code: EADDRINUSE)) { _ = try Socket.listen(at: path) }
        }
    }

    @Test func onlySocketsAreEverReplaced() throws {
        try inDirectory { (directory) throws in
            let path = directory + "/file"
            close(open(path, O_CREAT | O_WRONLY, 0o600))
            #expect(throws: SystemError("bind", code: EADDRINUSE)) { _ = try Socket.listen(at: path) }
            #expect(mode(path) & S_IFMT == S_IFREG)
            #expect(symlink("/nowhere", directory + "/link") == 0)
            #expect(throws: SystemError("bind", code: EADDRINUSE)) { _ = try Socket.listen(at: directory + "/link") }
        }
    }

    @Test(arguments: [0o600, 0o660, 0o666, 0o777])
    func thePermissionsAreThoseAskedForWhateverTheMask(permissions: UInt32) throws {
        try inDirectory { (directory) throws in
            _ = try Socket.listen(at: directory + "/s", permissions: permissions)
            #expect(mode(directory + "/s") & 0o7777 == permissions)
        }
    }

    @Test func aMissingPathIsReported() throws {
        try inDirectory { (directory) throws in
            #expect(throws: SystemError("connect", code: ENOENT)) { _ = try Socket.connect(to: directory + "/s") }
            #expect(throws: SystemError("open", code: ENOENT)) { _ = try Socket.listen(at: directory + "/no/s") }
        }
    }

    @Test func ofManyThatStartAtOnceExactlyOneListens() throws {
        try inDirectory { (directory) throws in
            // Many rounds: without the lock only some of them have two winners.
            for round in 0..<300 {
                let path = directory + "/\(round)"
                try leaveBehind(path)
                let winners = Counter()
                onManyThreads(4) {
                    if let socket = try? Socket.listen(at: path) { winners.keep(socket) }
                }
                #expect(winners.count == 1)
                _ = try Socket.connect(to: path)
            }
        }
    }

    @Test func theOtherEndIsNamed() throws {
        try inDirectory { (directory) throws in
            let listener = try Socket.listen(at: directory + "/s")
            let client = try Socket.connect(to: directory + "/s")
            let server = try orThrow(listener.accept())
            let peer = try server.peerCredentials()
            #expect(peer.pid == getpid() && peer.uid == geteuid() && peer.gid == getegid())
            #expect(try client.peerCredentials() == peer)
            guard let pidfd = try server.peerProcess() else { throw Impatient() }
            #expect(try ProcessDescriptor.pid(of: pidfd.raw) == getpid())
            #expect(fcntl(pidfd.raw, F_GETFD) == FD_CLOEXEC)
        }
    }

    /// As systemd passes it, unless told otherwise.
    @Test func aListeningSocketOfSomebodyElsesDoesNotBlockItsNewOwner() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        let path = folder.path + "/host.sock"
        let made = try Socket.listen(at: path)
        try made.setNonBlocking(false)
        let adopted = try Socket.adopt(listening: try made.descriptor.duplicate())
        let nothing = try isNothing(adopted.accept())
        #expect(nothing)
        let client = try Socket.connect(to: path)
        let refused = #expect(throws: SystemError.self) {
            _ = try Socket.adopt(listening: try client.descriptor.duplicate())
        }
        #expect(refused?.code == EINVAL)
        let pair = pipePair()
        let other = #expect(throws: SystemError.self) {
            _ = try Socket.adopt(listening: OwnedDescriptor(owning: pair.0))
        }
        #expect(other?.code == ENOTSOCK)
        close(pair.1)
        try folder.remove()
    }

    private func pipePair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        return (ends[0], ends[1])
    }
}
