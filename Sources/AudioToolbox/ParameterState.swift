// ParameterState: the state of a unit whose author adds nothing of his own.

import Foundation

/// `fullState` of the base class: the codes of the component, and the value of each writable parameter.
///
/// The values stand under `data`, each with eight bytes of its address and four of its bits, the highest first (ours).
enum ParameterState {
    private static let size = 12

    static func make(_ unit: AUAudioUnit) -> [String: Any] {
        let codes = unit.componentDescription
        var data = Data()
        for parameter in unit.parameterTree?.allParameters ?? [] where isStored(parameter) {
            withUnsafeBytes(of: parameter.address.bigEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: parameter.value.bitPattern.bigEndian) { data.append(contentsOf: $0) }
        }
        return [
            kAUPresetTypeKey: Int(codes.componentType), kAUPresetSubtypeKey: Int(codes.componentSubType),
            kAUPresetManufacturerKey: Int(codes.componentManufacturer), kAUPresetVersionKey: 0,
            kAUPresetNameKey: unit.currentPreset?.name ?? "Untitled", kAUPresetDataKey: data,
        ]
    }

    private static func isStored(_ parameter: AUParameter) -> Bool {
        !parameter.flags.contains(.flag_OmitFromPresets) && !parameter.flags.contains(.flag_MeterReadOnly)
    }

    /// Puts values back. Addresses that the unit does not have are passed over.
    static func restore(_ state: [String: Any], to unit: AUAudioUnit) {
        guard let data = state[kAUPresetDataKey] as? Data else { return }
        let bytes = [UInt8](data)
        var values: [AUParameterAddress: AUValue] = [:]
        for start in stride(from: 0, to: bytes.count - bytes.count % size, by: size) {
            let address = bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let bits = bytes[(start + 8)..<(start + 12)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            values[address] = AUValue(bitPattern: bits)
        }
        for parameter in unit.parameterTree?.allParameters ?? [] where isStored(parameter) {
            if let value = values[parameter.address] { parameter.value = value }
        }
    }
}
