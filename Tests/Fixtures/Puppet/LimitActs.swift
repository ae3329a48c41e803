// LimitActs: how the puppet goes beyond the limits that it is given.

import ExtensionFoundation
import Foundation
import Locks

extension Puppet {
    /// Whether it is one of these, and then it is begun. What each does besides stands in the answer or in what is
    /// printed.
    func goBeyondLimit(_ act: String?, _ argument: String, _ items: [NSExtensionItem], _ context: NSExtensionContext)
        -> Bool
    {
        let count = Int(argument) ?? 0
        switch act {
        case "fill":
            // Slowly enough that a look in between can tell how far it has come.
            Thread.detachNewThread {
                Memory.fill(megabytes: count, pausing: true)
                context.completeRequest(returningItems: [Self.item(["filled": count])])
            }
        case "fillAtOnce":
            Memory.fill(megabytes: count, pausing: false)
            context.completeRequest(returningItems: [Self.item(["filled": count])])
        case "fillWhileLoading":
            // Not before the host is known to work on it: by then the daemon knows of the load.
            let load = items.first?.attachments?.first?.loadDataRepresentation(forTypeIdentifier: "public.data") {
                _, _ in
            }
            Thread.detachNewThread {
                while load?.completedUnitCount == 0 { usleep(1000) }
                Memory.fill(megabytes: count, pausing: true)
            }
        case "fillInChildren":
            // Each of four has a quarter.
            Self.shell(
                "for i in 1 2 3 4; do (x=$(head -c \(count / 4 * 1024 * 1024) /dev/zero | tr '\\0' x); sleep 60) & done; wait"
            )
        case "forkSharing":
            // Four forks of a shell that holds so much; each waits, and none executes anything of its own.
            let script = """
                x=$(head -c \(count * 1024 * 1024) /dev/zero | tr '\\0' x); f=$(mktemp -u); mkfifo $f
                for i in 1 2 3 4; do (read y < $f) & done; sleep 0.4; : > $f; wait; rm $f
                """
            Self.shell(script) { context.completeRequest(returningItems: []) }
        case "dump":
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            abort()
        case "burn": Thread.detachNewThread { while true {} }
        case "burnInChildren": Self.shell("for i in 1 2; do (while :; do :; done) & done; wait")
        case "threads":
            var started = 0
            for _ in 0..<count {
                var thread = pthread_t()
                let code = pthread_create(
                    &thread, nil,
                    { _ in
                        while true { pause() }
                    }, nil)
                if code != 0 { break }
                started += 1
            }
            print("threads: \(started)")
            answerLater(context, ["started": started])
        case "openWhileBusy":
            // More work than there are threads for it, and no descriptor left. libdispatch looks at its threads at
            // once, and then every second: in between it can be seen that there is none.
            for _ in 0..<64 { DispatchQueue.global().async { while true { pause() } } }
            usleep(150_000)
            for _ in 0..<count { _ = open("/dev/null", O_RDONLY) }
        case "complain":
            FileHandle.standardError.write(Data((0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) }))
            abort()
        default: return false
        }
        return true
    }

    /// With what it holds kept for a while, so that it can be seen. Without another thread: there may be none to be
    /// had.
    private func answerLater(_ context: NSExtensionContext, _ values: [String: Int]) {
        usleep(150_000)
        context.completeRequest(returningItems: [Self.item(values)])
    }

    private static func shell(_ script: String, then body: @escaping @Sendable () -> Void = {}) {
        Thread.detachNewThread {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", script]
            try? process.run()
            process.waitUntilExit()
            body()
        }
    }
}

/// Held until the process ends.
enum Memory {
    static func fill(megabytes: Int, pausing: Bool) {
        for done in 0..<megabytes {
            let size = 1024 * 1024
            guard let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                page != MAP_FAILED
            else {
                return
            }
            memset(page, 1, size)
            guard pausing, done % 8 == 7 else { continue }
            // How far it has come, when, how much it holds by then, and how long it has run.
            var (now, run) = (timespec(), timespec())
            clock_gettime(CLOCK_REALTIME, &now)
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &run)
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
                .dropFirst()
                .first
            let held = (pages.flatMap { Int($0) } ?? 0) * Int(getpagesize())
            let (time, processor) = (
                now.tv_sec * 1_000_000 + now.tv_nsec / 1000, run.tv_sec * 1_000_000 + run.tv_nsec / 1000
            )
            let mark = "filled \(done + 1) \(time) \(held) \(processor)\n"
            FileHandle.standardError.write(Data(mark.utf8))
            usleep(1000)
        }
    }
}
