// AudioSession: the audio unit of one request, and its render resources.

import AppGroups
import ExtensionPointKit
import Foundation
import Locks
package import PointFrameworkKit
import PointMessages
import PropertyListCoding

/// The framework's state of a request: its factory, its unit, its stream. Calls of the host use it on one thread after
/// the other.
package final class AudioSession: @unchecked Sendable {
    // Unchecked: calls of one request begin in their order, and only `create` suspends.
    private var factory: (any AUAudioUnitFactory)?
    private var unit: AUAudioUnit?
    private var isMaking = false
    private var observer: (tree: AUParameterTree, token: AUParameterObserverToken)?
    private var resources: (renderer: Renderer, stream: PointStream)?
    private let changes = ChangedValues()

    package static func of(_ session: PointSession) -> AudioSession {
        session.state(AudioSession.self) { AudioSession() }
    }

    package func adopt(_ factory: any AUAudioUnitFactory) { self.factory = factory }

    // MARK: The unit

    /// Asks the factory for the unit, on a thread of its own: authors of units with a view wait there for the main queue.
    func create(_ message: CreateAudioUnit, _ session: PointSession) async throws -> AudioUnitFacts {
        guard unit == nil, !isMaking else {
            throw ExtensionHostError(
                .invalidArgument, "the request has its audio unit already", remedy: "Begin another request for a second"
            )
        }
        guard let factory else {
            throw ExtensionHostError(.contextFinished, "the request has ended")
        }
        isMaking = true
        defer { isMaking = false }
        let description = try AudioComponentDescription(message.description)
        ComponentNames.shared[description] = (message.component, UInt32(clamping: message.version))
        let maker = Maker(factory: factory, description: description)
        let made: Maker.Answer = await withCheckedContinuation { continuation in
            session.onThread { continuation.resume(returning: maker.make()) }
        }
        let unit = try made.result.get()
        self.unit = unit
        changes.start { [weak session] values, done in
            guard let session else { return }
            session.send(AudioParametersChanged(values)) { _ in done() }
        }
        return try facts()
    }

    // Unchecked: the factory goes to one thread, for whose answer the queue of the request waits.
    /// The author's factory on its way to a thread, and the answer back.
    private struct Maker: @unchecked Sendable {
        let factory: any AUAudioUnitFactory
        let description: AudioComponentDescription

        // Unchecked: the unit goes back once, and its maker keeps no use of it.
        struct Answer: @unchecked Sendable {
            let result: Result<AUAudioUnit, any Error>
        }

        func make() -> Answer { Answer(result: Result { try factory.createAudioUnit(with: description) }) }
    }

    func currentUnit() throws -> AUAudioUnit {
        guard let unit else {
            throw ExtensionHostError(
                .invalidArgument, "the request has no audio unit yet", remedy: "Call audio.create first")
        }
        return unit
    }

    /// Follows the values of the unit's tree, which its author may replace.
    private func observe(_ unit: AUAudioUnit) {
        let tree = unit.parameterTree
        guard tree !== observer?.tree else { return }
        stopObserving()
        guard let tree else { return }
        observer = (tree, tree.token(byAddingParameterObserver: { [changes] in changes.note($0, $1) }))
    }

    private func stopObserving() {
        if let (tree, token) = observer { tree.removeParameterObserver(token) }
        observer = nil
    }

    func facts() throws -> AudioUnitFacts {
        let unit = try currentUnit()
        observe(unit)
        let parameters = unit.parameterTree?.allParameters ?? []
        guard parameters.count <= AudioParameter.largestCount else {
            throw ExtensionHostError(
                .quotaExceeded, "the audio unit has \(parameters.count) parameters",
                remedy: "At most \(AudioParameter.largestCount) travel to a host")
        }
        return AudioUnitFacts(
            inputs: unit.inputBusses.map(AudioBus.init), outputs: unit.outputBusses.map(AudioBus.init),
            parameters: parameters.map(AudioParameter.init),
            presets: (unit.factoryPresets ?? []).prefix(1024).map { AudioPreset(number: $0.number, name: $0.name) },
            currentPreset: unit.currentPreset.map { AudioPreset(number: $0.number, name: $0.name) },
            latency: unit.latency, tail: unit.tailTime, maximumFrames: Int(unit.maximumFramesToRender),
            channelPairs: (unit.channelCapabilities ?? []).map(\.intValue),
            takesMIDI: unit.scheduleMIDIEventBlock != nil,
            isBypassed: unit.shouldBypassEffect)
    }

    func setFormat(_ message: SetAudioFormat) throws -> AudioUnitFacts {
        let unit = try currentUnit()
        let busses = message.isInput ? unit.inputBusses : unit.outputBusses
        guard busses.indices.contains(message.bus) else {
            throw NSError.audioUnit(kAudioUnitErr_InvalidElement, "the unit has no such bus")
        }
        guard let channels = AVAudioChannelCount(exactly: message.channels),
            let format = AVAudioFormat(standardFormatWithSampleRate: message.rate, channels: channels)
        else { throw NSError.audioUnit(kAudioUnitErr_FormatNotSupported, "there is no such format") }
        try busses[message.bus].setFormat(format)
        return try facts()
    }

    func set(_ message: SetAudioParameters) throws -> SetAudioParameters.Reply {
        let unit = try currentUnit()
        observe(unit)
        let parameters = try message.values.map { value in
            let address = AUParameterAddress(bitPattern: value.address)
            guard let parameter = unit.parameterTree?.parameter(withAddress: address) else {
                throw NSError.audioUnit(kAudioUnitErr_InvalidParameter, "the unit has no parameter \(address)")
            }
            return parameter
        }
        for (parameter, value) in zip(parameters, message.values) {
            parameter.setValue(AUValue(value.value), originator: observer?.token)
        }
        return SetAudioParameters.Reply(
            parameters.map { AudioValue(address: Int64(bitPattern: $0.address), value: Double($0.value)) })
    }

    func usePreset(_ message: UseAudioPreset) throws -> AudioUnitFacts {
        let unit = try currentUnit()
        guard let preset = unit.factoryPresets?.first(where: { $0.number == message.number }) else {
            throw NSError.audioUnit(kAudioUnitErr_InvalidPropertyValue, "the unit has no preset \(message.number)")
        }
        unit.currentPreset = preset
        return try facts()
    }

    func state(_ message: ReadAudioState) throws -> ReadAudioState.Reply {
        let unit = try currentUnit()
        guard let state = message.isForDocument ? unit.fullStateForDocument : unit.fullState else {
            return ReadAudioState.Reply(nil)
        }
        do {
            return ReadAudioState.Reply(PointValue(try propertyList(state)))
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "fullState has a value that is in no property list",
                remedy: "Use numbers, texts, dates, data, arrays and dictionaries", cause: "\(error)")
        }
    }

    func restore(_ message: RestoreAudioState) throws -> AudioUnitFacts {
        let unit = try currentUnit()
        guard case .dictionary(let members) = message.state.plist else {
            throw ExtensionHostError(.invalidArgument, "a state is a dictionary")
        }
        var state: [String: Any] = [:]
        for (key, value) in members { state[key] = foundationValue(value) }
        if message.isForDocument { unit.fullStateForDocument = state } else { unit.fullState = state }
        return try facts()
    }

    // MARK: Rendering

    func allocate(_ message: AllocateAudio, _ session: PointSession) throws -> AudioUnitFacts {
        let unit = try currentUnit()
        guard resources == nil else {
            throw NSError.audioUnit(kAudioUnitErr_Initialized, "render resources are allocated already")
        }
        let channels = [unit.inputBusses, unit.outputBusses].map { $0.first.map { Int($0.format.channelCount) } ?? 0 }
        guard (1...4096).contains(message.maximumFrames),
            channels.allSatisfy({ $0 * message.maximumFrames * 4 <= AudioBlock.mostSampleBytes })
        else {
            throw NSError.audioUnit(
                kAudioUnitErr_TooManyFramesToProcess,
                "a block has at most 4096 frames and \(AudioBlock.mostSampleBytes) bytes of samples")
        }
        unit.maximumFramesToRender = AUAudioFrameCount(message.maximumFrames)
        unit.isRenderingOffline = message.isOffline
        let sent = SentMIDI()
        unit.midiOutputEventBlock = { time, cable, length, bytes in
            sent.add(time, cable, UnsafeBufferPointer(start: bytes, count: max(0, length)))
        }
        try unit.allocateRenderResources()
        if !unit.renderResourcesAllocated {
            session.report("\(type(of: unit)).allocateRenderResources() does not call the method of AUAudioUnit")
            unit.setRenderResourcesAllocated(true)
        }
        let renderer = Renderer(unit, frames: message.maximumFrames, sent)
        do {
            let answers = Answers()
            let stream = try session.openStream(message.stream) { entries in
                answers.send(entries.map { renderer.answer($0) })
            } onClose: { _ in
            }
            answers.begin(stream)
            resources = (renderer, stream)
        } catch {
            unit.deallocateRenderResources()
            throw error
        }
        return try facts()
    }

    func deallocate() {
        guard let (renderer, stream) = resources else { return }
        resources = nil
        renderer.stop()
        stream.close()
        unit?.deallocateRenderResources()
        unit?.midiOutputEventBlock = nil
    }

    func reset() throws {
        let unit = try currentUnit()
        let reset = {
            unit.reset()
            unit.events.removeAll()
        }
        if let renderer = resources?.renderer { renderer.betweenBlocks(reset) } else { reset() }
    }

    func bypass(_ isOn: Bool) throws { try currentUnit().shouldBypassEffect = isOn }

    func end() {
        changes.stop()
        deallocate()
        stopObserving()
        (unit, factory) = (nil, nil)
    }
}

