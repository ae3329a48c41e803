// ConfidentialReduction: recorded payloads without the values that are marked as confidential.

import ExtensionProtocol
import ExtensionWire
import Glibc
import LinuxSystem
import PropertyListCoding

/// Removes passwords and the like from recordings with contents. Other payloads stay as they are, byte by byte.
enum ConfidentialReduction {
    /// Returns the payload as a recording may have it.
    static func bytes(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.withUnsafeBytes({ isMarked($0) }) else { return bytes }
        // A payload that cannot be read may still hold the value.
        let value = (try? PropertyList(binary: bytes, limits: .packet)) ?? .string(Confidential.placeholder)
        return (try? reduced(value).encodeBinary()) ?? []
    }

    /// Whether sealed memory has the mark, or cannot be read. A recording then has its size only.
    static func isMarked(_ memory: SharedDescriptor) -> Bool {
        guard let map = try? SealedMemory.map(memory.raw, maximumSize: PacketLimits.sealedPayload) else { return true }
        return map.withUnsafeBytes { isMarked($0) }
    }

    private static func isMarked(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        let key = Array(Confidential.key.utf8)
        var start = 0
        while start + key.count <= bytes.count,
            let found = memchr(base + start, Int32(key[0]), bytes.count - start - key.count + 1)
        {
            if memcmp(found, key, key.count) == 0 { return true }
            start = UnsafeRawPointer(found) - base + 1
        }
        return false
    }

    /// The depth is that of a payload which was read, so it is bounded.
    private static func reduced(_ value: PropertyList) -> PropertyList {
        switch value {
        case .array(let values): return .array(values.map { reduced($0) })
        case .dictionary(let entries):
            var result = PropertyListDictionary(minimumCapacity: entries.count)
            for (key, inner) in entries {
                result[key] = key == Confidential.key ? .string(Confidential.placeholder) : reduced(inner)
            }
            return .dictionary(result)
        default: return value
        }
    }
}
