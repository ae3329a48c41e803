// AudioUnitSession: one audio unit of a host.

public import ExtensionHost
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Locks
public import PointMessages

/// An audio unit: its parameters, presets and state, and its renders. Safe to use from any thread; renders follow each
/// other.
///
/// The errors of all methods are those of `ExtensionRequest.call`. An error of Core Audio has the domain
/// `NSOSStatusErrorDomain`.
public final class AudioUnitSession: Sendable {
    /// The request, whose outcome is `completed` after `end()`.
    public let request: ExtensionRequest
    /// The component.
    public let component: AudioUnitComponent

    let settings: AudioUnitHost.Settings
    private let state: Mutex<State>
    private let changes: AudioChanges

    private struct State {
        var facts: AudioUnitFacts
        var line: RenderLine?
        var isAllocating = false
    }

    init(
        _ request: ExtensionRequest, _ component: AudioUnitComponent, _ facts: AudioUnitFacts, _ changes: AudioChanges,
        _ settings: AudioUnitHost.Settings
    ) {
        (self.request, self.component, self.changes, self.settings) = (request, component, changes, settings)
        state = Mutex(State(facts: facts))
    }

    // MARK: The unit

    /// The unit as it was after the last call, with the values that it has set since.
    public var facts: AudioUnitFacts {
        let newest = changes.newest
        var facts = state.withLock { $0.facts }
        for index in facts.parameters.indices {
            if let value = newest[facts.parameters[index].address] { facts.parameters[index].value = value }
        }
        return facts
    }

    /// The parameters of the unit.
    public var parameters: [AudioParameter] { facts.parameters }
    /// The presets of the factory.
    public var presets: [AudioPreset] { facts.presets }

    /// Follows the values that the unit's own code sets: those of the newest 1,024 that nobody has taken yet.
    public func followChanges() -> AsyncStream<AudioValue> { changes.follow() }

    private func adopt(_ facts: AudioUnitFacts) -> AudioUnitFacts {
        changes.forget()
        state.withLock { $0.facts = facts }
        return facts
    }

    /// Asks for the unit as it is.
    @discardableResult public func refresh() async throws -> AudioUnitFacts {
        adopt(try await request.call(DescribeAudioUnit()))
    }

    /// Returns a parameter by its identifier, key path, name or address, in this order.
    public func parameter(_ name: String) -> AudioParameter? {
        let parameters = parameters
        return parameters.first { $0.identifier == name } ?? parameters.first { $0.keyPath == name }
            ?? parameters.first { $0.name == name } ?? parameters.first { String($0.address) == name }
    }

    /// Sets a parameter.
    ///
    /// - Returns: the value after that, as the unit gives it.
    @discardableResult public func set(_ parameter: AudioParameter, to value: Double) async throws -> Double {
        let reply = try await request.call(SetAudioParameters([AudioValue(address: parameter.address, value: value)]))
        guard let set = reply.values.first(where: { $0.address == parameter.address })?.value else {
            throw ExtensionHostError(.protocolViolation, "the reply has no value of \(parameter.identifier)")
        }
        changes.note([AudioValue(address: parameter.address, value: set)], isOwn: true)
        return set
    }

    /// Makes a preset of the factory the current one.
    @discardableResult public func use(preset number: Int) async throws -> AudioUnitFacts {
        adopt(try await request.call(UseAudioPreset(number)))
    }

    /// Returns `fullState`, or `fullStateForDocument`; nil if the unit has none.
    public func fullState(forDocument isForDocument: Bool = false) async throws -> PointValue? {
        try await request.call(ReadAudioState(isForDocument: isForDocument)).state
    }

    /// Puts a state back.
    @discardableResult
    public func restore(_ state: PointValue, forDocument isForDocument: Bool = false) async throws -> AudioUnitFacts {
        adopt(try await request.call(RestoreAudioState(state, isForDocument: isForDocument)))
    }

    /// Sets the format of one bus.
    @discardableResult
    public func setFormat(
        input isInput: Bool, bus: Int = 0, rate: Double, channels: Int
    ) async throws -> AudioUnitFacts {
        adopt(try await request.call(SetAudioFormat(isInput: isInput, bus: bus, rate: rate, channels: channels)))
    }

    /// Sets the format of all busses to one rate, and of the first input and output to a number of channels.
    @discardableResult public func setFormat(rate: Double, channels: Int) async throws -> AudioUnitFacts {
        for (isInput, busses) in [(true, facts.inputs), (false, facts.outputs)] {
            for (number, bus) in busses.enumerated() {
                let wanted = number == 0 ? channels : bus.channels
                guard bus.rate != rate || bus.channels != wanted else { continue }
                try await setFormat(input: isInput, bus: number, rate: rate, channels: wanted)
            }
        }
        return facts
    }

