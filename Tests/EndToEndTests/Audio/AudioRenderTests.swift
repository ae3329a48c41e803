// AudioRenderTests: renders of audio units in real processes: samples, events, times, and deaths in the middle.

import ExtensionHostTesting
import ExtensionItems
import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
import PointHosts
import PointMessages
import Testing

@Suite struct AudioRenderTests {
    private static func ramp(_ count: Int) -> [Float] { (0..<count).map { Float($0) / Float(count) } }

    // spec: AU-5
    @Test("AU-5: the render block is fetched once, and gets at most the maximum number of frames")
    func renderBlockIsFetchedOnce() async throws {
        try await AudioStage.with(AudioStage.declaration("fact")) { stage in
            let session = try await stage.session()
            #expect(session.facts.maximumFrames == 512)
            try await session.setFormat(rate: 22_050, channels: 2)
            try await session.allocate(maximumFrames: 32)
            for _ in 0..<3 {
                let block = try await session.render(32, input: [Self.ramp(32), Self.ramp(32)])
                // Fetched once; offline (AU-12); the rate; the maximum; no observer ran.
                #expect(Array(block.channels[0][..<5]) == [1, 1, 22_050, 32, 0])
                // The side chain is silent, and there is no third bus.
                #expect(Array(block.channels[0][5..<9]) == [0, -10877, 0, 1])
            }
            let long = try await session.render(33, input: [Self.ramp(33), Self.ramp(33)])
            #expect(
                long.status == -10874
                    && long.channels == [[Float]](repeating: [Float](repeating: 0, count: 33), count: 2))
            #expect(try await session.render(32, input: [Self.ramp(32), Self.ramp(32)]).status == 0)
            try await session.deallocate()
            // The author observes values, too (AU-9).
            try await session.set(try #require(session.parameter("a")), to: 5)
            try await session.allocate(maximumFrames: 16, isOffline: false)
            let again = try await session.render(16, input: [Self.ramp(16), Self.ramp(16)])
            #expect(Array(again.channels[0][..<5]) == [2, 0, 22_050, 16, 1])
            try await session.end()
        }
    }

