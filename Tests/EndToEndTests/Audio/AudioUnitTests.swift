// AudioUnitTests: audio units of real processes: components, formats, parameters, presets, state and views.

import ExtensionHostTesting
import ExtensionItems
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import PropertyListCoding
import Testing

@Suite struct AudioUnitTests {
    // spec: AU-1
    @Test("AU-1: components are listed from the attributes, and nothing is launched") func componentsAreListed()
        async throws
    {
        let bundles = try TestBundles()
        for type in ["aufx", "aumu", "aumf", "augn", "aumi", "xxxx"] {
            try AudioStage.add(to: bundles, type, AudioStage.declaration("thru", type: type))
        }
        try AudioStage.add(to: bundles, "long", AudioStage.declaration("toolong"))
        try await AudioStage.with(applications: bundles.path) { stage in
            let components = try await stage.units.components()
            #expect(
                components.map(\.kind) == [.effect, .generator, .musicEffect, .midiProcessor, .instrument, nil])
            let first = try #require(components.first)
            #expect(first.identifier == "org.exthost.tests.aufx" && first.description.codes.manufacturer == "Test")
            #expect(first.name == "Tests: Sound thru" && first.version == 7 && first.tags == ["Effects", "Tests"])
            #expect(first.isSandboxSafe && !first.hasView && !first.namesBundle)
            await #expect(throws: ExtensionHostError.self) {
                try await stage.units.components(of: "org.exthost.tests.long")
            }
            let events = try await stage.daemon.events()
            #expect(!events.contains { $0.event == EventName.processSpawned.rawValue })
        }
    }

    // spec: AU-2
    @Test("AU-2: a request has one unit, and the error of its factory fails the instantiation") func oneUnitARequest()
        async throws
    {
        try await AudioStage.with(AudioStage.declaration("thru")) { stage in
            let session = try await stage.session()
            let again = CreateAudioUnit(session.component.description, component: "", version: 1)
            do {
                try await session.request.call(again)
                Issue.record("a second unit was made")
            } catch let error as ExtensionHostError {
                #expect(error.code == .invalidArgument)
            }
            // PC-15: the session's end completes the request.
            guard case .completed(let items) = try await session.end() else {
                Issue.record("\(await session.request.outcome)")
                return
            }
            #expect(items.isEmpty)
        }
        try await AudioStage.with(AudioStage.declaration("none")) { stage in
            do {
                _ = try await stage.session()
                Issue.record("a unit was made")
            } catch let error as NSError {
                #expect(error.domain == "org.exthost.tests.audio" && error.code == 7)
            }
        }
    }

    // spec: PC-10
    @Test("PC-10: a principal class that makes no units is named") func principalWithoutAFactory() async throws {
        try await AudioStage.with(AudioStage.declaration("thru", principalClass: "Soundbox.NoFactory")) { stage in
            do {
                _ = try await stage.session()
                Issue.record("a unit was made")
            } catch let error as NSError {
                // As the extension's own error: the request was cancelled with it.
                #expect(error.code == ExtensionHostError.Code.principalUnsuitable.rawValue)
                #expect(error.localizedDescription.contains("AUAudioUnitFactory"), "\(error)")
            }
        }
    }

    // spec: AU-3, AU-9
    @Test("AU-3, AU-9: the view is shown before the unit is made, and after that", arguments: [true, false])
    func viewAndUnitComeInBothOrders(isFirst: Bool) async throws {
        try await AudioStage.with(applications: try samples()) { stage in
            let session = try await stage.session(
                "org.exthost.samples.hum", view: isFirst ? .beforeUnit : .afterUnit)
            let view = await session.request.view { $0["frequency"]?.text == "50 Hz" }
            #expect(view?["60 Hz"] != nil)
            try await session.request.use(.tap("60 Hz"))
            let changed = await session.request.view { $0["frequency"]?.text == "60 Hz" }
            #expect(changed != nil)
            try await session.refresh()
            #expect(session.parameter("frequency")?.value == 60)
            try await session.end()
        }
    }

    // spec: AU-4
    @Test("AU-4: formats are set before allocate, and rendering comes after it") func formatsAndAllocation()
        async throws
    {
        try await AudioStage.with(AudioStage.declaration("thru")) { stage in
            let session = try await stage.session()
            await #expect { _ = try await session.render(64) } throws: { audioStatus($0) == -10867 }
            let facts = try await session.setFormat(rate: 96_000, channels: 1)
            #expect(facts.inputs.map(\.rate) == [96_000, 96_000] && facts.outputs.map(\.channels) == [1])
            #expect(facts.inputs[0].supportedChannels == [1, 2, 8] && facts.inputs[1].name == "Side chain")
            await #expect { try await session.setFormat(input: true, rate: 96_000, channels: 3) } throws: {
                audioStatus($0) == -10868
            }
            await #expect { try await session.setFormat(input: false, bus: 4, rate: 96_000, channels: 1) } throws: {
                audioStatus($0) == -10877
            }
            try await session.allocate()
            await #expect { try await session.setFormat(input: true, rate: 48_000, channels: 1) } throws: {
                audioStatus($0) == -10849
            }
            await #expect { try await session.allocate() } throws: { audioStatus($0) == -10849 }
            let block = try await session.render(64, input: [[Float](repeating: 0.75, count: 64)])
            #expect(block.status == 0 && block.channels == [[Float](repeating: 0.75, count: 64)])
            try await session.deallocate()
            await #expect { _ = try await session.render(64) } throws: { audioStatus($0) == -10867 }
            // Allocated again with another format.
            try await session.setFormat(rate: 48_000, channels: 2)
            try await session.allocate(maximumFrames: 16)
            #expect(
                try await session.render(16, input: [[Float]](repeating: [Float](repeating: 1, count: 16), count: 2))
                    .status == 0)
            try await session.end()
        }
    }

    @Test func aBlockThatNoEntryHoldsIsRefused() async throws {
        try await AudioStage.with(AudioStage.declaration("thru")) { stage in
            let session = try await stage.session()
            try await session.setFormat(rate: 48_000, channels: 8)
            await #expect { try await session.allocate(maximumFrames: 4096) } throws: { audioStatus($0) == -10874 }
            try await session.allocate(maximumFrames: 1024)
            let input = [[Float]](repeating: [Float](repeating: 0.5, count: 1024), count: 8)
            #expect(try await session.render(1024, input: input).channels == input)
            try await session.end()
        }
    }

    // spec: AU-9
    @Test("AU-9: values reach the author's observer, are asked of its provider, and changes reach the host")
    func parametersGoBothWays() async throws {
        try await AudioStage.with(AudioStage.declaration("link")) { stage in
            let session = try await stage.session()
            #expect(session.parameters.map(\.identifier) == ["a", "b", "c"])
            let inner = try #require(session.parameter("inner.c"))
            #expect(inner.address == 1 << 40 && inner.valueNames == ["low", "high"] && inner.unit == 1)
            let a = try #require(session.parameter("Parameter a"))
            #expect(a.value == 3 && a.maximum == 1000 && a.unitName == "things")
            var changes = session.followChanges().makeAsyncIterator()
            #expect(try await session.set(a, to: 21) == 21)
            let change = await changes.next()
            #expect(change == AudioValue(address: 1, value: 42))
            #expect(session.parameter("b")?.value == 42 && session.parameter("a")?.value == 21)
            try await session.refresh()
            #expect(session.parameter("b")?.value == 42)
            var missing = a
            missing.address = 99
            await #expect { try await session.set(missing, to: 1) } throws: { audioStatus($0) == -10878 }
            try await session.end()
        }
    }

    // spec: AU-9
    @Test("AU-9: observers go by token: the originator of a value is not called back, and a removed one is not called")
    func observersGoByToken() async throws {
        try await AudioStage.with(AudioStage.declaration("toke")) { stage in
            let session = try await stage.session()
            let a = try #require(session.parameter("a"))
            try await session.allocate(maximumFrames: 16)
            func observed() async throws -> [Float] { Array(try await session.render(16).channels[0][..<8]) }
            var changes = session.followChanges().makeAsyncIterator()
            // The host is the originator of `a`, and the first observer that of `b`. The others get time and kind.
            #expect(try await session.set(a, to: 5) == 5)
            #expect(await changes.next() == AudioValue(address: 1, value: 10))
            #expect(try await observed() == [0, 1, 1, 10, 77, 1, 10, 1])
            // Without an originator all are called, then without the second one.
            #expect(try await session.set(a, to: 8) == 8)
            #expect(await changes.next() == AudioValue(address: 1, value: 16))
            #expect(try await observed() == [1, 2, 1, 16, 77, 1, 16, 1])
            #expect(try await session.set(a, to: 9) == 9)
            #expect(await changes.next() == AudioValue(address: 1, value: 18))
            #expect(try await observed() == [1, 2, 1, 18, 77, 1, 18, 1])
            try await session.end()
        }
    }

    // spec: AU-10
    @Test("AU-10: a state that is put back gives the same output") func stateIsPutBack() async throws {
        try await AudioStage.with(applications: try samples()) { stage in
            let input = [[Float]](repeating: (0..<512).map { Float(sin(Double($0))) }, count: 2)
            func output(_ session: AudioUnitSession) async throws -> [[Float]] {
                try await session.setFormat(rate: 48_000, channels: 2)
                try await session.allocate()
                let block = try await session.render(512, input: input)
                try await session.end()
                return block.channels
            }
            let first = try await stage.session("org.exthost.samples.mellow")
            try await first.set(try #require(first.parameter("cutoff")), to: 333)
            try await first.set(try #require(first.parameter("resonance")), to: 7)
            let state = try #require(try await first.fullState())
            let sound = try await output(first)
            let second = try await stage.session("org.exthost.samples.mellow")
            #expect(try await second.restore(state).parameters.map(\.value) == [333, 7])
            #expect(try await output(second) == sound)
            let third = try await stage.session("org.exthost.samples.mellow")
            #expect(try await output(third) != sound)
        }
    }

    // spec: AU-10
    @Test("AU-10: an author's own state travels") func ownStateTravels() async throws {
        try await AudioStage.with(AudioStage.declaration("stat")) { stage in
            let session = try await stage.session()
            let state = try #require(try await session.fullState(forDocument: true)?.plist.dictionary)
            #expect(
                state["word"] == "none" && state["numbers"] == [.real(1), .real(2.5)] && state["data"] == .data([1, 2]))
            #expect(state["nested"]?.dictionary?["key"] == true)
            let facts = try await session.restore(PointValue(["word": "seven"]))
            #expect(facts.parameters[0].value == 5)
            #expect(try await session.fullState()?.plist.dictionary?["word"] == "seven")
            await #expect(throws: ExtensionHostError.self) { try await session.restore(PointValue("text")) }
            try await session.end()
        }
    }

    @Test func presetsAreListedAndUsed() async throws {
        try await AudioStage.with(applications: try samples()) { stage in
            let session = try await stage.session("org.exthost.samples.mellow")
            #expect(session.presets.map(\.name) == ["Warm", "Next door"] && session.facts.currentPreset == nil)
            let facts = try await session.use(preset: 1)
            #expect(facts.currentPreset?.name == "Next door" && facts.parameters.map(\.value) == [400, 3])
            await #expect { try await session.use(preset: 2) } throws: { audioStatus($0) == -10851 }
            try await session.end()
        }
    }

    // spec: AU-17
    // not simulated: N-131
    @Test("AU-17: loading into the host's process is not simulated") func inProcessLoading() async throws {
        let declaration = AudioStage.declaration("thru", more: ["AudioComponentBundle": "org.example.framework"])
        try await AudioStage.with(declaration) { stage in
            let component = try await stage.units.components(of: AudioStage.identifier)[0]
            #expect(component.namesBundle)
            do {
                _ = try await stage.units.instantiate(component, inProcess: true)
                Issue.record("a unit was loaded")
            } catch let error as ExtensionHostError {
                #expect(error.code == .notSimulated)
            }
        }
    }

    @Test("PC-27: at this point an extension without the framework lives and ends as at others")
    func anExtensionWithoutTheFramework() async throws {
        let bundles = try TestBundles.withPuppet(point: AudioUnitHost.point)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("studio").application
            let request = try await host.begin(puppet, items: [order("return", "x")])
            #expect(await request.outcome.kind == .completed)
            let open = try await host.begin(puppet, items: [order("hang")])
            let error = await #expect(throws: ExtensionHostError.self) { try await open.call(DescribeAudioUnit()) }
            #expect(error?.code == .frameworkMissing && error?.remedy?.contains("AudioToolbox") == true)
            try await open.cancel()
        }
    }
}
