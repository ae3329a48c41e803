// BroadcastToolTests: `exthostctl run` and scenarios of broadcasts, with the samples.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct BroadcastToolTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private func run(_ sample: String, _ arguments: [String]) async throws -> Program.Ending {
        let path = try samples() + "/Samples.app/PlugIns/\(sample).appex"
        return try await Program.control(["run", path, "--ephemeral"] + arguments).ending()
    }

    /// Writes a file with frames of one brightness each.
    private func video(_ luma: [UInt8], name: String = "screen.y4m") throws -> String {
        var bytes = Array("YUV4MPEG2 W64 H36 F50:1 C420jpeg\n".utf8)
        for value in luma {
            bytes += Array("FRAME\n".utf8) + [UInt8](repeating: value, count: 64 * 36)
            bytes += [UInt8](repeating: 128, count: 32 * 18 * 2)
        }
        let path = folder.path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    // spec: BU-3, PC-23
    @Test("BU-3, PC-23: run plays files to an upload, and prints its report") func uploads() async throws {
        defer { try? folder.remove() }
        let plain = try await run("Brightness", [])
        #expect(plain.status == 0 && plain.output.contains("finished: org.exthost.samples.brightness"), "\(plain)")
        #expect(plain.output.contains("10 of 10 processed, 0 lost"), "\(plain)")
        let file = try video([10, 20, 60])
        let ending = try await run(
            "Brightness", ["--video", file, "--every-frame", "--setup-info", "title=Hello", "--json"])
        let document = try #require(try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
        #expect((document["serviceInfo"] as? [String: Any])?["brightness"] as? Int == 30, "\(ending)")
        #expect((document["video"] as? [String: Int])?["processed"] == 3 && document["reason"] is NSNull)
        let none = try await run("Brightness", ["--video", try video([])])
        #expect(none.status == 1 && none.output.contains("Brightness 1: No frame has come."), "\(none)")
    }

    @Test func faultyOptionsAreTold() async throws {
        defer { try? folder.remove() }
        let cut = folder.path + "/cut.y4m"
        try Data("YUV4MPEG2 W64 H36 F50:1\nFRAME\nabc".utf8).write(to: URL(fileURLWithPath: cut))
        for (path, text) in [("/nowhere/x.y4m", "cannot be opened"), ("/etc/passwd", "is no file of raw video")] {
            let ending = try await run("Brightness", ["--video", path])
            #expect(ending.status != 0 && ending.errors.contains(text), "\(ending)")
        }
        let ending = try await run("Brightness", ["--video", cut, "--every-frame"])
        #expect(ending.status != 0 && ending.errors.contains("ends within a frame"), "\(ending)")
        let share = try await run("ShareLink", ["--video", cut])
        #expect(share.status == 64 && share.errors.contains("--video is for extensions of"), "\(share)")
        let sound = try await run("ShareLink", ["--audio", cut])
        #expect(sound.status == 64, "\(sound)")
    }

    // spec: BU-3
    @Test("BU-3: run shows a set-up, whose person starts or cancels") func setups() async throws {
        defer { try? folder.remove() }
        let live = try await run("GoLive", ["--tap", "Go Live"])
        #expect(live.status == 0 && live.output.contains("completed: org.exthost.samples.go-live"), "\(live)")
        #expect(live.output.contains("https://live.example/room") && live.output.contains("A broadcast"), "\(live)")
        let cancelled = try await run("GoLive", ["--tap", "Cancel"])
        #expect(cancelled.status == 10 && cancelled.output.contains("cancelled: "), "\(cancelled)")
    }

    // spec: BU-3
    @Test("BU-3, PC-27: a scenario sets a broadcast up, plays a file, and expects its counts") func scenarios()
        async throws
    {
        defer { try? folder.remove() }
        _ = try video([10, 20, 60])
        let file = folder.path + "/broadcast.scenario"
        let text = """
            extension org.exthost.samples.brightness
            test "frames are measured"
              broadcast start title=Hello
              expect result live
              broadcast play screen.y4m
              expect shown video.processed = 3
              broadcast pause
              expect result paused
              broadcast play screen.y4m
              expect shown video.offered = 3
              broadcast resume
              broadcast annotate org.example.game
              broadcast finish
              expect result finished
              expect shown serviceInfo.brightness = 30
            test "no frames"
              broadcast start
              broadcast finish
              expect result failed
              expect shown code = 1
            test "not so bright"
              broadcast start
              broadcast finish
              expect result finished
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let ending = try await Program.control(["test", file, "--applications", try samples(), "--tap"]).ending()
        #expect(ending.status == 1 && ending.output.contains("ok 1 - frames are measured"), "\(ending)")
        #expect(!ending.output.contains("not ok 1") && ending.output.contains("ok 2 - no frames"), "\(ending)")
        #expect(!ending.output.contains("not ok 2") && ending.output.contains("not ok 3"), "\(ending)")
    }
}