    /// Sets whether an effect passes its input on unchanged.
    public func setBypass(_ isOn: Bool) async throws {
        try await request.call(BypassAudioUnit(isOn))
        state.withLock { $0.facts.isBypassed = isOn }
    }

    /// Resets the unit: the next block is the first one again.
    public func reset() async throws {
        try await request.call(ResetAudioUnit())
        state.withLock { $0.line }?.restart()
    }

    // MARK: Rendering

    /// Allocates what rendering needs. From then on the formats are fixed.
    ///
    /// - Parameters:
    ///   - maximumFrames: the maximum number of frames of a block; at most 4,096, and 32 KiB of samples.
    ///   - isOffline: the unit's `isRenderingOffline`.
    @discardableResult
    public func allocate(maximumFrames: Int = 512, isOffline: Bool = true) async throws -> AudioUnitFacts {
        let mayBegin = state.withLock { state in
            guard state.line == nil, !state.isAllocating else { return false }
            state.isAllocating = true
            return true
        }
        guard mayBegin else { throw AudioStatus.initialized.error("render resources are allocated already") }
        defer { state.withLock { $0.isAllocating = false } }
        let answers = AudioAnswers()
        let (stream, offer) = try await request.makeStream {
            answers.take($0)
        } onClose: {
            answers.end($0)
        }
        do {
            let facts = adopt(
                try await request.call(
                    AllocateAudio(maximumFrames: maximumFrames, isOffline: isOffline, stream: offer)))
            let output = facts.outputs.first ?? AudioBus.none
            // The unit says them, and memory and times are computed from them.
            guard (0...AudioBlock.mostChannels).contains(output.channels),
                output.channels == 0 || output.rate >= 1 && output.rate <= 1e6
            else {
                throw ExtensionHostError(
                    .protocolViolation,
                    "the audio unit has an output of \(output.channels) channels at \(output.rate) Hz")
            }
            state.withLock {
                $0.line = RenderLine(
                    stream, answers, rate: output.rate, channels: output.channels, limit: settings.blockLimit,
                    maximumFrames: maximumFrames)
            }
            return facts
        } catch {
            stream.close()
            // The call may be under way, and allocate after this.
            if Task.isCancelled { _ = try? await uncancelled { try await self.request.call(DeallocateAudio()) } }
            throw error
        }
    }

