// SwiftTemplate+Spotlight: the templates for the system's index.

extension SwiftTemplate {
    /// A Spotlight import extension.
    var importer: Parts {
        var parts = Parts(
            "an importer of texts, whose titles are their first lines",
            className: "ImportExtension", modules: ["CoreSpotlight", "ExtensionFoundation"],
            run: "exthostctl run . --file FILE.txt")
        parts.source = """
            // ImportExtension: reads the attributes of texts for the system's index.

            import CoreSpotlight

            final class ImportExtension: CSImportExtension {
                override func update(_ attributes: CSSearchableItemAttributeSet, forFileAt contentURL: URL) throws {
                    let text = try String(contentsOf: contentURL, encoding: .utf8)
                    attributes.title = text.split(separator: "\\n").first.map(String.init)
                    attributes.textContent = text
                }
            }

            """
        parts.test = "aTextIsFound"
        parts.session = """
                        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\\(UUID()).txt")
                        try Data("Shopping\\nCoffee and eggs".utf8).write(to: file)
                        defer { try? FileManager.default.removeItem(at: file) }
                        let spotlight = try SpotlightHost(host.application, store: nil)
                        let imported = try await spotlight.importFile(
                            at: file.path, by: "\(project.extensionIdentifier)")
                        #expect(imported.attributes["title"] == .string("Shopping"))
                        #expect(try await spotlight.search("coff").map(\\.identifier) == [file.path])
            """
        return parts
    }

    /// A Spotlight index extension.
    var index: Parts {
        var parts = Parts(
            "an index of three notes",
            className: "IndexRequestHandler", modules: ["CoreSpotlight", "ExtensionFoundation"],
            run: "exthostctl run . --search coffee")
        parts.source = """
            // IndexRequestHandler: indexes the notes of the app again when the system asks for them.

            import CoreSpotlight

            final class IndexRequestHandler: CSIndexExtensionRequestHandler {
                private static let notes = ["1": "Buy coffee", "2": "Call Zoë", "3": "Water the plants"]

                private static func items(_ identifiers: some Sequence<String>) -> [CSSearchableItem] {
                    identifiers.compactMap { identifier in
                        guard let title = notes[identifier] else { return nil }
                        let attributes = CSSearchableItemAttributeSet(itemContentType: "public.plain-text")
                        attributes.title = title
                        return CSSearchableItem(
                            uniqueIdentifier: identifier, domainIdentifier: "notes", attributeSet: attributes)
                    }
                }

                override func searchableIndex(
                    _ searchableIndex: CSSearchableIndex,
                    reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void
                ) {
                    searchableIndex.indexSearchableItems(Self.items(Self.notes.keys)) { error in
                        if let error { print("the notes are not indexed:", error) }
                        acknowledgementHandler()
                    }
                }

                override func searchableIndex(
                    _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
                    acknowledgementHandler: @escaping @Sendable () -> Void
                ) {
                    searchableIndex.indexSearchableItems(Self.items(identifiers)) { error in
                        if let error { print("the notes are not indexed:", error) }
                        acknowledgementHandler()
                    }
                }
            }

            """
        parts.test = "aNoteIsFound"
        parts.session = """
                        let spotlight = try SpotlightHost(host.application, store: nil)
                        try await spotlight.serve()
                        let report = try await spotlight.reindexAll("\(project.extensionIdentifier)")
                        #expect(report.ending == .acknowledged && report.effect.added == 3)
                        #expect(try await spotlight.search("coff").map(\\.identifier) == ["1"])
            """
        return parts
    }
}
