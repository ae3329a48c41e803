// RuleRecords: a rule's answer as JSON (interface, "JSON shapes") and as lines.

import ActivationRules

extension RuleExplanation {
    func json(_ warnings: [RuleWarning]) -> JSON {
        [
            "matches": .boolean(matches), "form": .string(form.rawValue), "clauses": .array(clauses.map(\.json)),
            "error": .null,
            "nearMiss": .optional(nearMiss), "warnings": .array(warnings.map(\.json)),
        ]
    }
}

extension RuleExplanation.Clause {
    var json: JSON { ["clause": .string(clause), "result": .boolean(result), "detail": .string(detail)] }
}

extension RuleError {
    func json(form: ActivationRule.Form) -> JSON {
        [
            "matches": .boolean(false), "form": .string(form.rawValue), "clauses": .array([]),
            "error": [
                "message": .string(message), "line": .integer(line), "column": .integer(column), "hint": .string(hint),
            ],
        ]
    }
}

extension RuleWarning {
    var json: JSON {
        [
            "severity": .string(severity.rawValue), "code": .string(code.rawValue), "key": .optional(key),
            "line": .optional(line),
            "column": .optional(column), "message": .string(message), "remedy": .string(remedy),
        ]
    }

    /// The warning as a line: `warning urlMatchesFiles at line 2, column 3: …`
    var written: String {
        let place = line.map { " at line \($0), column \(column ?? 1)" } ?? ""
        return "\(severity.rawValue) \(code.rawValue)\(place): \(message). \(remedy)"
    }
}
