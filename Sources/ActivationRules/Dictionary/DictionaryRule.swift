// DictionaryRule: the dictionary form of a rule: counts of kinds of attachments (spec 3.2).

struct DictionaryRule: Sendable, Hashable {
    /// The version: with 1 every attachment must be of a supported class, with 2 one is enough.
    var version = 1
    var isStrict = false
    /// The minimum number of attachments of all items.
    var minimum = 1
    /// The maximum number of files, images and movies together; nil without the key.
    var maximum: Int?
    /// The maximum for each class, by the class's bit; 0 for an unsupported class.
    private var limits = InlineArray<7, Int>(repeating: 0)
    /// The same limits in a form that is compared at once.
    ///
    /// An unsupported class has no bound, because its attachments may also be in a supported class.
    private var bounds = SIMD8<Int32>(repeating: .max)
    private(set) var supported: AttachmentClasses = []
    let fileMeaning: FileMeaning

    init(fileMeaning: FileMeaning) { self.fileMeaning = fileMeaning }

    /// The maximum for a class (one bit); 0 if it is not supported.
    subscript(_ attachmentClass: AttachmentClasses) -> Int {
        get { limits[attachmentClass.rawValue.trailingZeroBitCount] }
        set {
            let bit = attachmentClass.rawValue.trailingZeroBitCount
            limits[bit] = newValue
            bounds[bit] = newValue > 0 ? Int32(clamping: newValue) : .max
            if newValue > 0 { supported.insert(attachmentClass) } else { supported.remove(attachmentClass) }
        }
    }

    /// Whether one attachment of a supported class is enough.
    var isFuzzy: Bool { version == 2 && !isStrict }

    func matches(_ table: AttachmentTable) -> Bool {
        guard table.classes.count >= minimum, !any(table.classCounts .> bounds) else { return false }
        if isFuzzy {
            if !table.kinds.contains(where: { !$0.isDisjoint(with: supported) }) { return false }
        } else {
            for own in table.kinds where own.isDisjoint(with: supported) { return false }
        }
        return maximum.map { table.countedTogether <= $0 } ?? true
    }
}

extension DictionaryRule {
    static func == (left: Self, right: Self) -> Bool {
        left.version == right.version && left.isStrict == right.isStrict && left.minimum == right.minimum
            && left.maximum == right.maximum && left.fileMeaning == right.fileMeaning
            && left.limits.indices.allSatisfy { left.limits[$0] == right.limits[$0] }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(minimum)
        for index in limits.indices { hasher.combine(limits[index]) }
    }
}

/// The keys of the dictionary form.
package enum ActivationKey {
    static let version = "NSExtensionActivationDictionaryVersion"
    static let strict = "NSExtensionActivationUsesStrictMatching"
    static let minimum = "NSExtensionActivationSupportsAttachmentsWithMinCount"
    static let maximum = "NSExtensionActivationSupportsAttachmentsWithMaxCount"
    static let file = "NSExtensionActivationSupportsFileWithMaxCount"
    static let image = "NSExtensionActivationSupportsImageWithMaxCount"
    static let movie = "NSExtensionActivationSupportsMovieWithMaxCount"
    static let text = "NSExtensionActivationSupportsText"
    static let webURL = "NSExtensionActivationSupportsWebURLWithMaxCount"
    static let webPage = "NSExtensionActivationSupportsWebPageWithMaxCount"

    package static let all = [version, strict, minimum, maximum, file, image, movie, text, webURL, webPage]

    /// Returns the classes with their names for people and their keys.
    static func classes(_ meaning: FileMeaning) -> [(attachmentClass: AttachmentClasses, name: String, key: String)] {
        [
            (.image, "image", image), (.movie, "movie", movie), (.webURL, "web URL", webURL),
            (.webPage, "web page", webPage),
            (.text, "text", text), (meaning.classes, "file", file),
        ]
    }
}
