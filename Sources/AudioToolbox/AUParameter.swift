// AUParameter: one parameter of an audio unit.

import Locks

/// A parameter. Its value is the author's: `implementorValueObserver` gets each new one, and `implementorValueProvider`
/// is asked for it. Without a provider it is the value that was set last.
open class AUParameter: AUParameterNode, @unchecked Sendable {
    // Unchecked: as its base class.

    public let address: AUParameterAddress
    public let minValue: AUValue
    public let maxValue: AUValue
    public let unit: AudioUnitParameterUnit
    public let unitName: String?
    public let flags: AudioUnitParameterOptions
    public let valueStrings: [String]?
    public let dependentParameters: [NSNumber]?
    private let stored: Mutex<AUValue>

    init(
        identifier: String, name: String, address: AUParameterAddress, min: AUValue, max: AUValue,
        unit: AudioUnitParameterUnit, unitName: String?, flags: AudioUnitParameterOptions, valueStrings: [String]?,
        dependentParameters: [NSNumber]?
    ) {
        (self.address, minValue, maxValue) = (address, min, max)
        (self.unit, self.unitName, self.flags) = (unit, unitName, flags)
        (self.valueStrings, self.dependentParameters) = (valueStrings, dependentParameters)
        stored = Mutex(min)
        super.init(identifier: identifier, name: name)
    }

    /// The value that was set last.
    var storedValue: AUValue { stored.withLock { $0 } }

    open var value: AUValue {
        get {
            guard let provider = lineage.lazy.compactMap({ $0.read(\.valueProvider) }).first else { return storedValue }
            return provider(self)
        }
        set { setValue(newValue, originator: nil) }
    }

    open func setValue(_ value: AUValue, originator: AUParameterObserverToken?) {
        setValue(value, originator: originator, atHostTime: 0, eventType: .value)
    }

    open func setValue(_ value: AUValue, originator: AUParameterObserverToken?, atHostTime hostTime: UInt64) {
        setValue(value, originator: originator, atHostTime: hostTime, eventType: .value)
    }

    /// Sets the value: tells the author's code, then all observers but the one that the originator names.
    ///
    /// - Parameters:
    ///   - value: the new value.
    ///   - originator: the token of the observer that sets it.
    ///   - hostTime: the time, for recording and automation observers.
    ///   - eventType: for automation observers.
    open func setValue(
        _ value: AUValue, originator: AUParameterObserverToken?, atHostTime hostTime: UInt64,
        eventType: AUParameterAutomationEventType
    ) {
        stored.withLock { $0 = value }
        lineage.lazy.compactMap { $0.read(\.valueObserver) }.first?(self, value)
        let observers = lineage.flatMap { $0.read(\.observers) }
        for (token, observer) in observers where token != originator {
            switch observer {
            case .value(let observer): observer(address, value)
            case .recording(let observer):
                let event = AURecordedParameterEvent(hostTime: hostTime, address: address, value: value)
                withUnsafePointer(to: event) { observer(1, $0) }
            case .automation(let observer):
                let event = AUParameterAutomationEvent(
                    hostTime: hostTime, address: address, value: value, eventType: eventType)
                withUnsafePointer(to: event) { observer(1, $0) }
            }
        }
    }

    open func string(fromValue value: UnsafePointer<AUValue>?) -> String {
        if let callback = lineage.lazy.compactMap({ $0.read(\.stringFromValue) }).first { return callback(self, value) }
        return standardString(from: value?.pointee ?? self.value)
    }

    func standardString(from value: AUValue) -> String {
        if let valueStrings, let place = Int(exactly: value - minValue), valueStrings.indices.contains(place) {
            return valueStrings[place]
        }
        return String(value)
    }

    open func value(from string: String) -> AUValue {
        if let callback = lineage.lazy.compactMap({ $0.read(\.valueFromString) }).first {
            return callback(self, string)
        }
        if let place = valueStrings?.firstIndex(of: string) { return minValue + AUValue(place) }
        return AUValue(string) ?? 0
    }
}

// Unchecked: it adds no state to its base class.
/// The tree of all parameters of an audio unit.
open class AUParameterTree: AUParameterGroup, @unchecked Sendable {
    open func parameter(withAddress address: AUParameterAddress) -> AUParameter? {
        allParameters.first { $0.address == address }
    }

    /// Returns a parameter of an audio unit of version 2, whose identifier is its address here.
    open func parameter(withID paramID: UInt32, scope: UInt32, element: UInt32) -> AUParameter? {
        parameter(withAddress: AUParameterAddress(paramID))
    }

    open class func createParameter(
        withIdentifier identifier: String, name: String, address: AUParameterAddress, min: AUValue, max: AUValue,
        unit: AudioUnitParameterUnit, unitName: String?, flags: AudioUnitParameterOptions = [],
        valueStrings: [String]?, dependentParameters: [NSNumber]?
    ) -> AUParameter {
        AUParameter(
            identifier: identifier, name: name, address: address, min: min, max: max, unit: unit, unitName: unitName,
            flags: flags, valueStrings: valueStrings, dependentParameters: dependentParameters)
    }

    open class func createGroup(withIdentifier identifier: String, name: String, children: [AUParameterNode])
        -> AUParameterGroup
    { AUParameterGroup(identifier: identifier, name: name, children: children) }

    /// Makes the tree of these nodes. Two parameters with one address are a fault of the author, of which a host gets
    /// the first.
    open class func createTree(withChildren children: [AUParameterNode]) -> AUParameterTree {
        AUParameterTree(identifier: "", name: "", children: children)
    }
}
