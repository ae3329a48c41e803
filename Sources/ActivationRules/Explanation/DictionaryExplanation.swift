// DictionaryExplanation: the explanation of a dictionary rule's result.

extension DictionaryRule {
    func explain(_ subject: RuleSubject, in explanation: inout RuleExplanation) {
        let table = subject.table
        let classes = table.classes
        let names = AttachmentNames(subject.attachments)
        let isDefault = minimum == 1
        explanation.add(
            "\(ActivationKey.minimum) = \(minimum)\(isDefault ? " (the default)" : "")", classes.count >= minimum,
            Self.counted(classes.count, "attachment"))
        if let maximum {
            let together = table.countedTogether
            explanation.add(
                "\(ActivationKey.maximum) = \(maximum)", together <= maximum,
                "\(together) files, images and movies together")
        }
        for (attachmentClass, name, key) in ActivationKey.classes(fileMeaning) where supported.contains(attachmentClass)
        {
            let count = table.count(of: attachmentClass)
            let isText = attachmentClass == .text
            explanation.add(
                "\(key) = \(isText ? "true" : "\(self[attachmentClass])")", count <= self[attachmentClass],
                Self.counted(count, "\(name) attachment"))
        }
        let unmatched = classes.filter { $0.isDisjoint(with: supported) }.count
        let matched = classes.count - unmatched
        if isFuzzy {
            explanation.add(
                "version 2: at least one attachment is supported", matched > 0, "\(matched) of \(classes.count) are")
        } else {
            explanation.add(
                "\(version == 2 ? "strict matching" : "version 1"): every attachment is supported", unmatched == 0,
                "\(matched) of \(classes.count) are")
        }
        for (index, own) in classes.enumerated() {
            let isMatched = !own.isDisjoint(with: supported)
            let kinds = ActivationKey.classes(fileMeaning).filter { own.contains($0.attachmentClass) }
            let what = kinds.isEmpty ? "no kind of a rule" : kinds.map(\.name).joined(separator: ", ")
            explanation.add(
                names.name(index), isMatched, isMatched || kinds.isEmpty ? what : "\(what): not supported by the rule",
                level: 1)
        }
    }

    private static func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}
