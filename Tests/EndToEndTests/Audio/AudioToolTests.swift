// AudioToolTests: `exthostctl run` and scenarios of audio units.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import TestPrograms
import Testing

@Suite struct AudioToolTests {
    private func run(_ name: String, _ arguments: String...) async throws -> Program.Ending {
        let bundle = try samples() + "/Samples.app/PlugIns/\(name).appex"
        return try await Program.control(["run", bundle, "--ephemeral"] + arguments).ending()
    }

    private func document(_ ending: Program.Ending) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any], "\(ending)")
    }

    private func write(_ path: String, _ format: WAVFormat, frames: Int) throws {
        let writer = try WAVWriter(path: path, format)
        try writer.write(
            (0..<format.channels).map { _ in (0..<frames).map { Float(0.5 * sin(Double($0) / 3)) } })
        try writer.finish()
    }

    // spec: AU-19, PC-23
    @Test("AU-19, PC-23: run renders a file, with a preset and values, and prints peak, RMS, latency and late blocks")
    func runRenders() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let (input, output) = (folder.path + "/in.wav", folder.path + "/out.wav")
        try write(input, WAVFormat(.int24, channels: 2, rate: 44_100), frames: 4410)
        let plain = try await run("Mellow", "--audio", input, "--out", output, "--block", "64")
        #expect(plain.status == 0 && plain.output.hasPrefix("rendered: Samples: Mellow (aufx mell Exhs)"), "\(plain)")
        for word in ["cutoff = 1000", "peak ", "RMS ", "latency ", "late", "104 of 64 frames", output] {
            #expect(plain.output.contains(word), "\(word): \(plain.output)")
        }
        let reader = try WAVReader(path: output)
        #expect(reader.format == WAVFormat(.int24, channels: 2, rate: 44_100) && reader.frames == 4410 + 2205)
        let louder = try document(try await run("Mellow", "--audio", input, "--json"))
        let preset = try document(try await run("Mellow", "--audio", input, "--preset", "1", "--json"))
        let set = try document(
            try await run("Mellow", "--audio", input, "--preset", "1", "--set", "Cutoff=20000", "--json"))
        let parameters = try [louder, preset, set].map { try #require($0["parameters"] as? [String: Double]) }
        #expect(parameters.map { $0["cutoff"] } == [1000, 400, 20_000] && parameters[2]["resonance"] == 3)
        let peaks = try [louder, preset, set].map { try #require($0["peak"] as? Double) }
        #expect(peaks[1] < peaks[0] && peaks[0] < peaks[2])
        #expect(louder["outcome"] as? String == "rendered" && louder["late"] is Int)
    }

    // spec: AU-19
    @Test("AU-19: without input an effect gets a second of sine, and other units render a second")
    func runWithoutInput() async throws {
        let effect = try document(try await run("Mellow", "--set", "cutoff=20000", "--json"))
        #expect(effect["frames"] as? Int == 48_000 + 2400)
        let peak = try #require(effect["peak"] as? Double)
        #expect(abs(peak - 0.5) < 0.001)
        let hum = try document(try await run("Hum", "--json", "--tap", "60 Hz"))
        #expect(hum["frames"] as? Int == 48_000 && (hum["parameters"] as? [String: Double])?["frequency"] == 60)
        let chime = try await run("Chime")
        #expect(chime.status == 0 && chime.output.contains("0 (silence)"), "\(chime)")
    }

    // spec: AU-19
    @Test("AU-19: run plays a MIDI file") func runPlays() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let track: [UInt8] = [0, 0x90, 69, 127, 96, 0x80, 69, 0, 0, 0xff, 0x2f, 0]
        let bytes = AudioStage.midiFile(track)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/a.mid"))
        let played = try document(try await run("Chime", "--midi", folder.path + "/a.mid", "--json"))
        #expect(played["frames"] as? Int == 48_000 + 48_000 && (played["peak"] as? Double ?? 0) > 0.2)
        let effect = try await run("Mellow", "--midi", folder.path + "/a.mid")
        #expect(effect.status != 0 && effect.errors.contains("Samples: Mellow takes no MIDI"), "\(effect)")
    }

    // spec: AU-20
    @Test("AU-20: files of other kinds, and wrong options, are refused by name") func wrongInput() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let song = folder.path + "/song.mp3"
        try Data("ID3\u{4}0000000000".utf8).write(to: URL(fileURLWithPath: song))
        let other = try await run("Mellow", "--audio", song)
        #expect(other.status != 0 && other.errors.contains("song.mp3 is no WAV file, but a MP3 file"), "\(other)")
        let midi = try await run("Chime", "--midi", song)
        #expect(midi.status != 0 && midi.errors.contains("is no MIDI file"), "\(midi)")
        let value = try await run("Mellow", "--set", "cutoff=99999")
        #expect(value.status != 0 && value.errors.contains("12.0 to 20000.0"), "\(value)")
        let name = try await run("Mellow", "--set", "volume=1")
        #expect(name.status != 0 && name.errors.contains("It has: cutoff, resonance"), "\(name)")
        let preset = try await run("Mellow", "--preset", "9")
        #expect(preset.status != 0 && preset.errors.contains("0 Warm, 1 Next door"), "\(preset)")
        for wrong in [["--block", "0"], ["--set", "x"], ["--ls", "/"]] {
            let ending = try await Program.control(
                ["run", try samples() + "/Samples.app/PlugIns/Mellow.appex", "--ephemeral"] + wrong
            ).ending()
            #expect(ending.status == 64, "\(ending)")
        }
        let share = try await run("ShareLink", "--audio", song)
        #expect(share.status == 64 && share.errors.contains("--audio is for extensions of"), "\(share)")
        let written = try await run("ShareLink", "--out", song)
        #expect(written.status == 64 && written.errors.contains("--out is for extensions of"), "\(written)")
    }

    // spec: AU-19
    @Test("PC-27: a scenario sets a unit up, renders, and expects what came of it") func scenarios() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try write(folder.path + "/in.wav", WAVFormat(.int16, channels: 1, rate: 8000), frames: 800)
        let text = """
            extension org.exthost.samples.mellow

            test "a file is rendered"
                audio preset 1
                audio set cutoff 3000
                audio render in.wav
                expect result rendered
                expect shown frames = 1200
                expect shown channels = 1
                expect shown parameters.cutoff = 3000
                audio render
                expect shown frames = 50400
                expect shown late != 5000000
            """
        let path = folder.path + "/mellow.scenario"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let ending = try await Program.control(["test", path, "--applications", try samples()]).ending()
        #expect(ending.status == 0, "\(ending)")
        let wrong = text.replacingOccurrences(of: "audio preset 1", with: "audio preset 8")
        try Data(wrong.utf8).write(to: URL(fileURLWithPath: path))
        let failing = try await Program.control(["test", path, "--applications", try samples()]).ending()
        #expect(failing.status != 0 && failing.output.contains("no preset 8"), "\(failing)")
    }
}
