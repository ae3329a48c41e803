// LoadMatrixTests: every form of a load × every kind of representation × every class asked for, here and through the
// wire.

import ExtensionItems
import Foundation
import Testing

/// What a provider was made with.
enum StoredKind: String, Sendable, CaseIterable {
    case text, url, fileURL, data, largeData, attributedText, dictionary, array, number
    case dataHandler, itemHandler, fileHandler, contentsOfFile, object
}

/// What is asked.
enum AskedForm: String, Sendable, CaseIterable {
    case item, url, data, string, attributedString, dictionary, array, image, wrapper
    case dataRepresentation, fileRepresentation, inPlace, stringObject, urlObject
}

/// How the type is asked for: as it was registered, as one that it conforms to, as one that it is not.
enum AskedType: String, Sendable, CaseIterable { case same, above, another }

/// Which of the two ways to call: waiting for the answer, or with a completion handler.
enum CallStyle: String, Sendable, CaseIterable { case waiting, handler }

/// Where the provider is asked.
enum Distance: String, Sendable, CaseIterable { case here, acrossTheWire }

struct LoadMatrixTests {
    private static let bytes = Data("file bytes".utf8)
    private static let large = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    /// The type under which it is registered and asked for.
    private func type(of kind: StoredKind) -> String {
        switch kind {
        case .text, .attributedText, .object: "public.utf8-plain-text"
        case .url: "public.url"
        case .fileURL: "public.file-url"
        case .dictionary, .array: "com.apple.property-list"
        default: "public.data"
        }
    }

    private func provider(_ kind: StoredKind, _ file: URL) throws -> NSItemProvider {
        let type = type(of: kind)
        func present(_ value: any NSSecureCoding) -> NSItemProvider {
            NSItemProvider(item: value, typeIdentifier: type)
        }
        let provider = NSItemProvider()
        switch kind {
        case .text: return present("words" as NSString)
        case .url: return present(NSURL(string: "https://example.org/x") ?? NSURL(fileURLWithPath: "/"))
        case .fileURL: return present(file as NSURL)
        case .data: return present(NSData(data: Self.bytes))
        case .largeData: return present(NSData(data: Self.large))
        case .attributedText: return present(NSAttributedString(string: "words"))
        case .dictionary: return present(["a": 1] as NSDictionary)
        case .array: return present([1, 2] as NSArray)
        case .number: return present(NSNumber(value: 4))
        case .contentsOfFile: return try #require(NSItemProvider(contentsOf: file))
        case .object: return NSItemProvider(object: "words" as NSString)
        case .dataHandler:
            provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { answer in
                answer(Self.bytes, nil)
                return nil
            }
        case .itemHandler:
            provider.registerItem(forTypeIdentifier: type) { answer, _, _ in answer?("words" as NSString, nil) }
        case .fileHandler:
            provider.registerFileRepresentation(forTypeIdentifier: type, fileOptions: .openInPlace, visibility: .all) {
                answer in
                answer(file, false, nil)
                return nil
            }
        }
        return provider
    }

    private func asked(_ kind: StoredKind, _ type: AskedType) -> String {
        switch type {
        case .same: self.type(of: kind)
        case .above: "public.item"
        case .another: "public.movie"
        }
    }

    /// What comes, as a short text; an error as its number.
    private func outcome(
        _ kind: StoredKind, _ form: AskedForm, _ asked: AskedType, _ style: CallStyle, _ distance: Distance, _ file: URL
    ) async throws -> String {
        var provider = try provider(kind, file)
        let table = ProviderTable()
        if distance == .acrossTheWire {
            let item = NSExtensionItem()
            item.attachments = [provider]
            provider = try #require(try sent([item], table: table).first?.attachments?.first)
        }
        let type = self.asked(kind, asked)
        return switch style {
        case .waiting: try await waiting(provider, form, type, file)
        case .handler: await handled(provider, form, type, file)
        }
    }

