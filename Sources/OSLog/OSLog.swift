// OSLog: the destinations and the levels of log messages.

public import Foundation

/// A category of a subsystem's log.
///
/// Every message becomes a line on standard error, which is an extension's log here (`exthostctl logs`). No level is
/// left out and nothing is hidden, as under Xcode's debugger.
open class OSLog: NSObject, @unchecked Sendable {  // constant
    /// The categories that Apple's Instruments looks for. They have no effect.
    public struct Category: Sendable, Hashable {
        public let rawValue: String
        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    public static let `default` = OSLog(subsystem: "", category: "")
    /// A log that drops all messages.
    public static let disabled = OSLog(subsystem: "", category: "", isDisabled: true)

    let subsystem: String
    let category: String
    private let isDisabled: Bool

    public convenience init(subsystem: String, category: String) {
        self.init(subsystem: subsystem, category: category, isDisabled: false)
    }

    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.rawValue, isDisabled: false)
    }

    private init(subsystem: String, category: String, isDisabled: Bool) {
        self.subsystem = subsystem
        self.category = category
        self.isDisabled = isDisabled
        super.init()
    }

    /// True for every level, unless this log is `disabled`.
    public func isEnabled(type: OSLogType) -> Bool { !isDisabled }

    func write(_ message: String, _ type: OSLogType) {
        guard !isDisabled else { return }
        let place = [subsystem, category].filter { !$0.isEmpty }.joined(separator: ":")
        FileHandle.standardError.write(Data(((place.isEmpty ? "" : "[\(place)] ") + "\(type): \(message)\n").utf8))
    }
}

/// The level of a message, with Apple's numbers.
public struct OSLogType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    public static let `default` = OSLogType(0x00)
    public static let info = OSLogType(0x01)
    public static let debug = OSLogType(0x02)
    public static let error = OSLogType(0x10)
    public static let fault = OSLogType(0x11)

    public var description: String {
        switch self {
        case .default: "notice"
        case .info: "info"
        case .debug: "debug"
        case .error: "error"
        case .fault: "fault"
        default: "level \(rawValue)"
        }
    }
}
