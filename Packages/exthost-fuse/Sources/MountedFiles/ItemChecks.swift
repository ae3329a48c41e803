// ItemChecks: the rules for what a provider tells of its items, before the kernel sees it.

import CFuse
import Foundation
import Glibc
import PointHosts

/// A text that is compared by its bytes, as the kernel compares names. Strings compare by their characters, for which
/// two spellings of an accent are equal.
struct ByteText: Hashable, Sendable {
    private let bytes: ContiguousArray<UInt8>
    init(_ text: String) { bytes = ContiguousArray(text.utf8) }
}

func haveSameBytes(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

enum ItemChecks {
    /// The longest name, in bytes.
    static let longestName = 255
    /// The longest target of a symbolic link, in bytes: PATH_MAX without its final zero.
    static let longestTarget = 4095
    /// The most bytes of all extended attributes of an item.
    static let mostAttributeBytes = 1 << 20

    /// The reason why a name cannot be one in a folder; nil if it can.
    static func problem(ofName name: String) -> String? {
        if name.isEmpty { return "it is empty" }
        if name == "." || name == ".." { return "it means a folder to the system" }
        if name.utf8.contains(0x2F) { return "it has a slash" }
        if name.utf8.contains(0) { return "it has a zero byte" }
        if name.utf8.count > longestName { return "it has more than \(longestName) bytes" }
        return nil
    }

    /// The target of a symbolic link, if the kernel can have it.
    static func target(_ text: String, of name: String) throws -> String {
        guard !text.isEmpty, !text.utf8.contains(0), text.utf8.count <= longestTarget else {
            throw OperationFailure(
                EIO,
                "the target of \(name) has \(text.utf8.count) bytes, or a zero byte: 1 to \(longestTarget) are valid")
        }
        return text
    }

    /// The size of a file, if it is one.
    static func size(_ size: Int?) -> Int? {
        guard let size, size >= 0, size < 1 << 60 else { return nil }
        return size
    }

    /// A time in the form of the kernel. A time that no calendar has becomes the nearest that one has.
    static func time(_ date: Date) -> timespec {
        let seconds = date.timeIntervalSince1970
        guard seconds.isFinite else { return timespec() }
        let bounded = min(max(seconds, -62_135_596_800), 253_402_300_799)
        let whole = bounded.rounded(.down)
        return timespec(tv_sec: Int(whole), tv_nsec: min(Int((bounded - whole) * 1e9), 999_999_999))
    }

    /// The date of a time of the kernel, and back: a date has fewer digits than a time.
    static func date(_ time: timespec) -> Date {
        Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}
