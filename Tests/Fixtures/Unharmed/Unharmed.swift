// Unharmed: a Swift program that does what extensions do with Foundation, Dispatch and tasks, and prints what came of
// it.

import Dispatch
import Foundation

@main
struct Unharmed {
    static func main() async throws {
        // Tasks, on every thread of the pool, and a sleep, which needs its timer.
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...100 { group.addTask { number } }
            var sum = 0
            for await number in group { sum += number }
            return sum
        }
        try await Task.sleep(for: .milliseconds(5))
        print("tasks", sum)
        // Dispatch: a concurrent queue with a priority, a timer source, the main queue's name.
        let group = DispatchGroup()
        let counter = Counter()
        for _ in 0..<64 { DispatchQueue.global(qos: .utility).async(group: group) { @Sendable in counter.increment() } }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { @Sendable in continuation.resume() }
        }
        print("queues", counter.value)
        // Files: atomic writes, property lists, folders, attributes.
        let files = FileManager.default
        let home = URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
        let file = home.appendingPathComponent("unharmed.plist")
        let list = try PropertyListEncoder().encode(["key": [1, 2, 3]])
        try list.write(to: file, options: .atomic)
        let back = try PropertyListDecoder().decode([String: [Int]].self, from: Data(contentsOf: file))
        print("file", back["key"]?.count ?? 0, try files.attributesOfItem(atPath: file.path)[.size] != nil)
        try files.removeItem(at: file)
        let temporary = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try files.createDirectory(at: temporary, withIntermediateDirectories: false)
        try files.removeItem(at: temporary)
        print("temporary", files.temporaryDirectory.path)
        // Time, place, text, the machine.
        print("zone", TimeZone.current.identifier)
        let formatter = ISO8601DateFormatter()
        print("date", formatter.string(from: Date(timeIntervalSince1970: 0)))
        print(
            "text", String(format: "%.2f", 1.5), "a,b".components(separatedBy: ",").count, NSString(string: "x").length)
        let information = ProcessInfo.processInfo
        print(
            "machine", information.activeProcessorCount > 0, information.physicalMemory > 0,
            information.processIdentifier > 0)
        print("json", try JSONSerialization.jsonObject(with: Data("[1]".utf8)) is [Any])
        // A program of the system, through a pipe; where there is a network of its own, which Foundation needs to wait
        // for it.
        if information.environment["UNHARMED_PROCESS"] == nil { try runProgram() }
        // A run loop with a timer.
        print("timer", await MainTimer.fires())
    }

    private static func runProgram() throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/echo")
        process.arguments = ["hello"]
        process.standardOutput = pipe
        try process.run()
        process.waitUntilExit()
        print(
            "process", String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self), terminator: "")
    }
}

final class Counter: @unchecked Sendable {
    // Behind the lock.
    private let lock = NSLock()
    private var count = 0
    var value: Int { lock.withLock { count } }
    func increment() { lock.withLock { count += 1 } }
}

enum MainTimer {
    /// On a thread of its own, whose run loop it turns.
    static func fires() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let counter = Counter()
                let timer = Timer(timeInterval: 0.001, repeats: false) { _ in counter.increment() }
                RunLoop.current.add(timer, forMode: .default)
                while counter.value == 0, RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5)) {}
                continuation.resume(returning: counter.value == 1)
            }
        }
    }
}
