// CallDirectoryMessages: the calls of a call directory, and the orders of an app about it.

public import ExtensionPointKit

/// Asks an extension for its directory. The reply comes after its entries, which travel as `CallDirectoryEntries`.
public struct LoadCallDirectory: PointMessage {
    public static let name = "callDirectory.load"
    /// Whether the extension may give only the changes since its last load.
    public var isIncremental: Bool
    public init(isIncremental: Bool) { self.isIncremental = isIncremental }
}

/// Ends a load, which has failed or not. The framework completes the request after it.
public struct EndCallDirectory: PointMessage {
    public static let name = "callDirectory.end"
    /// The code of the failure; nil if the directory was taken over.
    public var failure: Int?
    /// The failure in words.
    public var reason: String?
    public init(failure: Int? = nil, reason: String? = nil) { (self.failure, self.reason) = (failure, reason) }
}

/// Some entries of one list, in the author's order. The extension waits for the reply to one of its last calls before it
/// sends more.
public struct CallDirectoryEntries: PointMessage {
    public static let name = "callDirectory.entries"

    /// The largest number of entries in a call.
    public static let limit = 4_096

    /// The change to a list.
    public enum Change: String, OpenEnumeration, Hashable {
        case block, unblock, unblockAll, identify, forget, forgetAll
        case unrecognized
    }

    public var change: Change
    /// The numbers, 8 bytes each, the highest byte first: one value of a property list instead of thousands.
    public var numbers: [UInt8]
    /// The labels of `identify`, each once.
    public var labels: [String]?
    /// The place of each number's label in `labels`, 2 bytes each, the highest byte first.
    public var places: [UInt8]?

    public init(_ change: Change, numbers: [Int64] = []) {
        self.change = change
        self.numbers = Self.bytes(of: numbers)
    }

    /// - Parameters:
    ///   - numbers: the numbers, at most `limit`.
    ///   - labels: the labels, each once.
    ///   - places: the place of each number's label in `labels`.
    public init(identifying numbers: [Int64], labels: [String], places: [Int]) {
        change = .identify
        self.numbers = Self.bytes(of: numbers)
        self.labels = labels
        var bytes: [UInt8] = []
        bytes.reserveCapacity(places.count * 2)
        for place in places {
            bytes.append(UInt8(truncatingIfNeeded: place >> 8))
            bytes.append(UInt8(truncatingIfNeeded: place))
        }
        self.places = bytes
    }

    private static func bytes(of numbers: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 8)
        for number in numbers { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
        return bytes
    }

    /// The numbers; nil if they are not whole, or more than `limit`.
    public var decodedNumbers: [Int64]? {
        guard numbers.count.isMultiple(of: 8), numbers.count <= Self.limit * 8 else { return nil }
        return numbers.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 8).map {
                Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
            }
        }
    }

    /// The places of the labels, one for each number; nil if they are not whole, or a label is missing.
    public var decodedPlaces: [Int]? {
        guard let labels, let places, places.count * 4 == numbers.count else { return nil }
        var decoded: [Int] = []
        decoded.reserveCapacity(places.count / 2)
        for start in stride(from: 0, to: places.count, by: 2) {
            let place = Int(places[start]) << 8 | Int(places[start + 1])
            guard place < labels.count else { return nil }
            decoded.append(place)
        }
        return decoded
    }
}

/// The errors of a call directory, as they travel. The numbers are Apple's (header).
public enum CallDirectoryFault: Int, Sendable, CaseIterable {
    case unknown = 0
    case noExtensionFound, loadingInterrupted, entriesOutOfOrder, duplicateEntries, maximumEntriesExceeded
    case extensionDisabled, currentlyLoading, unexpectedIncrementalRemoval

    /// The domain of the errors (observed).
    public static let domain = "com.apple.CallKit.error.calldirectorymanager"
}

/// The service of the telephone.
public enum CallDirectoryService {
    /// The name under which a telephone provides it.
    public static let name = "org.exthost.calls"
}

/// Asks the telephone to load a directory. The answer comes after that.
public struct ReloadCallDirectory: PointMessage {
    public static let name = "calls.reloadExtension"
    /// The directory's extension, which is in the caller's app.
    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Asks the telephone whether its user has switched a directory on.
public struct CallDirectoryStatus: PointMessage {
    public static let name = "calls.enabledStatus"

    public struct Reply: Codable, Sendable {
        public var isEnabled: Bool
        public init(isEnabled: Bool) { self.isEnabled = isEnabled }
    }

    /// The directory's extension, which is in the caller's app.
    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Asks the telephone to show the settings of its directories.
public struct OpenCallSettings: PointMessage {
    public static let name = "calls.openSettings"
    public init() {}
}
