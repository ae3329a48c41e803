// exthost-replay: an extension that sends what a recorded one sent; the program of the bundles that a replay builds.

import ExtensionProtocol
import Glibc
import LinuxSystem
import Transcripts

/// The program that a daemon runs as an extension, with `Session.jsonl` beside it.
///
/// It plays only the requests that its extension had.
@main
struct Replay {
    static func main() {
        guard let text = getenv("EXTHOST_EXTENSION_FD").map({ String(cString: $0) }), let raw = Int32(text) else {
            fail("exthost-replay is the program of an extension: exthostctl replay starts it", 64)
        }
        unsetenv("EXTHOST_EXTENSION_FD")
        _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
        // All waiting happens in poll(2).
        signal(SIGPIPE, SIG_IGN)
        do {
            let transcript = try Transcript(contentsOf: "Session.jsonl")
            let home = getenv("HOME").map { String(cString: $0) } ?? "."
            let connection = try SpeakingConnection(socket: Socket(OwnedDescriptor(owning: raw)), folder: home)
            try ReplayedExtension(transcript, connection, home: home).run()
        } catch {
            fail("\(error)", 70)
        }
    }

    private static func fail(_ why: String, _ status: Int32) -> Never {
        StandardStreams.writeError("exthost-replay: \(why)\n")
        exit(status)
    }
}