    // spec: AU-5
    @Test(
        "AU-5: a block over the maximum is silence with a status, and its events come with the next one",
        arguments: [33, 4097, 100_000])
    func largerBlocksAreRefused(frames: Int) async throws {
        try await AudioStage.with(AudioStage.declaration("evts", type: "aumf")) { stage in
            let session = try await stage.session()
            try await session.allocate(maximumFrames: 32)
            try session.midi([0x90, 64, 100], at: 3)
            try session.midi([0xc0, 1], at: Int64(frames) + 7)
            let refused = try await session.render(frames)
            #expect(refused.status == -10874 && refused.sampleTime == 0 && !refused.isLate)
            #expect(refused.channels == [[Float]](repeating: [Float](repeating: 0, count: frames), count: 2))
            // Neither does an input that is none take events: of another length, or of too many channels.
            await #expect(throws: ExtensionHostError.self) { try await session.render(32, input: [Self.ramp(31)]) }
            await #expect(throws: ExtensionHostError.self) {
                try await session.render(32, input: [[Float]](repeating: Self.ramp(32), count: 65))
            }
            let next = try await session.render(32, input: [Self.ramp(32), Self.ramp(32)])
            #expect(next.status == 0 && next.sampleTime == Int64(frames))
            let expected: [Float] = [8, 0, 3, 144.25, 8, 7, 2, 192.00390625, 0]
            #expect(Array(next.channels[0][..<9]) == expected)
            // Each comes once.
            #expect(try await session.render(32).channels[0] == [Float](repeating: 0, count: 32))
            try await session.end()
        }
    }

    // spec: AU-6
    @Test("AU-6: the input is pulled during the block, and its error is the status of the render")
    func inputIsPulled() async throws {
        try await AudioStage.with(AudioStage.declaration("thru")) { stage in
            let session = try await stage.session()
            try await session.allocate()
            let input = [Self.ramp(100), Self.ramp(100).map { -$0 }]
            #expect(try await session.render(100, input: input).channels == input)
            let without = try await session.render(100)
            #expect(without.status == -10876 && without.channels[1] == [Float](repeating: 0, count: 100))
            #expect(try await session.render(100, input: input).channels == input)
            try await session.end()
        }
    }

    // spec: AU-7
    @Test("AU-7: buffers are floats of one channel each, and a unit without memory gives its own")
    func unitsGiveTheirOwnMemory() async throws {
        try await AudioStage.with(AudioStage.declaration("null")) { stage in
            let session = try await stage.session()
            try await session.setFormat(rate: 48_000, channels: 2)
            try await session.allocate()
            let lent = try await session.render(64, input: [Self.ramp(64), Self.ramp(64)])
            #expect(lent.channels == [[Float]](repeating: [Float](repeating: 0.5, count: 64), count: 2))
            let own = try await session.render(64, input: [Self.ramp(64), Self.ramp(64)], lendsOutput: false)
            #expect(own.channels == [[Float]](repeating: [Float](repeating: 0.25, count: 64), count: 2))
            try await session.end()
        }
        try await AudioStage.with(AudioStage.declaration("thru")) { stage in
            let session = try await stage.session()
            try await session.allocate()
            let input = [Self.ramp(64), Self.ramp(64)]
            // A pull into no memory gives the input's.
            #expect(try await session.render(64, input: input, lendsOutput: false).channels == input)
            try await session.end()
        }
    }

    // spec: AU-8
    @Test("AU-8: the events of a block come in the order of their sample times") func eventsAreInOrder() async throws {
        try await AudioStage.with(AudioStage.declaration("evts", type: "aumf")) { stage in
            let session = try await stage.session()
            try await session.allocate(maximumFrames: 128)
            let b = try #require(session.parameter("b"))
            try session.midi([0xf0] + [UInt8](repeating: 3, count: 300) + [0xf7], at: 60)
            try session.midi([0x90, 64, 100], at: 5)
            try session.schedule(b, value: 2.5, at: 5)
            try session.schedule(b, value: 7, ramp: 40, at: 4)
            try session.midi([0xc0, 1], at: 200)
            try session.midi([0x80, 64, 0])
            let first = try await session.render(128, input: [Self.ramp(128), Self.ramp(128)])
            let expected: [Float] = [
                8, 0, 3, 128.25, 2, 4, 7, 41, 8, 5, 3, 144.25, 1, 5, 2.5, 1, 9, 60, 302, 1387, 0, 0, 0, 0,
            ]
            #expect(Array(first.channels[0][..<24]) == expected)
            let second = try await session.render(128, input: [Self.ramp(128), Self.ramp(128)])
            let late: [Float] = [8, 72, 2, 192.00390625, 0, 0, 0, 0]
            #expect(Array(second.channels[1][..<8]) == late)
            #expect(throws: ExtensionHostError.self) { try session.midi([]) }
            #expect(throws: ExtensionHostError.self) { try session.midi([5]) }
            #expect(throws: ExtensionHostError.self) { try session.midi([UInt8](repeating: 0xf0, count: 5000)) }
            try await session.end()
        }
    }

    @Test("MIDI for a unit whose scheduleMIDIEventBlock is nil is refused", arguments: ["aufx", "augn"])
    func unitsWithoutMIDIGetNone(type: String) async throws {
        try await AudioStage.with(AudioStage.declaration("evts", type: type)) { stage in
            let session = try await stage.session()
            #expect(!session.facts.takesMIDI)
            try await session.allocate()
            let error = #expect(throws: ExtensionHostError.self) { try session.midi([0x90, 64, 100]) }
            #expect(error?.code == .invalidArgument && error?.message.contains("takes no MIDI") == true)
            #expect(try await session.render(64).channels[0] == [Float](repeating: 0, count: 64))
            try await session.deallocate()
            let path = stage.folder + "/note.mid"
            try Data(AudioStage.midiFile([0, 0x90, 69, 127, 0, 0xff, 0x2f, 0])).write(to: URL(fileURLWithPath: path))
            let file = try MIDIFile(path: path)
            await #expect(throws: ExtensionHostError.self) { try await session.render(.second, midi: file) }
            // Nothing is left allocated.
            try await session.allocate()
            try await session.end()
        }
    }

    @Test func moreEventsThanABlockHoldsComeWithTheNext() async throws {
        try await AudioStage.with(AudioStage.declaration("echo", type: "aumi")) { stage in
            let session = try await stage.session()
            try await session.allocate()
            for number in 0..<700 { try session.midi([0x90, UInt8(number % 128), 1], at: 10) }
            let first = try await session.render(512)
            // A block has at most 512 events each way. The answers come one frame later.
            #expect(first.midi.count == 512 && first.midi.allSatisfy { $0.sampleTime == 11 })
            let second = try await session.render(512)
            #expect(second.midi.count == 188 && second.midi.allSatisfy { $0.sampleTime == 513 })
            #expect(second.midi.last?.kind == .midi(cable: 0, bytes: [0x90, UInt8(699 % 128), 1]))
            try await session.end()
        }
    }

    // spec: AU-11
    @Test("AU-11: latency and tail are seconds, and a file becomes longer by the tail") func tailIsRendered()
        async throws
    {
        try await AudioStage.with(AudioStage.declaration("thru")) { stage in
            let path = try stage.write("in.wav", WAVFormat(.float32, channels: 2, rate: 8000), frames: 1000) {
                channel, frame in
                Float(frame) / 1000 - Float(channel)
            }
            let session = try await stage.session()
            #expect(session.facts.latency == 0.25 && session.facts.tail == 0.125)
            let report = try await session.render(file: path, to: stage.folder + "/out.wav", blockFrames: 300)
            #expect(report.frames == 2000 && report.blocks == 7 && report.latency == 0.25 && report.tail == 0.125)
            let (format, channels) = try AudioStage.read(stage.folder + "/out.wav")
            #expect(format == WAVFormat(.float32, channels: 2, rate: 8000))
            let input = try AudioStage.read(path).channels
            #expect(channels == input.map { $0 + [Float](repeating: 0, count: 1000) })
            #expect(report.peak == 1 && abs(report.rms - 0.408) < 0.01)
            try await session.end()
        }
    }

    @Test(
        "A unit is rendered with different numbers of channels in and out, if it takes both",
        arguments: [("wide", 1, 2), ("wide", 8, 3), ("odds", 1, 2), ("odds", 8, 2)])
    func channelsDiffer(mode: String, inputs: Int, outputs: Int) async throws {
        try await AudioStage.with(AudioStage.declaration(mode)) { stage in
            let format = WAVFormat(.float32, channels: inputs, rate: 8000)
            let path = try stage.write("in.wav", format, frames: 500) { Float($1) / 500 - Float($0) }
            let session = try await stage.session()
            let report = try await session.render(file: path, to: stage.folder + "/out.wav", blockFrames: 64)
            #expect(report.status == 0 && report.channels == outputs && report.frames == 1500)
            let (written, channels) = try AudioStage.read(stage.folder + "/out.wav")
            #expect(written == WAVFormat(.float32, channels: outputs, rate: 8000))
            let input = (0..<1500).map { $0 < 500 ? Float($0) / 500 : 0 }
            #expect(channels == [Float(1), -1, 0.5].prefix(outputs).map { factor in input.map { factor * $0 } })
            try await session.end()
        }
    }

    @Test("A unit is not rendered with numbers of channels that it does not state, and the reason names them")
    func channelsThatAreNotStated() async throws {
        try await AudioStage.with(AudioStage.declaration("wide")) { stage in
            let session = try await stage.session()
            do {
                _ = try await session.render(.second)
                Issue.record("the unit was rendered")
            } catch let error as NSError {
                #expect(audioStatus(error) == -10868)
                #expect(error.localizedDescription.contains("it states the pairs 1 to 2, 8 to 3"), "\(error)")
            }
            // The bus takes two, and the unit does not. The side chain is no part of the pairs.
            await #expect {
                try await session.setFormat(input: true, rate: 8000, channels: 2)
            } throws: {
                audioStatus($0) == -10868
            }
            try await session.setFormat(input: true, bus: 1, rate: 8000, channels: 2)
            try await session.end()
        }
        try await AudioStage.with(AudioStage.declaration("odds")) { stage in
            let session = try await stage.session()
            // The error of the bus, which takes no three.
            await #expect {
                try await session.render(.sine(seconds: 1, rate: 8000, channels: 3))
            } throws: {
                audioStatus($0) == -10868
            }
            // The first error of the unit: it takes none of the numbers that there are.
            await #expect { try await session.render(.second) } throws: { audioStatus($0) == -10875 }
            try await session.end()
        }
    }

    // spec: AU-12, AU-13
    @Test("AU-12, AU-13, PC-22: the same blocks give the same samples on each run, by a ring and through the daemon")
    func rendersAreTheSame() async throws {
        var outputs: [[[Float]]] = []
        for (clock, isRecorded) in [
            (TestDaemon.ClockKind.virtual, false), (.real, true), (.real, false), (.real, false),
        ] {
            let output = try await AudioStage.with(AudioStage.declaration("sums"), clock: clock) { stage in
                let recorder = try await DaemonControl.connect(name: "recorder", to: stage.daemon.address)
                if isRecorded { try await recorder.record(contents: false, onEntries: { _ in }) }
                let format = WAVFormat(.float32, channels: 2, rate: 44_100)
                let path = try stage.write("in.wav", format, frames: 20_000) { channel, frame in
                    Float(sin(Double(frame * (channel + 2)) / 17))
                }
                let session = try await stage.session()
                let report = try await session.render(file: path, to: stage.folder + "/out.wav", blockFrames: 64)
                #expect(report.status == 0 && report.blocks == (20_000 + 5513 + 63) / 64)
                try await session.end()
                // Routed entries are calls, and those of a ring are not.
                let calls = try await stage.daemon.events().filter {
                    $0.event == EventName.callStarted.rawValue && $0.detail?.hasPrefix("stream.entries") == true
                }
                #expect(calls.isEmpty == (clock == .real && !isRecorded))
                withExtendedLifetime(recorder) {}
                return try AudioStage.read(stage.folder + "/out.wav").channels
            }
            outputs.append(output)
        }
        #expect(outputs.count == 4 && Set(outputs).count == 1)
    }

    // spec: AU-14
    @Test(
        "AU-14: the end of the process gives silence, a status, and an interrupted request",
        arguments: [
            TestDaemon.ClockKind.virtual, .real,
        ])
    func deathDuringARender(clock: TestDaemon.ClockKind) async throws {
        try await AudioStage.with(AudioStage.declaration("dies"), clock: clock) { stage in
            let session = try await stage.session()
            try await session.set(try #require(session.parameter("a")), to: 3)
            try await session.allocate(maximumFrames: 64)
            let input = [Self.ramp(64), Self.ramp(64)]
            for _ in 0..<2 { #expect(try await session.render(64, input: input).channels == input) }
            let last = try await session.render(64, input: input)
            #expect(last.status == -10863)
            #expect(last.channels == [[Float]](repeating: [Float](repeating: 0, count: 64), count: 2))
            #expect(await session.request.outcome.kind == .interrupted)
            #expect(try await session.render(64, input: input).status == -10863)
        }
    }

    // spec: AU-14
    @Test("AU-14: the file of a render ends with the silence of the block in which the process ended")
    func deathDuringAFile() async throws {
        try await AudioStage.with(AudioStage.declaration("dies")) { stage in
            let path = try stage.write("in.wav", WAVFormat(.int16, channels: 2, rate: 8000), frames: 1000) { _, _ in 0.5
            }
            let session = try await stage.session()
            try await session.set(try #require(session.parameter("a")), to: 3)
            let report = try await session.render(file: path, to: stage.folder + "/out.wav", blockFrames: 100)
            #expect(report.status == -10863 && report.frames == 300)
            let output = try AudioStage.read(stage.folder + "/out.wav").channels
            #expect(output[0] == [Float](repeating: 0.5, count: 200) + [Float](repeating: 0, count: 100))
            #expect(await session.request.outcome.kind == .interrupted)
        }
    }

    @Test("A cancelled render ends before its next block, and the unit renders again")
    func aCancelledRenderCanBeRepeated() async throws {
        try await AudioStage.with(AudioStage.declaration("thru")) { stage in
            let session = try await stage.session()
            let output = stage.folder + "/out.wav"
            // The first block is received, and the task then cancelled while the second waits.
            let blocks = Mutex(0)
            let isCancelled = DispatchSemaphore(value: 0)
            let (first, received) = AsyncStream.makeStream(of: Void.self)
            let render = Task {
                try await session.render(.sine(seconds: 1, rate: 8000, channels: 2), to: output, blockFrames: 64) { _ in
                    blocks.withLock { $0 += 1 }
                    received.yield()
                    isCancelled.wait()
                }
            }
            for await _ in first { break }
            render.cancel()
            isCancelled.signal()
            await #expect(throws: CancellationError.self) { try await render.value }
            #expect(blocks.withLock { $0 } == 1 && !FileManager.default.fileExists(atPath: output))
            let again = try await session.render(
                .sine(seconds: 0.5, rate: 8000, channels: 2), to: output, blockFrames: 64)
            #expect(again.status == 0 && again.frames == 5000)
            // Block by block the line stays the same, with its time and its events.
            try await session.allocate(maximumFrames: 64)
            let input = [Self.ramp(64), Self.ramp(64)]
            #expect(try await session.render(64, input: input).sampleTime == 0)
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await session.render(64, input: input)
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let next = try await session.render(64, input: input)
            #expect(next.status == 0 && next.sampleTime == 64 && next.channels == input)
            try await session.deallocate()
            // So it is after an allocation that was cancelled.
            let allocation = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await session.allocate()
            }
            await #expect(throws: (any Error).self) { try await allocation.value }
            try await session.allocate()
            #expect(try await session.render(64, input: input).channels == input)
            try await session.end()
        }
    }

    @Test func aUnitThatDoesNotAnswerIsGivenUp() async throws {
        var settings = AudioUnitHost.Settings()
        settings.blockLimit = .seconds(2)
        try await AudioStage.with(AudioStage.declaration("hang"), settings: settings) { stage in
            let session = try await stage.session()
            try await session.allocate(maximumFrames: 64)
            let input = [Self.ramp(64), Self.ramp(64)]
            for _ in 0..<2 { _ = try await session.render(64, input: input) }
            do {
                _ = try await session.render(64, input: input)
                Issue.record("the block was answered")
            } catch let error as ExtensionHostError {
                #expect(error.code == .timedOut)
            }
            #expect(await session.request.outcome.kind == .cancelled)
        }
    }

    // spec: AU-15
    @Test("AU-15: the report names the longest block against its time, and the number of late blocks")
    func lateBlocksAreCounted() async throws {
        try await AudioStage.with(AudioStage.declaration("slow")) { stage in
            let session = try await stage.session()
            try await session.set(try #require(session.parameter("a")), to: 5)
            // A block of 48 frames sounds for a millisecond, and the unit waits for five.
            let report = try await session.render(
                .sine(seconds: 0.01, rate: 48_000, channels: 1), blockFrames: 48)
            #expect(report.budget == .milliseconds(1) && report.longest >= .milliseconds(5))
            #expect(report.blocks == 135 && report.late == 135)
            #expect(report.time(ofPart: 0) >= .milliseconds(5) && report.time(ofPart: 1) == report.longest)
            // A second of a block's sound is not exceeded, by a unit that waits for nothing.
            try await session.set(try #require(session.parameter("a")), to: 0)
            let quick = try await session.render(.sine(seconds: 1, rate: 4000, channels: 1), blockFrames: 4000)
            #expect(quick.budget == .seconds(1) && quick.late == 0)
            try await session.end()
        }
    }

    // spec: AU-16
    // not simulated: N-130
    @Test("AU-16: devices, engines and ports are not there, and a unit that forgets its base class is told so")
    func realTimeIsNoPromise() async throws {
        try await AudioStage.with(AudioStage.declaration("noal")) { stage in
            let session = try await stage.session()
            try await session.allocate()
            #expect(try await session.render(8, input: [Self.ramp(8), Self.ramp(8)]).status == 0)
            try await session.end()
            let misused = try await stage.daemon.events().filter { $0.event == EventName.contextFault.rawValue }
            #expect(misused.contains { $0.detail?.contains("allocateRenderResources()") == true }, "\(misused)")
        }
        // Between two blocks the thread that renders is there. No thread of the unit has a priority in real time.
        try await AudioStage.with(AudioStage.declaration("lack"), clock: .real) { stage in
            let session = try await stage.session()
            try await session.allocate(isOffline: false)
            let block = try await session.render(16, input: [Self.ramp(16), Self.ramp(16)])
            // The type of units is found, and none of engines, players, recorders and sessions, nor the ports of MIDI.
            #expect(block.status == 0 && block.channels[0] == [1] + [Float](repeating: 0, count: 15))
            let process = "/proc/\(try #require(session.request.processIdentifier))"
            let threads = try FileManager.default.contentsOfDirectory(atPath: process + "/task")
            var looked = 0
            for thread in threads {
                // A thread that served the start may have ended since.
                guard let stat = try? String(contentsOfFile: "\(process)/task/\(thread)/stat", encoding: .utf8) else {
                    continue
                }
                looked += 1
                // proc(5): the name of the program, which is in parentheses, ends the second field.
                let fields = stat.suffix(from: try #require(stat.lastIndex(of: ")"))).split(separator: " ")
                // The fields 40 and 41: rt_priority, and policy, where 0 is SCHED_OTHER.
                #expect(Array(fields[38...39]) == ["0", "0"], "\(stat)")
            }
            #expect(looked > 1)
            // It has no device of audio open.
            for descriptor in try FileManager.default.contentsOfDirectory(atPath: process + "/fd") {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\(descriptor)")
                #expect(target?.hasPrefix("/dev/snd") != true, "\(target ?? "")")
            }
            try await session.end()
        }
    }

    // spec: AU-18
    @Test("AU-18: the low-pass of the sample agrees with an independent computation to −90 dB")
    func lowPassIsRight() async throws {
        try await AudioStage.with(applications: try samples()) { stage in
            let (rate, frames) = (48_000, 24_000)
            let input = (0..<frames).map { Float(0.5 * sin(2 * Double.pi * 3000 * Double($0) / 48_000)) }
            let path = try stage.write("in.wav", WAVFormat(.float32, channels: 1, rate: rate), frames: frames) {
                input[$1]
            }
            let session = try await stage.session("org.exthost.samples.mellow")
            try await session.set(try #require(session.parameter("cutoff")), to: 800)
            let report = try await session.render(file: path, to: stage.folder + "/out.wav", blockFrames: 441)
            #expect(report.status == 0 && report.frames == frames + 2400)
            try await session.end()
            let output = try AudioStage.read(stage.folder + "/out.wav").channels[0]
            // The filter as a state space of the second order: the bilinear transform of s² + √2·s + 1, by trapezoids,
            // which shares nothing with the sample's difference equation.
            let g = tan(Double.pi * 800 / Double(rate))
            let damping = 2.0.squareRoot()
            var (first, second) = (0.0, 0.0)
            var (worst, loudest) = (0.0, 0.0)
            for frame in 0..<output.count {
                let sample = frame < frames ? Double(input[frame]) : 0
                let high = (sample - (damping + g) * first - second) / (1 + damping * g + g * g)
                let band = g * high + first
                let low = g * band + second
                first = g * high + band
                second = g * band + low
                worst = max(worst, abs(low - Double(output[frame])))
                loudest = max(loudest, abs(low))
            }
            #expect(loudest > 0.03 && loudest < 0.2)
            #expect(20 * log10(worst / loudest) < -90, "\(20 * log10(worst / loudest)) dB")
        }
    }

    // spec: AU-18
    @Test("AU-18: notes of a MIDI file sound on the instrument at their times") func notesSound() async throws {
        try await AudioStage.with(applications: try samples()) { stage in
            // Format 0, 96 ticks a quarter note of half a second: note on at 48 ticks, of 440 Hz.
            let track: [UInt8] = [48, 0x90, 69, 127, 0, 0x90, 81, 0, 96, 0x80, 69, 0, 0, 0xff, 0x2f, 0]
            let bytes = AudioStage.midiFile(track)
            let path = stage.folder + "/note.mid"
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let session = try await stage.session("org.exthost.samples.chime")
            #expect(session.component.kind == .instrument && session.facts.takesMIDI && session.facts.inputs.isEmpty)
            let report = try await session.render(
                .none(seconds: 0, rate: 48_000, channels: 1), to: stage.folder + "/out.wav",
                midi: try MIDIFile(path: path))
            // Until the last message, and a second of tail.
            #expect(report.frames == 36_000 + 48_000)
            let output = try AudioStage.read(stage.folder + "/out.wav").channels[0]
            #expect(output[..<12_001].allSatisfy { $0 == 0 } && output[12_001] != 0)
            for frame in 0..<4800 {
                let level: Double = 0.25 * exp(-Double(frame) / 4800)
                let expected: Double = level * sin(2 * Double.pi * 440 * Double(frame) / 48_000)
                let found = Double(output[12_000 + frame])
                #expect(abs(found - expected) < 1e-5)
            }
            try await session.end()
        }
    }

    @Test func aRampOfTheCutoffMovesIt() async throws {
        try await AudioStage.with(applications: try samples()) { stage in
            let session = try await stage.session("org.exthost.samples.mellow")
            try await session.setFormat(rate: 48_000, channels: 1)
            try await session.allocate()
            let cutoff = try #require(session.parameter("cutoff"))
            try session.schedule(cutoff, value: 5000, ramp: 600, at: 100)
            _ = try await session.render(512, input: [Self.ramp(512)])
            try await session.refresh()
            let middle = try #require(session.parameter("cutoff")).value
            #expect(middle > 3000 && middle < 4500, "\(middle)")
            _ = try await session.render(512, input: [Self.ramp(512)])
            try await session.refresh()
            #expect(session.parameter("cutoff")?.value == 5000)
            try await session.end()
        }
    }
}