/// The stream on which answers go, from the time on at which it is open.
private final class Answers: Sendable {
    private let stream = Mutex<PointStream?>(nil)

    func begin(_ stream: PointStream) { self.stream.withLock { $0 = stream } }

    func send(_ entries: [[UInt8]]) {
        // A host that has gone needs no answer: the request ends with it.
        try? stream.withLock { $0 }?.send(entries)
    }
}

/// The values that the unit's own code has set, until they are on their way: the newest of each parameter.
private final class ChangedValues: Sendable {
    typealias Send = @Sendable (_ values: [AudioValue], _ done: @escaping @Sendable () -> Void) -> Void

    private struct State {
        var values: [AUParameterAddress: AUValue] = [:]
        var isSending = false
        var send: Send?
    }

    private let state = Mutex(State())

    func start(_ send: @escaping Send) { state.withLock { $0.send = send } }

    func stop() { state.withLock { $0 = State() } }

    func note(_ address: AUParameterAddress, _ value: AUValue) {
        state.withLock { state in
            guard state.values.count < AudioParameter.largestCount else { return }
            state.values[address] = value
        }
        sendNext()
    }

    private func sendNext() {
        let next = state.withLock { state -> (Send, [AudioValue])? in
            guard !state.isSending, !state.values.isEmpty, let send = state.send else { return nil }
            state.isSending = true
            defer { state.values = [:] }
            return (
                send,
                state.values.sorted { $0.key < $1.key }.map {
                    AudioValue(address: Int64(bitPattern: $0.key), value: Double($0.value))
                }
            )
        }
        guard let (send, values) = next else { return }
        send(values) { [weak self] in
            self?.state.withLock { $0.isSending = false }
            self?.sendNext()
        }
    }
}

