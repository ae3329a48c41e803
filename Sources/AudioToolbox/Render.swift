// Render: the call of a unit's internal render block, with the events that are due.

import Locks
import PointMessages

/// The events that are scheduled, in the order of their sample times. Safe to use from any thread.
final class ScheduledEvents: Sendable {
    /// The maximum number of events that wait. Later ones are dropped.
    private static let most = 8192
    private let waiting = Mutex<[AudioBlockEvent]>([])
    private static let immediate = AUEventSampleTimeImmediate

    func add(at time: AUEventSampleTime, _ kind: AudioBlockEvent.Kind) {
        if case .midi(_, let bytes) = kind, !(1...AudioBlock.longestMessage).contains(bytes.count) { return }
        waiting.withLock { waiting in
            guard waiting.count < Self.most else { return }
            // Behind those of the same time.
            let place = waiting.lastIndex { $0.sampleTime <= time }.map { $0 + 1 } ?? 0
            waiting.insert(AudioBlockEvent(sampleTime: time, kind), at: place)
        }
    }

    /// Removes the events of a block, and those that are late, which happen at its start.
    func take(from start: Int64, frames: Int) -> [AudioBlockEvent] {
        waiting.withLock { waiting in
            guard !waiting.isEmpty else { return [] }
            var taken: [AudioBlockEvent] = []
            waiting.removeAll { event in
                var time = event.sampleTime
                // An offset to the immediate time is one to the start of the next block.
                if (Self.immediate...Self.immediate + 65_536).contains(time) { time += start - Self.immediate }
                guard time < start + Int64(frames) else { return false }
                taken.append(AudioBlockEvent(sampleTime: max(time, start), event.kind))
                return true
            }
            // Stable, as the order of events of one time is that of their scheduling.
            return taken.enumerated().sorted { ($0.element.sampleTime, $0.offset) < ($1.element.sampleTime, $1.offset) }
                .map(\.element)
        }
    }

    func removeAll() { waiting.withLock { $0 = [] } }
}

/// The observers of a unit's renders. Safe to use from any thread.
final class RenderObservers: Sendable {
    // Unchecked: the observers of authors, which only the mutex lets in.
    private struct Box: @unchecked Sendable {
        var last = 0
        var observers: [(token: Int, observer: AURenderObserver)] = []
    }

    private let box = Mutex(Box())

    func add(_ observer: @escaping AURenderObserver) -> Int {
        let added = Added(observer: observer)
        return box.withLock { box in
            box.last += 1
            box.observers.append((box.last, added.observer))
            return box.last
        }
    }

    // Unchecked: an observer of an author on its way into the lock.
    private struct Added: @unchecked Sendable { let observer: AURenderObserver }

    func remove(_ token: Int) { box.withLock { $0.observers.removeAll { $0.token == token } } }

    func tell(
        _ flags: AudioUnitRenderActionFlags, _ timestamp: UnsafePointer<AudioTimeStamp>, _ frames: AUAudioFrameCount,
        _ bus: Int
    ) {
        for (_, observer) in box.withLock({ $0 }).observers { observer(flags, timestamp, frames, bus) }
    }
}

/// A unit's render, with the internal render block that it had when this was made.
struct Render: @unchecked Sendable {
    // Unchecked: one thread renders.
    private let unit: AUAudioUnit
    private let render: AUInternalRenderBlock

    init(_ unit: AUAudioUnit) { (self.unit, render) = (unit, unit.internalRenderBlock) }

    /// The function that a host calls.
    var block: AURenderBlock {
        { flags, timestamp, frames, bus, output, pull in
            self(flags, timestamp, frames, bus, output, pull)
        }
    }

    func callAsFunction(
        _ flags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
        _ frames: AUAudioFrameCount, _ bus: Int, _ output: UnsafeMutablePointer<AudioBufferList>,
        _ pull: AURenderPullInputBlock?
    ) -> AUAudioUnitStatus {
        guard unit.renderResourcesAllocated else { return kAudioUnitErr_Uninitialized }
        guard frames <= unit.maximumFramesToRender else { return kAudioUnitErr_TooManyFramesToProcess }
        unit.observers.tell(flags.pointee.union(.unitRenderAction_PreRender), timestamp, frames, bus)
        let events = EventList(
            unit.events.take(from: Int64(timestamp.pointee.mSampleTime), frames: Int(frames)))
        let status = withExtendedLifetime(events) {
            render(flags, timestamp, frames, bus, output, events.head, pull)
        }
        var ending = flags.pointee.union(.unitRenderAction_PostRender)
        if status != noErr { ending.insert(.unitRenderAction_PostRenderError) }
        unit.observers.tell(ending, timestamp, frames, bus)
        return status
    }
}

/// The memory of a list of events, of which each points to the next.
private final class EventList {
    let head: UnsafePointer<AURenderEvent>?
    private let memory: UnsafeMutableRawPointer?

    init(_ events: [AudioBlockEvent]) {
        guard !events.isEmpty else {
            (head, memory) = (nil, nil)
            return
        }
        let sizes = events.map(Self.size)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: sizes.reduce(0, +), alignment: 16)
        var place = memory
        var previous: UnsafeMutablePointer<AURenderEvent>?
        for (event, size) in zip(events, sizes) {
            let made = place.bindMemory(to: AURenderEvent.self, capacity: 1)
            made.initialize(to: Self.event(event))
            if case .midi(_, let bytes) = event.kind, bytes.count > 3 {
                // The bytes go on behind the structure's own three.
                let start = place + (MemoryLayout<AUMIDIEvent>.offset(of: \.data) ?? 0)
                bytes.withUnsafeBytes { bytes in
                    if let source = bytes.baseAddress { start.copyMemory(from: source, byteCount: bytes.count) }
                }
            }
            // Each member of the union begins with this pointer. A copy of the event would lose bytes that it has no
            // fields for.
            previous.map { UnsafeMutableRawPointer($0).storeBytes(of: made, as: UnsafeMutablePointer.self) }
            previous = made
            place += size
        }
        self.memory = memory
        head = UnsafePointer(memory.assumingMemoryBound(to: AURenderEvent.self))
    }

    deinit { memory?.deallocate() }

    private static func size(_ event: AudioBlockEvent) -> Int {
        var size = MemoryLayout<AURenderEvent>.stride
        if case .midi(_, let bytes) = event.kind { size += bytes.count }
        return (size + 15) / 16 * 16
    }

    private static func event(_ event: AudioBlockEvent) -> AURenderEvent {
        switch event.kind {
        case .parameter(let address, let value, let ramp):
            AURenderEvent(
                parameter: AUParameterEvent(
                    next: nil, eventSampleTime: event.sampleTime, eventType: ramp == 0 ? .parameter : .parameterRamp,
                    reserved: (0, 0, 0), rampDurationSampleFrames: ramp, parameterAddress: address, value: value))
        case .midi(let cable, let bytes):
            AURenderEvent(
                MIDI: AUMIDIEvent(
                    next: nil, eventSampleTime: event.sampleTime, eventType: bytes[0] == 0xf0 ? .midiSysEx : .MIDI,
                    reserved: 0, length: UInt16(bytes.count), cable: cable,
                    data: (bytes[0], bytes.count > 1 ? bytes[1] : 0, bytes.count > 2 ? bytes[2] : 0)))
        }
    }
}
