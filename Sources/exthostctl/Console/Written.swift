// Written: numbers in forms for people.

import ExtensionProtocol
import Foundation

/// Returns a duration such as `4.1 ms` or `2.5 s`.
func written(seconds: Double) -> String {
    switch seconds {
    case ..<1: String(format: "%.1f ms", seconds * 1000)
    case ..<120: String(format: "%.1f s", seconds)
    default: String(format: "%.0f min", seconds / 60)
    }
}

/// Returns a size such as `9.0 MiB`.
func written(bytes: Int?) -> String {
    guard let bytes else { return "-" }
    return bytes < 1 << 20 ? "\(bytes / 1024) KiB" : String(format: "%.1f MiB", Double(bytes) / 1_048_576)
}

/// Returns a time, given in microseconds since 1970, in the local time zone.
func written(time microseconds: Int) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    return formatter.string(from: Date(timeIntervalSince1970: Double(microseconds) / 1e6))
}

/// Returns a time in universal time, as `pluginkit` writes it.
func written(universalTime microseconds: Int) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S +0000", &parts)
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Returns a time to the millisecond. It makes no formatter, since many lines call it.
func written(exactTime microseconds: Int) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
    let fraction = String(microseconds % 1_000_000 / 1000)
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) + "."
        + String(repeating: "0", count: 3 - fraction.count) + fraction
}

/// Returns the first part of each request's identifier, which `cancel` accepts, too.
func written(_ requests: [RequestIdentifier]) -> String {
    requests.isEmpty ? "-" : requests.map { String($0.description.prefix(8)) }.joined(separator: " ")
}