    /// The forms with a completion handler.
    private func handled(_ provider: NSItemProvider, _ form: AskedForm, _ type: String, _ file: URL) async -> String {
        await withCheckedContinuation { continuation in
            @Sendable func end(_ value: Any?, _ error: (any Error)?, _ before: String = "") {
                continuation.resume(returning: error.map { "\(($0 as NSError).code)" } ?? before + text(value, file))
            }
            func typed<T>(_ wanted: T.Type, _ part: @escaping @Sendable (T) -> Any? = { $0 }, _ before: String = "") {
                provider.loadItem(forTypeIdentifier: type, as: wanted) { value, error in
                    end(value.flatMap(part), error, before)
                }
            }
            switch form {
            case .item: provider.loadItem(forTypeIdentifier: type) { end($0, $1) }
            case .url: typed(URL.self)
            case .data: typed(Data.self)
            case .string: typed(String.self)
            case .attributedString: typed(NSAttributedString.self)
            case .dictionary: typed([String: Any].self)
            case .array: typed([Any].self)
            case .image: typed(ItemImage.self, { $0.data }, "image of ")
            case .wrapper: typed(FileWrapper.self, { $0.regularFileContents }, "wrapper of ")
            case .dataRepresentation: provider.loadDataRepresentation(forTypeIdentifier: type) { end($0, $1) }
            case .fileRepresentation:
                provider.loadFileRepresentation(forTypeIdentifier: type) { url, error in
                    end(url.flatMap { try? Data(contentsOf: $0) }, error, "file of ")
                }
            case .inPlace:
                provider.loadInPlaceFileRepresentation(forTypeIdentifier: type) { url, isInPlace, error in
                    end(url.flatMap { try? Data(contentsOf: $0) }, error, isInPlace ? "the file of " : "file of ")
                }
            case .stringObject: provider.loadObject(ofClass: NSString.self) { end($0, $1) }
            case .urlObject: provider.loadObject(ofClass: NSURL.self) { end($0, $1) }
            }
        }
    }

    private func waiting(_ provider: NSItemProvider, _ form: AskedForm, _ type: String, _ file: URL) async throws
        -> String
    {
        func typed<T>(_ wanted: T.Type) async throws -> T {
            try await provider.loadItem(forTypeIdentifier: type, as: wanted)
        }
        do {
            switch form {
            case .item: return text(try await provider.loadItem(forTypeIdentifier: type), file)
            case .url: return text(try await typed(URL.self), file)
            case .data: return text(try await typed(Data.self), file)
            case .string: return text(try await typed(String.self), file)
            case .attributedString: return text(try await typed(NSAttributedString.self), file)
            case .dictionary: return text(try await typed([String: Any].self), file)
            case .array: return text(try await typed([Any].self), file)
            case .image: return "image of " + text(try await typed(ItemImage.self).data, file)
            case .wrapper: return "wrapper of " + text(try await typed(FileWrapper.self).regularFileContents, file)
            case .dataRepresentation:
                return text(try await provider.loadDataRepresentation(forTypeIdentifier: type), file)
            case .fileRepresentation:
                return try await provider.loadFileRepresentation(forTypeIdentifier: type) { url in
                    #expect(url != file)
                    return "file of " + text(try Data(contentsOf: url), file)
                }
            case .inPlace:
                let lease = try await provider.loadInPlaceFileRepresentation(forTypeIdentifier: type)
                defer { lease.close() }
                #expect(lease.isInPlace == (lease.url == file))
                return (lease.isInPlace ? "the file of " : "file of ") + text(try Data(contentsOf: lease.url), file)
            case .stringObject: return text(try await provider.loadObject(ofClass: NSString.self), file)
            case .urlObject: return text(try await provider.loadObject(ofClass: NSURL.self), file)
            }
        } catch {
            return "\((error as NSError).code)"
        }
    }

    private func text(_ value: Any?, _ file: URL) -> String {
        switch value {
        case let url as URL: return url == file ? "file URL" : url.absoluteString
        case let text as NSAttributedString: return "attributed " + text.string
        case let text as String: return text.hasSuffix(file.lastPathComponent) ? "text of file URL" : text
        case let data as Data where data == Self.large: return "large"
        case let data as Data where data.starts(with: Data("bplist00".utf8)): return "plist"
        case let data as Data: return text(String(decoding: data, as: UTF8.self), file) + " bytes"
        case let value?:
            return
                "\(Swift.type(of: value) is NSDictionary.Type || value is [String: Any] ? "dictionary" : value is [Any] ? "array" : "\(value)")"
        case nil: return "nothing"
        }
    }