    /// Runs calls that the cancellation of the task does not cancel, such as those that tidy up after it.
    func uncancelled<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Task { try await body() }.value
    }

    /// Releases the resources of the render.
    public func deallocate() async throws {
        let line = state.withLock { state in
            defer { state.line = nil }
            return state.line
        }
        line?.close()
        try await request.call(DeallocateAudio())
    }

    func allocatedLine() throws -> RenderLine {
        guard let line = state.withLock({ $0.line }) else {
            throw AudioStatus.uninitialized.error("render resources are not allocated")
        }
        return line
    }

    /// Schedules a message of MIDI for a sample time; nil: the next block's first frame.
    ///
    /// - Throws: `kAudioUnitErr_Uninitialized` before `allocate`; `ExtensionHostError` `invalidArgument` for a message
    ///   without bytes or of more than 4 KiB, and for a unit that takes no MIDI.
    public func midi(_ bytes: [UInt8], cable: UInt8 = 0, at sampleTime: Int64? = nil) throws {
        guard (1...AudioBlock.longestMessage).contains(bytes.count), bytes[0] >= 0x80 else {
            throw ExtensionHostError(
                .invalidArgument, "a message of MIDI has 1 to \(AudioBlock.longestMessage) bytes, the first over 127")
        }
        let line = try allocatedLine()
        try checkTakesMIDI()
        line.schedule(.midi(cable: cable, bytes: bytes), at: sampleTime)
    }

    /// - Throws: `invalidArgument` for a unit that takes no MIDI.
    func checkTakesMIDI() throws {
        guard facts.takesMIDI else {
            throw ExtensionHostError(
                .invalidArgument, "\(component.name) takes no MIDI: its scheduleMIDIEventBlock is nil",
                remedy: "Declare a type that takes MIDI: aumu, aumf or aumi")
        }
    }

    /// Schedules a new value of a parameter for a sample time, or a ramp that begins there.
    ///
    /// - Throws: `kAudioUnitErr_Uninitialized` before `allocate`.
    public func schedule(
        _ parameter: AudioParameter, value: Double, ramp: Int = 0, at sampleTime: Int64? = nil
    ) throws {
        let address = UInt64(bitPattern: parameter.address)
        try allocatedLine().schedule(
            .parameter(address: address, value: Float(value), ramp: UInt32(clamping: ramp)), at: sampleTime)
    }

    /// Renders one block.
    ///
    /// Events of a block that is refused come with the next one, at its first frame if they are late by then.
    ///
    /// - Parameters:
    ///   - frames: the number of frames. More than the maximum of `allocate` give silence with
    ///     `kAudioUnitErr_TooManyFramesToProcess`.
    ///   - input: the samples of the first input bus, for each channel; nil: none, so the unit's pull fails.
    ///   - lendsOutput: whether the unit gets memory for its output.
    /// - Returns: the block, whose status may be an error. If the unit's process ends meanwhile, it is silence with
    ///   `kAudioUnitErr_CannotDoInCurrentContext`.
    /// - Throws: `kAudioUnitErr_Uninitialized` before `allocate`; `ExtensionHostError` `timedOut` if the unit does not
    ///   answer, whose request is cancelled then, `invalidArgument` for more than an entry has; `CancellationError` if
    ///   the task is cancelled before the block is sent. The next block can be rendered after that.
    public func render(
        _ frames: Int, input: [[Float]]? = nil, lendsOutput: Bool = true
    ) async throws -> RenderedBlock {
        let line = try allocatedLine()
        return try await onLine(line) { cancellation in
            try cancellation.check()
            return try line.render(frames, input, lendsOutput: lendsOutput)
        }
    }

    /// Runs a body on the thread of a line. Cancels the request if the unit does not answer.
    ///
    /// - Parameter body: checks the cancellation of the task before each block.
    func onLine<Value: Sendable>(
        _ line: RenderLine, _ body: @escaping @Sendable (RenderCancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = RenderCancellation()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    line.queue.async { continuation.resume(with: Result { try body(cancellation) }) }
                }
            } onCancel: {
                cancellation.cancel()
            }
        } catch let error as ExtensionHostError where error.code == .timedOut {
            try? await request.cancel()
            throw error
        }
    }

    // MARK: The end

    /// Ends the session, and returns its outcome.
    @discardableResult public func end() async throws -> RequestOutcome {
        state.withLock { state in
            state.line?.close()
            state.line = nil
        }
        try await request.call(EndAudioUnit())
        return await request.outcome
    }
}

extension AudioBus {
    /// The bus of a unit without one.
    fileprivate static let none = AudioBus(
        name: "", rate: 0, channels: 0, isEnabled: false, maximumChannels: 0, supportedChannels: [])
}

/// The status codes of Core Audio that hosts answer themselves.
public enum AudioStatus: Int32, Sendable {
    /// The unit has its resources already.
    case initialized = -10849
    /// The unit has no resources yet.
    case uninitialized = -10867
    /// The unit, or a bus of it, does not take the format.
    case formatNotSupported = -10868
    /// The unit's resources cannot be allocated.
    case failedInitialization = -10875
    /// The block is larger than the maximum of `allocate`.
    case tooManyFramesToProcess = -10874
    /// The unit cannot render now, or has ended.
    case cannotDoInCurrentContext = -10863

    func error(_ description: String) -> NSError {
        NSError(
            domain: NSOSStatusErrorDomain, code: Int(rawValue), userInfo: [NSLocalizedDescriptionKey: description])
    }
}

/// The values that a unit's own code has set.
final class AudioChanges: Sendable {
    private struct State {
        var newest: [Int64: Double] = [:]
        var followers: [AsyncStream<AudioValue>.Continuation] = []
    }

    private let state = Mutex(State())

    var newest: [Int64: Double] { state.withLock { $0.newest } }

    func forget() { state.withLock { $0.newest = [:] } }

    /// - Parameter isOwn: whether the host has set them.
    func note(_ values: [AudioValue], isOwn: Bool = false) {
        let followers = state.withLock { state in
            for value in values where state.newest.count < AudioParameter.largestCount || isOwn {
                state.newest[value.address] = value.value
            }
            return isOwn ? [] : state.followers
        }
        for follower in followers { for value in values { follower.yield(value) } }
    }

    func follow() -> AsyncStream<AudioValue> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AudioValue.self, bufferingPolicy: .bufferingNewest(1024))
        state.withLock { $0.followers.append(continuation) }
        return stream
    }

    deinit { for follower in state.withLock({ $0.followers }) { follower.finish() } }
}
