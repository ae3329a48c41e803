// OSLogFunction: os_log, with a message or with a format.

public import Foundation

/// Writes a message at the level `default`.
public func os_log(_ message: OSLogMessage) { OSLog.default.write(message.text, .default) }

/// Writes a message.
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) { log.write(message.text, type) }

/// Writes a message from a format: `%@`, `%{public}s`, and the conversions of printf(3).
@_disfavoredOverload
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ arguments: any CVarArg...
) {
    log.write(formatted("\(message)", arguments), type)
}

/// Writes a message from a format, with the level first.
@_disfavoredOverload
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ arguments: any CVarArg...
) {
    log.write(formatted("\(message)", arguments), type)
}

/// Puts values into a format, each as its conversion requires.
///
/// A conversion without a value stays as it is written; `%%` becomes `%`.
func formatted(_ format: String, _ arguments: [any CVarArg]) -> String {
    var result = ""
    var rest = format[...]
    var values = arguments[...]
    while let sign = rest.firstIndex(of: "%") {
        result += rest[..<sign]
        rest = rest[sign...].dropFirst()
        if rest.first == "%" {
            result.append(rest.removeFirst())
            continue
        }
        let start = rest
        // Privacy, as in %{public}@.
        if rest.first == "{", let close = rest.firstIndex(of: "}") { rest = rest[close...].dropFirst() }
        let flags = rest.prefix { "0123456789.-+ #'hlqztjL".contains($0) }
        rest = rest[flags.endIndex...]
        guard let conversion = rest.popFirst(), let value = values.popFirst() else {
            result += "%" + start
            return result
        }
        switch conversion {
        case "@", "s", "S": result += "\(value)"
        default: result += String(format: "%\(flags)\(conversion)", value)
        }
    }
    return result + rest
}

// On Apple's systems every object may be an argument, and sources write `message as! CVarArg`. Only os_log writes such
// values: they hold nothing that String(format:) could read.
extension Dictionary: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension Array: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
extension NSObject: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { [0] }
}