    // What comes for each form, in the order of `AskedForm`; `same` repeats what `item` gave.
    private static let expected: [StoredKind: [String]] = [
        .text: [
            "words", "-1200", "words bytes", "words", "-1200", "-1200", "-1200", "-1200", "-1200", "words bytes",
            "file of words bytes", "file of words bytes", "words", "-1000",
        ],
        .url: [
            "https://example.org/x", "https://example.org/x", "-1200", "https://example.org/x", "-1200", "-1200",
            "-1200",
            "-1200", "-1200", "https://example.org/x bytes", "file of https://example.org/x bytes",
            "file of https://example.org/x bytes", "https://example.org/x", "https://example.org/x",
        ],
        .fileURL: [
            "file URL", "file URL", "file bytes bytes", "text of file URL", "-1200", "-1200", "-1200",
            "image of file bytes bytes", "wrapper of file bytes bytes", "text of file URL bytes",
            "file of file bytes bytes",
            "file of file bytes bytes", "text of file URL", "file URL",
        ],
        .data: [
            "file bytes bytes", "-1200", "file bytes bytes", "file bytes", "-1200", "-1200", "-1200",
            "image of file bytes bytes",
            "-1200", "file bytes bytes", "file of file bytes bytes", "file of file bytes bytes", "-1000", "-1000",
        ],
        .largeData: [
            "large", "-1200", "large", "-1200", "-1200", "-1200", "-1200", "image of large", "-1200", "large",
            "file of large",
            "file of large", "-1000", "-1000",
        ],
        .attributedText: [
            "attributed words", "-1200", "-1200", "words", "attributed words", "-1200", "-1200", "-1200", "-1200",
            "-1200",
            "-1200", "-1200", "-1200", "-1000",
        ],
        .dictionary: [
            "dictionary", "-1200", "plist", "-1200", "-1200", "dictionary", "-1200", "-1200", "-1200", "plist",
            "file of plist",
            "file of plist", "-1000", "-1000",
        ],
        .array: [
            "array", "-1200", "plist", "-1200", "-1200", "-1200", "array", "-1200", "-1200", "plist", "file of plist",
            "file of plist", "-1000", "-1000",
        ],
        .number: [
            "4", "-1200", "-1200", "-1200", "-1200", "-1200", "-1200", "-1200", "-1200", "-1200", "-1200", "-1200",
            "-1000",
            "-1000",
        ],
        .dataHandler: [
            "file bytes bytes", "-1200", "file bytes bytes", "file bytes", "-1200", "-1200", "-1200",
            "image of file bytes bytes",
            "-1200", "file bytes bytes", "file of file bytes bytes", "file of file bytes bytes", "-1000", "-1000",
        ],
        .itemHandler: [
            "words", "-1100", "words bytes", "words", "-1100", "-1100", "-1100", "-1100", "-1100", "words bytes",
            "file of words bytes", "file of words bytes", "-1000", "-1000",
        ],
        .fileHandler: [
            "file URL", "file URL", "file bytes bytes", "text of file URL", "-1200", "-1200", "-1200",
            "image of file bytes bytes", "wrapper of file bytes bytes", "file bytes bytes", "file of file bytes bytes",
            "the file of file bytes bytes", "-1000", "-1000",
        ],
        .contentsOfFile: [
            "file URL", "file URL", "file bytes bytes", "text of file URL", "-1200", "-1200", "-1200",
            "image of file bytes bytes", "wrapper of file bytes bytes", "file bytes bytes", "file of file bytes bytes",
            "file of file bytes bytes", "text of file URL", "file URL",
        ],
        .object: [
            "words bytes", "-1200", "words bytes", "words", "-1200", "-1200", "-1200", "image of words bytes", "-1200",
            "words bytes", "file of words bytes", "file of words bytes", "words", "-1000",
        ],
    ]

    // spec: P-063, P-068, P-070, P-071, P-072, P-080, P-081, B2, B3, B4, B5, P-089
    @Test(arguments: StoredKind.allCases, Distance.allCases)
    func everyFormGivesWhatItsKindHasOrItsError(kind: StoredKind, distance: Distance) async throws {
        #expect(Self.expected.count == StoredKind.allCases.count)
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("original.bin")
            try Self.bytes.write(to: file)
            let row = try #require(Self.expected[kind])
            try #require(row.count == AskedForm.allCases.count)
            for (form, value) in zip(AskedForm.allCases, row) {
                for asked in AskedType.allCases {
                    // Objects know their types themselves; of another type there is nothing, in whatever form.
                    let isObject = form == .stringObject || form == .urlObject
                    let expected = asked == .another && !isObject ? "-1000" : value
                    for style in CallStyle.allCases {
                        let found = try await outcome(kind, form, asked, style, distance, file)
                        #expect(found == expected, "\(kind) as \(form), \(asked) type, \(style), \(distance)")
                    }
                }
            }
        }
    }
}

/// A folder for one test, gone with it.
func withItemDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("items-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory)
}
