// DoctorFinding: the result of one check, for people and for scripts.

import ExtensionHostTesting

struct DoctorFinding: Sendable {
    enum Status: String, Sendable, CaseIterable { case ok, warning, problem }

    let check: DoctorCheck
    let status: Status
    /// The result in one line.
    let found: String
    /// The remedy; nil if none is needed.
    let remedy: String?

    static func ok(_ check: DoctorCheck, _ found: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .ok, found: found, remedy: nil)
    }

    static func warning(_ check: DoctorCheck, _ found: String, remedy: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .warning, found: found, remedy: remedy)
    }

    static func problem(_ check: DoctorCheck, _ found: String, remedy: String) -> DoctorFinding {
        DoctorFinding(check: check, status: .problem, found: found, remedy: remedy)
    }

    var json: JSON {
        [
            "code": .string(check.rawValue), "status": .string(status.rawValue), "found": .string(found),
            "why": .string(check.why),
            "remedy": .optional(remedy),
        ]
    }

    /// Returns a line, and below it the reason and the remedy if there is one.
    func text(checkWidth: Int) -> String {
        let mark =
            switch status {
            case .ok: Colour.green("ok     ")
            case .warning: Colour.yellow("warning")
            case .problem: Colour.red("problem")
            }
        let name = check.rawValue + String(repeating: " ", count: max(0, checkWidth - check.rawValue.count))
        var text = "\(mark)  \(name)  \(printable(found))\n"
        if let remedy {
            let margin = String(repeating: " ", count: 7 + 2 + checkWidth + 2)
            text += "\(margin)Why: \(check.why)\n\(margin)Remedy: \(printable(remedy))\n"
        }
        return text
    }
}
