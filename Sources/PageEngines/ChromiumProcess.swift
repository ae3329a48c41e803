// ChromiumProcess: a headless Chromium, and the messages of its DevTools protocol.

internal import Glibc
internal import LinuxDescriptors
internal import LinuxSystem
internal import PageMessages
internal import PropertyListCoding

/// A headless Chromium with a profile of its own, which both end with this object. Its processes stay in its process
/// group.
final class ChromiumProcess {
    /// The programs that are looked for, in this order, with the arguments that only they need.
    private static let programs = [
        ("/usr/lib/chromium/chromium-headless-shell", []), ("/usr/bin/chromium-headless-shell", []),
        ("/usr/lib/chromium/chromium", ["--headless"]), ("/usr/bin/chromium", ["--headless"]),
    ]

    /// The switches of Chromium's own documentation of automated browsers, as far as they save work here, and those
    /// that keep it from everything but its page. Its sandbox needs rights that exthost-pagehost does not have.
    private static let arguments = [
        "--remote-debugging-pipe", "--no-sandbox", "--no-zygote", "--no-first-run", "--disable-gpu",
        "--disable-breakpad", "--disable-crash-reporter", "--disable-dev-shm-usage", "--disable-background-networking",
        "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync",
        "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
        "--disable-backgrounding-occluded-windows", "--disable-hang-monitor", "--block-new-web-contents",
        "--hide-scrollbars", "--mute-audio", "--lang=en-US", "--password-store=basic",
        // All frames are in one process, which has the page's session: no load of theirs goes unseen.
        "--disable-site-isolation-trials",
        "--disable-features=IsolateOrigins,site-per-process,IsolateSandboxedIframes,HttpsUpgrades,BackForwardCache",
        // Each load that is not intercepted ends at a proxy that is not there.
        "--proxy-server=http://127.0.0.1:1", "--proxy-bypass-list=<-loopback>",
    ]

    private let process: SpawnedProcess
    private let socket: OwnedDescriptor
    private let profile: TemporaryDirectory
    private var space = [UInt8](repeating: 0, count: 1 << 20)
    private var received: [UInt8] = []
    /// The number of received bytes that were taken, and that have no end of a message.
    private var taken = 0
    private var searched = 0
    private var last = 0

    init() throws(PageFault) {
        guard let program = Self.programs.first(where: { access($0.0, X_OK) == 0 }) else {
            throw .missing(what: "chromium-headless-shell", package: "chromium-headless-shell")
        }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .engine("Chromium cannot be started: \(SystemError("socketpair"))")
        }
        socket = OwnedDescriptor(owning: ends[0])
        let far = OwnedDescriptor(owning: ends[1])
        let profile: TemporaryDirectory
        do {
            profile = try TemporaryDirectory(prefix: "exthost-chromium")
        } catch {
            throw .engine("Chromium cannot be started: \(error)")
        }
        self.profile = profile
        var attributes = SpawnAttributes(
            executable: program.0,
            arguments: Self.arguments + program.1 + ["--user-data-dir=\(profile.path)", "about:blank"],
            environment: ["HOME=\(profile.path)", "TMPDIR=\(profile.path)", "PATH=/usr/bin:/bin", "LANG=C.UTF-8"])
        if let zone = getenv("TZ") { attributes.environment.append("TZ=\(String(cString: zone))") }
        // Chromium reads at 3 and writes at 4.
        attributes.descriptors = [.init(parent: far.raw, child: 3), .init(parent: far.raw, child: 4)]
        do {
            process = try spawn(attributes)
        } catch {
            try? profile.remove()
            throw .engine("Chromium cannot be started: \(error)")
        }
    }

    deinit {
        // The children of an ended leader stay in its group until it is reaped.
        _ = try? process.signalTree(SIGKILL)
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0 {}
        _ = try? process.signalTree(SIGKILL)
        _ = try? process.reap()
        // A child that is ending may still write.
        for _ in 0..<100 where (try? profile.remove()) == nil { usleep(10_000) }
    }

    /// Sends a command.
    ///
    /// - Returns: the number of the command, which its answer has.
    @discardableResult
    func send(_ method: String, _ parameters: ChromiumValue = [:], session: String? = nil) throws(PageFault) -> Int {
        last += 1
        var message: [String: ChromiumValue] = [
            "id": .number(Double(last)), "method": .string(method), "params": parameters,
        ]
        if let session { message["sessionId"] = .string(session) }
        var writer = JSONWriter()
        ChromiumValue.object(message).write(&writer)
        let bytes = writer.bytes + [0]
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(socket.raw, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .engine("Chromium has ended") }
            sent += count
        }
        return last
    }

    /// Returns the next message; nil if none comes until the deadline. Without a deadline it waits.
    func receive(until deadline: ContinuousClock.Instant?) throws(PageFault) -> ChromiumValue? {
        while true {
            if let message = takeMessage() {
                guard let value = ChromiumValue(message) else { throw .engine("Chromium sent no JSON") }
                return value
            }
            let milliseconds = deadline.map { Int32(BrowserScripts.milliseconds(until: $0)) } ?? -1
            var entry = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready != 0 else { return nil }
            let count = recv(socket.raw, &space, space.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .engine("Chromium has ended") }
            received.append(contentsOf: space[..<count])
        }
    }

    /// Takes the bytes of the oldest message that is here whole.
    private func takeMessage() -> [UInt8]? {
        let length = received.withUnsafeBytes { bytes -> Int? in
            guard let base = bytes.baseAddress, searched < bytes.count,
                let end = memchr(base + searched, 0, bytes.count - searched)
            else { return nil }
            return UnsafeRawPointer(end) - base
        }
        guard let end = length else {
            // The remaining bytes begin the next message.
            received.removeFirst(taken)
            (taken, searched) = (0, received.count)
            return nil
        }
        defer { (taken, searched) = (end + 1, end + 1) }
        return Array(received[taken..<end])
    }
}
