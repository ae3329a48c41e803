// DoctorFinding: what one check found, for people and for scripts.

import ExtensionHostTesting

struct DoctorFinding: Sendable {
    enum Status: String, Sendable, CaseIterable { case ok, warning, problem }

    let check: DoctorCheck
    let status: Status
    /// What was found, in one line.
    let found: String
    /// What to do about it; nil where there is nothing to do.
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

    /// A line; below it, where something is to be done, why and what.
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
