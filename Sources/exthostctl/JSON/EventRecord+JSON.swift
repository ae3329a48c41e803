// EventRecord+JSON: a reader of events from their lines of JSON.

import ExtensionProtocol
import Foundation

extension EventRecord {
    /// - Parameter line: a line of `watch --json`. Unknown members are ignored: a later version may print more.
    /// - Throws: `CommandError.usage` with the reason.
    init(line: some StringProtocol) throws(CommandError) {
        func wrong(_ what: String) -> CommandError {
            .usage(
                "not an event: \(what): \(line.prefix(80))",
                remedy: "Write the log with exthostctl watch --since 0 --json")
        }
        guard let members = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] else {
            throw wrong("the line is not a JSON object")
        }
        func number(_ name: String) throws(CommandError) -> Double? {
            guard let value = members[name] else { return nil }
            guard let number = (value as? NSNumber)?.doubleValue, abs(number) < 9e15 else {
                throw wrong("\(name) is not a number")
            }
            return number
        }
        guard let sequence = try number("seq"), let time = try number("time"), abs(time) < 9e9,
            let event = members["event"] as? String
        else { throw wrong("seq, time and event are required") }
        self.init(
            sequence: Int(sequence), time: Int((time * 1e6).rounded()), event: .busLost,
            extensionIdentifier: members["extension"] as? String,
            host: members["host"] as? String, pid: try number("pid").map { Int($0) }, from: members["from"] as? String,
            to: members["to"] as? String, detail: members["detail"] as? String)
        self.event = event
        if let text = members["request"] {
            guard let text = text as? String, let identifier = RequestIdentifier(text) else {
                throw wrong("request is not an identifier")
            }
            request = identifier
        }
        if let text = members["cause"] as? String { cause = Cause(rawValue: text) ?? .unrecognized }
    }
}
