// InterfaceValues: the values that an element of Interface Builder sets on its object.

import PropertyListCoding

enum InterfaceValues {
    /// Attributes that are texts.
    private static let texts = [
        "text", "title", "placeholder", "image", "reuseIdentifier", "style", "axis", "distribution", "alignment",
        "systemItem",
        "headerTitle", "footerTitle", "prompt", "storyboardIdentifier", "restorationIdentifier", "buttonType",
        "placeholderIdentifier",
        "nibName", "contentMode", "keyboardType", "textAlignment", "identifier", "firstItem", "firstAttribute",
        "relation", "secondItem", "secondAttribute", "scrollDirection", "textLabel", "detailTextLabel", "imageView",
    ]
    /// Attributes that are `YES` or `NO`.
    private static let flags = [
        "hidden", "enabled", "selected", "on", "animating", "userInteractionEnabled", "editable", "selectable",
        "secureTextEntry",
        "clipsSubviews", "opaque", "hidesWhenStopped", "navigationBarHidden",
    ]
    /// Attributes that are numbers.
    private static let numbers = [
        "tag", "alpha", "spacing", "value", "minValue", "maxValue", "numberOfLines", "rowHeight", "progress",
        "priority", "constant", "minimumLineSpacing", "minimumInteritemSpacing",
    ]

    static func read(_ element: XMLElement) -> PropertyListDictionary {
        var values = PropertyListDictionary()
        for name in texts { if let text = element[name] { values[name] = .string(text) } }
        for name in flags { if let text = element[name] { values[name] = .boolean(text == "YES") } }
        for name in numbers {
            if let number = element[name].flatMap(Double.init), number.isFinite { values[name] = .real(number) }
        }
        // The system's standard distance between neighbours is 8 points.
        if element["constant"] == "standard" { values["constant"] = .real(8) }
        if let ratio = element["multiplier"].flatMap(Self.ratio) { values["multiplier"] = .real(ratio) }
        for child in element.children {
            switch (child.name, child["key"]) {
            case ("viewLayoutGuide", "safeArea"): if let guide = child["id"] { values["safeArea"] = .string(guide) }
            case ("rect", "frame"): values["frame"] = rectangle(child)
            case ("size", let key?): values[key] = .array(["width", "height"].map { .real(number(child, $0)) })
            // Longer texts are in an element of their own.
            case ("string", let key?), ("mutableString", let key?): values[key] = .string(child.text)
            case ("attributedString", "attributedText"), ("attributedString", "attributedTitle"):
                let text = child.children.filter { $0.name == "fragment" }.map {
                    $0["content"] ?? $0.child("string")?.text ?? ""
                }
                .joined()
                values[child["key"] == "attributedText" ? "text" : "title"] = .string(text)
            case ("state", let key?):
                for name in ["title", "image"] {
                    if let text = child[name]
                        ?? child.children.first(where: { $0.name == "string" && $0["key"] == name })?.text
                    {
                        values["\(name).\(key)"] = .string(text)
                    }
                }
            case ("buttonConfiguration", "configuration"):
                let title =
                    child["title"]
                    ?? child.children.first { $0.name == "attributedString" && $0["key"] == "attributedTitle" }
                    .map { $0.children.map { $0["content"] ?? "" }.joined() }
                if let title { values["title.normal"] = .string(title) }
            case ("accessibility", "accessibilityConfiguration"):
                if let text = child["identifier"] { values["accessibilityIdentifier"] = .string(text) }
                if let text = child["label"] { values["accessibilityLabel"] = .string(text) }
            case ("segments", _): values["segments"] = .array(child.children.map { .string($0["title"] ?? "") })
            default: continue
            }
        }
        return values
    }

    /// Parses `0.5` or `16:9`; nil if it is no number.
    private static func ratio(_ text: String) -> Double? {
        let parts = text.split(separator: ":").map { Double($0) ?? .nan }
        guard let first = parts.first, parts.count <= 2 else { return nil }
        let ratio = parts.count == 2 ? first / parts[1] : first
        return ratio.isFinite ? ratio : nil
    }

    private static func rectangle(_ element: XMLElement) -> PropertyList {
        .array(["x", "y", "width", "height"].map { .real(number(element, $0)) })
    }

    private static func number(_ element: XMLElement, _ name: String) -> Double {
        element[name].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil } ?? 0
    }

    /// Returns a value that is set by its key when the object is made.
    ///
    /// Nil for kinds that are not read, such as colors and points.
    static func attribute(_ element: XMLElement) -> PropertyList? {
        guard element.name == "userDefinedRuntimeAttribute", let path = element["keyPath"] else { return nil }
        func inner(_ name: String) -> String? { element.child(name)?["value"] ?? element["value"] }
        let value: PropertyList? =
            switch element["type"] {
            case "boolean": .boolean(inner("boolean") == "YES")
            case "number":
                element.child("integer")?["value"].flatMap(Int64.init).map(PropertyList.integer)
                    ?? inner("real").flatMap(Double.init).map(PropertyList.real)
            case "string", "localizedString": .string(element["value"] ?? element.child("string")?.text ?? "")
            default: nil
            }
        return value.map { ["path": .string(path), "value": $0] }
    }
}