extension AudioComponentDescription {
    fileprivate init(_ message: AudioDescription) throws {
        let codes = [message.type, message.subtype, message.manufacturer].compactMap { UInt32(exactly: $0) }
        guard codes.count == 3 else {
            throw ExtensionHostError(.invalidArgument, "the code of a component has four bytes")
        }
        self.init(
            componentType: codes[0], componentSubType: codes[1], componentManufacturer: codes[2], componentFlags: 0,
            componentFlagsMask: 0)
    }
}

extension AudioBus {
    fileprivate init(_ bus: AUAudioUnitBus) {
        self.init(
            name: bus.name ?? "", rate: bus.format.sampleRate, channels: Int(bus.format.channelCount),
            isEnabled: bus.isEnabled, maximumChannels: Int(bus.maximumChannelCount),
            supportedChannels: (bus.supportedChannelCounts ?? []).map(\.intValue))
    }
}

extension AudioParameter {
    fileprivate init(_ parameter: AUParameter) {
        self.init(
            address: Int64(bitPattern: parameter.address), identifier: parameter.identifier,
            keyPath: parameter.keyPath, name: parameter.displayName, minimum: Double(parameter.minValue),
            maximum: Double(parameter.maxValue), value: Double(parameter.value), unit: Int(parameter.unit.rawValue),
            unitName: parameter.unitName ?? "", flags: Int(parameter.flags.rawValue),
            valueNames: parameter.valueStrings ?? [])
    }
}
