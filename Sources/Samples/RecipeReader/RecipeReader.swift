// RecipeReader: a Spotlight import extension that reads the title and the ingredients of a recipe.

import CoreSpotlight

/// A recipe is a text. Its first line is the title, and lines that begin with a hyphen are its ingredients.
final class RecipeReader: CSImportExtension {
    private enum Fault: Error { case noTitle }

    override func update(_ attributes: CSSearchableItemAttributeSet, forFileAt contentURL: URL) throws {
        let text = try String(contentsOf: contentURL, encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        guard let title = lines.first, !title.isEmpty else { throw Fault.noTitle }
        attributes.title = title
        attributes.keywords = lines.filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
        attributes.textContent = text
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
