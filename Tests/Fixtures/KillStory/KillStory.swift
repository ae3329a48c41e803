// KillStory: what hosts do, and what they have to see, while their daemon is killed and followed by another.

import ExtensionHost
import Foundation
import Glibc

/// `KillStory story|end|stop|load --socket PATH --notes PATH [--name NAME] [--hosts COUNT]` plays one of these with the
/// puppet as the extension: a story; one in which the extension's process ends by itself; one whose request is open
/// until somebody stops the daemon, for which it is time after the line `open`; load until standard input ends. The
/// puppet notes each request that it begins: a path that is not absolute is one in its home. One line of JSON (`Tally`)
/// then tells how the requests ended. Exit status 0 when all is as it should be, else 1; 64 for other arguments.
@main
struct KillStory {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let act = arguments.first, let socket = value("--socket", arguments),
            let notes = value("--notes", arguments)
        else {
            exit(64)
        }
        let stage = Stage(address: DaemonAddress(path: socket), notes: notes)
        let tally: Tally
        switch act {
        case "story": tally = try await stage.story(of: value("--name", arguments) ?? "notes")
        case "end": tally = try await stage.end(of: value("--name", arguments) ?? "notes")
        case "stop": tally = try await stage.stop(of: value("--name", arguments) ?? "notes")
        case "load":
            let hosts = value("--hosts", arguments).flatMap { Int($0) } ?? 1
            tally = try await stage.load(of: (0..<hosts).map { "\(value("--name", arguments) ?? "host")-\($0)" })
        default: exit(64)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(tally), as: UTF8.self))
        exit(tally.isAsItShouldBe ? 0 : 1)
    }

    private static func value(_ option: String, _ arguments: ArraySlice<String>) -> String? {
        arguments.firstIndex(of: option).flatMap { $0 + 1 < arguments.endIndex ? arguments[$0 + 1] : nil }
    }
}
