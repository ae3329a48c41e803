// NoteIndex: a Spotlight index extension that indexes the notes of its app again.

import CoreSpotlight

/// Indexes the notes in batches. A batch is in the index with its client state, or not at all, so the work goes on
/// after the last whole batch if the process has ended in the middle.
final class NoteIndex: CSIndexExtensionRequestHandler {
    /// A real extension reads them from the container of an app group.
    private static let notes = [
        (id: "1", folder: "home", title: "Shopping list", text: "Coffee, olive oil and a dozen eggs."),
        (id: "2", folder: "home.garden", title: "Seeds for spring", text: "Tomatoes first, then basil."),
        (id: "3", folder: "work", title: "Café with Zoë", text: "Talk about the release on Thursday."),
        (id: "4", folder: "work", title: "Release notes", text: "The index finds words by their beginnings."),
        (id: "5", folder: "home", title: "Coffee roasters", text: "The small one at the harbour."),
    ]

    private static let batchSize = 2

    private static func item(_ place: Int) -> CSSearchableItem {
        let note = notes[place]
        let attributes = CSSearchableItemAttributeSet(itemContentType: "public.plain-text")
        attributes.title = note.title
        attributes.contentDescription = note.text
        attributes.textContent = note.text
        return CSSearchableItem(uniqueIdentifier: note.id, domainIdentifier: note.folder, attributeSet: attributes)
    }

    override func searchableIndex(
        _ searchableIndex: CSSearchableIndex,
        reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void
    ) {
        Task {
            do {
                try await NoteIndex.indexAll()
            } catch {
                print("the notes are not indexed:", error)
            }
            acknowledgementHandler()
        }
    }

    private static func indexAll() async throws {
        // Batches need an index with a name.
        let index = CSSearchableIndex(name: "notes")
        // The state is the number of notes in the index. After the last note all begins again.
        var done = Int(String(decoding: try await index.fetchLastClientState(), as: UTF8.self)) ?? 0
        if done >= notes.count { done = 0 }
        while done < notes.count {
            let end = min(done + batchSize, notes.count)
            index.beginBatch()
            try await index.indexSearchableItems((done..<end).map { item($0) })
            try await index.endBatch(withClientState: Data(String(end).utf8))
            done = end
        }
    }

    override func searchableIndex(
        _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
        acknowledgementHandler: @escaping @Sendable () -> Void
    ) {
        let places = Self.notes.indices.filter { identifiers.contains(Self.notes[$0].id) }
        searchableIndex.indexSearchableItems(places.map { Self.item($0) })
        // Notes that are gone must not be found any more.
        let known = Set(Self.notes.map(\.id))
        searchableIndex.deleteSearchableItems(withIdentifiers: identifiers.filter { !known.contains($0) }) { error in
            if let error { print("notes that are gone stay in the index:", error) }
            acknowledgementHandler()
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
