// KillPointTimingTests: a kill before and after every send, receive and spawn of one request leaves one end of it, and
// nothing else.

import Foundation
import LinuxSystem
import Testing

/// See `MemoryKillTimingTests`. That all is gone within a second is judged by the long tests alone.
@Suite(.serialized, .disabled(if: isSanitized, "a kill leaves a sanitizer nothing to say")) struct KillPointTimingTests
{
    /// The one that is killed is followed call by call; how many there are shows when a run comes to its end unharmed.
    @Test(arguments: isLong ? ["namespace", "guardian"] : ["namespace"], ["daemon", "extension", "host"])
    func aRequestEndsOnceWhereverAKillHitsIt(means: String, victim: String) async throws {
        let bundles = try TestBundles(application: "org.example.app")
        let program = SampleApplications.buildFolder + "/ShareLink"
        if victim == "extension" {
            // It stands still until the driver follows it.
            try bundles.add(
                "share", script: "#!/bin/sh\nkill -STOP $$\nexec \"$(dirname \"$0\")/program\"\n",
                point: "com.apple.app.non-ui-extension", identifier: "org.example.app.share",
                principalClass: "ShareLink.ShareLink")
            try FileManager.default.copyItem(
                atPath: program, toPath: bundles.path + "/Tests.app/PlugIns/share.appex/program")
        } else {
            try bundles.add(
                "share", identifier: "org.example.app.share", program: program, point: "com.apple.app.non-ui-extension",
                principalClass: "ShareLink.ShareLink")
        }
        var hits: [String: Int] = [:]
        var missed = 0
        var calls = Set<String>()
        try await Driver(.root, bundles).play(
            "killpoints", [victim],
            after: [
                SampleApplications.buildFolder + "/HostExample", "1", "1", "--tree-kill", means, "--timer",
                "launch=30s",
                "--timer", "idle=20ms", "--timer", "firstRequest=50ms",
            ], goneWithin: isLong ? 1 : 60
        ) { run, line in
            #expect(run.wrong.isEmpty, "\(line)")
            if let hit = run.hit { hits[hit, default: 0] += 1 } else { missed += 1 }
            calls.insert("\(run.kind ?? "") \(run.call ?? 0) \(run.when ?? "")")
        }
        // The fewest that any of them can do with: its own handshake and one request.
        #expect(hits["send", default: 0] >= 6 && hits["receive", default: 0] >= 8 && missed > 0)
        #expect(victim != "daemon" || hits["spawn", default: 0] >= 2)
        let text = hits.sorted { $0.key < $1.key }.map { "\($0.value) at a \($0.key)" }.joined(separator: ", ")
        StandardStreams.writeError("kill points, \(victim), \(means): \(text); \(calls.count) runs\n")
    }
}
