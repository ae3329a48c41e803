// predicate: any text as an activation rule: read, or refused with its place; written and read again the same; asked
// and explained.

import ActivationRules
import PropertyListCoding

/// What rules are asked about; the first byte of an input chooses one.
private let subjects: [RuleSubject] = {
    let values: [PropertyList] = [
        [:],
        ["extensionItems": []],
        ["extensionItems": [["attachments": [["registeredTypeIdentifiers": ["public.url"]]]]]],
        [
            "extensionItems": [
                [
                    "attachments": [
                        ["registeredTypeIdentifiers": ["public.jpeg", "public.file-url"]],
                        ["registeredTypeIdentifiers": ["org.example.own", "PUBLIC.TEXT"]],
                        ["registeredTypeIdentifiers": []], [:],
                    ]
                ], ["attachments": []], [:], 1,
            ]
        ],
        [
            "a": ["a", "ä", "B", 1, 1.5, true, ["a"], ["b": "c"], .date(1), .data([1])], "b": ["b": ["b": "x"]],
            "n": -1,
            "s": "Größe",
            "p": "(a|b)*c", "fileproviderItems": [["typeIdentifier": "public.png", "size": 9]], "r": .real(1e300),
        ],
    ]
    return values.map { value in
        do { return try RuleSubject(value) } catch { finding("no subject: \(error)") }
    }
}()

private let work = 20_000

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let choice = input.byte()
    let bytes = input.all()
    file(bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    let rule: ActivationRule
    do {
        rule = try ActivationRule(predicate: text)
    } catch {
        checkText(of: error)
        must(!error.hint.isEmpty && !error.message.isEmpty, "an error without a remedy")
        let lines = text.unicodeScalars.count { $0 == "\n" || $0 == "\r" } + 1
        must(error.line >= 1 && error.line <= lines, "line \(error.line) of \(lines)")
        must(error.column >= 1 && error.column <= text.unicodeScalars.count + 1, "column \(error.column)")
        return 0
    }
    guard let written = rule.predicateText else { finding("a predicate without a text") }
    // Written out it may be longer than what is read: spaces around operators.
    guard written.utf8.count <= PredicateBounds.bytes else { return 0 }
    let again: ActivationRule
    do { again = try ActivationRule(predicate: written) } catch { finding("what was written is refused: \(error)") }
    must(again.predicateText == written, "written again it is another text")
    for warning in rule.warnings(for: choice & 1 == 0 ? .extensionItems : .fileproviderItems) {
        must(
            !warning.message.isEmpty && !warning.remedy.isEmpty && warning.line != nil,
            "a warning without a remedy or a place")
    }
    let subject = subjects[Int(choice) % subjects.count]
    let own = answer(rule, subject)
    let its = answer(again, subject)
    // One of them may need a little more than the work allowed.
    if let own, let its { must(own == its, "two answers") }
    if let explanation = try? rule.explain(subject, work: work), let own {
        must(explanation.matches == own, "the explanation has another answer")
        must(explanation.clauses.first?.result == own, "the first clause has another answer")
        must(!explanation.text.isEmpty, "no text")
    }
    return 0
}

private func answer(_ rule: ActivationRule, _ subject: RuleSubject) -> Bool? {
    do {
        return try rule.matches(subject, work: work)
    } catch {
        checkText(of: error)
        return nil
    }
}

/// As a rule file, which may be a property list.
private func file(_ bytes: [UInt8]) {
    do {
        let rule = try ActivationRule(file: bytes)
        _ = rule.warnings()
        _ = rule.asksForWebPage
        for subject in subjects { _ = try? rule.matches(subject, work: work) }
        for subject in subjects.prefix(4) { _ = try? rule.explain(subject, work: work) }
    } catch {
        checkText(of: error)
    }
}
