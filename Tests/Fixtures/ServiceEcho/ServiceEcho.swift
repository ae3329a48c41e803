// ServiceEcho: the program of a service, which does what its clients tell it; for tests.

import CallVocabulary
import ExtensionFoundation
import ExtensionPointKit
import Foundation
import Locks
import ServiceProgramKit

@main enum ServiceEcho {
    static func main() throws {
        if CommandLine.arguments.contains("--exit") { exit(3) }
        let program = try ServiceProgram.start { connection in
            var handlers = PointHandlers()
            handlers.on(Echo.self) { echo, _ in
                let words = echo.text.split(separator: " ").map(String.init)
                return Echo.Reply(Echo(text: try await perform(words, connection), number: Int(getpid())))
            }
            handlers.on(End.self) { end, call in
                if end.way == .exit { exit(4) }
                await withCheckedContinuation { done in call.whenCancelled { done.resume() } }
                return Nothing()
            }
            return handlers
        }
        started = program
        program.serve()
    }

    nonisolated(unsafe) private static var started: ServiceProgram?
    /// The number of calls that have asked for a sleep.
    private static let sleeps = Mutex(0)

    private static func perform(_ words: [String], _ connection: ServiceConnection) async throws -> String {
        switch words.first {
        case "client": return connection.client?.identifier ?? "-"
        case "arguments": return CommandLine.arguments.dropFirst().joined(separator: ",")
        case "ask": return try await connection.call(Question("from the program")).text
        case "sleep":
            sleeps.withLock { $0 += 1 }
            try await Task.sleep(for: .seconds(Int(words[1])!), clock: ExtensionClock())
            return "slept"
        case "sleeps": return String(sleeps.withLock { $0 })
        case "rest":
            if words.contains("later") { connection.whenEnded { _ in started?.rest() } } else { started?.rest() }
            return "rests"
        case "wake":
            let window = words.count > 3 ? Int(words[3])! : 30
            try await started?.wake(app: words[1], session: words[2], within: .seconds(window))
            return "handled"
        // The file is renamed from its own container into another.
        case "move":
            let all = ProcessInfo.processInfo.environment["EXTHOST_CONTAINERS"] ?? "/nowhere"
            let (own, folder) = (NSHomeDirectory() + "/part", all + "/Shared/AppGroup/" + words[1])
            try Data("moved".utf8).write(to: URL(fileURLWithPath: own))
            guard rename(own, folder + "/whole") == 0 else { return "errno \(errno)" }
            return folder + "/whole"
        // A file that it may not read.
        case "read": return access(words[1], R_OK) == 0 ? "readable" : "errno \(errno)"
        default: return words.joined(separator: " ")
        }
    }
}
