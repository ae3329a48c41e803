// ReportContent: an author's values of a report as bytes of JSON.

import Foundation
import PointMessages

enum ReportContent {
    /// The reason why values cannot be sent.
    enum Fault: Error, CustomStringConvertible {
        case noJSON(path: String, type: String)
        case tooDeep
        case tooLarge(String)

        var description: String {
            switch self {
            case .noJSON(let path, let type): "a \(type) at \(path), which is no value of JSON"
            case .tooDeep: "a userInfo of more than \(ReportContent.deepest) levels"
            case .tooLarge(let property): "a \(property) of more than \(ClassifyCommunications.largestContent) bytes"
            }
        }
    }

    /// The levels that values may have (ours).
    static let deepest = 32

    /// Returns the JSON of a dictionary.
    ///
    /// - Throws: `Fault`.
    static func bytes(_ values: [String: Any]) throws -> [UInt8] {
        let object = try checked(values, "userInfo", 1)
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
        guard data.count <= ClassifyCommunications.largestContent else { throw Fault.tooLarge("userInfo") }
        return Array(data)
    }

    /// Returns a value of types that `JSONSerialization` takes on every system.
    private static func checked(_ value: Any, _ path: String, _ level: Int) throws -> Any {
        guard level <= deepest else { throw Fault.tooDeep }
        switch value {
        // A dictionary of AnyHashable has its values in boxes. A number fits its box, too, so this case is first.
        case let box as AnyHashable where type(of: value) == AnyHashable.self:
            return try checked(box.base, path, level)
        case let text as String: return text
        case let flag as Bool where type(of: value) == Bool.self: return flag
        case let number as CGFloat where type(of: value) == CGFloat.self: return try checked(Double(number), path, level)
        case let number as NSNumber:
            guard number.doubleValue.isFinite else { throw Fault.noJSON(path: path, type: "number that is not finite") }
            return number
        case is NSNull: return value
        case let values as [String: Any]:
            return try Dictionary(
                uniqueKeysWithValues: values.map { ($0, try checked($1, "\(path).\($0)", level + 1)) })
        case let values as [Any]:
            return try values.enumerated().map { try checked($1, "\(path).\($0)", level + 1) }
        default:
            let mirror = Mirror(reflecting: value)
            if mirror.displayStyle == .optional {
                guard let wrapped = mirror.children.first?.value else { return NSNull() }
                return try checked(wrapped, path, level)
            }
            throw Fault.noJSON(path: path, type: "\(type(of: value))")
        }
    }
}
