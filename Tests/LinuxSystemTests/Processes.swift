// What the tests of processes stand on: real programs, their output, and waiting with a deadline.

import Foundation
import Glibc
import LinuxSystem
import Locks
import Testing

/// How long anything may take before a test gives up; only a failing test waits that long.
let patience: Int32 = 60_000

struct Impatient: Error {}

let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// The init that was built with the tests, beside them.
let initProgram: String = {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return tests.deletingLastPathComponent().appendingPathComponent("exthost-init").path
}()

/// Whether the kernel has this version or a later one.
func isLinux(_ version: String) -> Bool {
    var name = utsname()
    uname(&name)
    let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return release.compare(version, options: .numeric) != .orderedAscending
}

/// PIDFD_SIGNAL_PROCESS_GROUP.
let signalsGroupsByDescriptor = isLinux("6.9")

/// Waits until `descriptor` shows one of `events`; what it shows.
@discardableResult
func waitFor(_ descriptor: Int32, _ events: Int32 = POLLIN) throws -> Int32 {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
        let count = poll(&request, 1, patience)
        if count > 0 { return Int32(request.revents) }
        guard count < 0, errno == EINTR else { throw Impatient() }
    }
}

/// Waits for the end of a child.
func ending(of process: borrowing SpawnedProcess) throws -> ProcessEnding {
    try waitFor(process.pidfd.raw)
    return try #require(try process.reap())
}

/// Everything written to the other end until nobody holds it any more.
func output(of socket: borrowing Socket) throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
        try waitFor(socket.raw)
        let received = try buffer.withUnsafeMutableBytes { try socket.receive(into: $0) }
        switch received {
        case .packet(let count, _): bytes += buffer[..<count]
        case .endOfFile: return String(decoding: bytes, as: UTF8.self)
        case .wouldBlock: continue
        case .truncated, .controlTruncated: throw Impatient()
        }
    }
}

/// The next packet, as text.
func line(from socket: borrowing Socket) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    try waitFor(socket.raw)
    guard case .packet(let count, _) = try buffer.withUnsafeMutableBytes({ try socket.receive(into: $0) }) else {
        throw Impatient()
    }
    return String(decoding: buffer[..<count], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}

/// A shell script's attributes.
func shell(_ script: String) -> SpawnAttributes {
    SpawnAttributes(executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH=/usr/bin:/bin", "LC_ALL=C"])
}

/// Spawns with one more descriptor, which is closed here as soon as the child has it.
func spawn(_ attributes: SpawnAttributes, giving end: consuming Socket, as number: Int32) throws -> SpawnedProcess {
    var attributes = attributes
    try end.setNonBlocking(false)
    if number == 1 {
        attributes.standardOutput = .descriptor(end.raw)
    } else {
        attributes.descriptors.append(.init(parent: end.raw, child: number))
    }
    return try spawn(attributes)
}

/// Starts a program with one end of a socket pair as its standard output, and kills it when `body` is done with both.
func start(_ attributes: SpawnAttributes, _ body: (borrowing SpawnedProcess, borrowing Socket) throws -> Void) throws {
    let pair = try SocketPair()
    let ours = pair.first
    let process = try spawn(attributes, giving: pair.second, as: 1)
    defer {
        _ = try? process.signalTree(SIGKILL)
        _ = try? ending(of: process)
    }
    try body(process, ours)
}

/// Runs a program to its end.
func run(_ attributes: SpawnAttributes) throws -> (output: String, ending: ProcessEnding) {
    var outcome: (String, ProcessEnding)?
    try start(attributes) { (process, socket) throws in
        let text = try output(of: socket)
        outcome = (text, try ending(of: process))
    }
    return try #require(outcome)
}

/// Gives up root's rights for good, if this process has them; for the processes of exit tests.
func becomeOrdinaryUser() throws {
    guard geteuid() == 0 else { return }
    guard setgroups(0, nil) == 0, setgid(65534) == 0, setuid(65534) == 0 else { throw SystemError("setuid") }
    // As after the exec that usually comes with a change of user: else root owns our /proc entries, and ours cannot be
    // written.
    typealias Prctl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    let prctl = unsafeBitCast(try #require(dlsym(nil, "prctl")), to: Prctl.self)
    let setDumpable: Int32 = 4
    #expect(prctl(setDumpable, 1, 0, 0, 0) == 0)
}

/// By a process of its own: a descriptor of this one that is open for writing may be in another test's child just then,
/// and nobody can execute the copy (ETXTBSY).
func copyProgram(_ source: String, to copy: String) throws {
    let attributes = SpawnAttributes(executable: "/bin/cp", arguments: ["--", source, copy])
    #expect(try run(attributes).ending.status == .exited(0))
}

/// A copy of the init that every user can reach; the directory is to be removed.
func reachableInit() throws -> (directory: TemporaryDirectory, program: String) {
    let directory = try TemporaryDirectory(prefix: "exthost-init-test")
    chmod(directory.path, 0o755)
    let program = directory.path + "/exthost-init"
    try copyProgram(initProgram, to: program)
    chmod(program, 0o755)
    return (directory, program)
}

/// Runs `body` on a thread of its own and returns when the thread has ended.
func onShortLivedThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(ThreadBody(body))
    pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, box.toOpaque())
    pthread_join(thread, nil)
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Spawns on a thread that ends at once.
func spawnOnShortLivedThread(_ attributes: SpawnAttributes) throws -> SpawnedProcess {
    // A noncopyable value cannot leave the thread's closure; its parts can.
    let parts = Mutex<(pid: Int32, pidfd: Int32, enclosure: SpawnedProcess.Enclosure)?>(nil)
    onShortLivedThread {
        do {
            let process = try spawn(attributes)
            parts.withLock { $0 = (process.pid, dup(process.pidfd.raw), process.enclosure) }
        } catch { Issue.record(error) }
    }
    let known = try #require(parts.withLock { $0 })
    return SpawnedProcess(
        pid: known.pid, pidfd: OwnedDescriptor(owning: known.pidfd), enclosure: known.enclosure, report: nil)
}

/// Runs `body` on so many threads at once.
func onManyThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: count) { _ in body() }
}

/// Keeps sockets open and counts them.
final class Counter: Sendable {
    private let kept = Mutex<[SharedDescriptor]>([])
    var count: Int { kept.withLock { $0.count } }
    func keep(_ socket: consuming Socket) {
        let descriptor = SharedDescriptor(socket.release())
        kept.withLock { $0.append(descriptor) }
    }
}
