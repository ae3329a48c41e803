// ObjectTests: classes that read and write themselves, and the members with UTType.

import ExtensionItems
import Foundation
import Locks
import Testing
import UniformTypeIdentifiers

/// An author's own class: two types, one of them for this process alone.
private final class Point: NSObject, NSItemProviderReading, NSItemProviderWriting, Sendable {
    let x: Int
    init(_ x: Int) { self.x = x }

    static let readableTypeIdentifiersForItemProvider = ["org.example.point", "public.plain-text"]
    static let writableTypeIdentifiersForItemProvider = ["org.example.point", "org.example.secret"]

    func itemProviderVisibilityForRepresentation(withTypeIdentifier type: String)
        -> NSItemProviderRepresentationVisibility?
    {
        type == "org.example.secret" ? .ownProcess : nil
    }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Point {
        guard let x = Int(String(decoding: data, as: UTF8.self)) else { throw CocoaError(.coderInvalidValue) }
        return Point(x)
    }

    func loadData(
        withTypeIdentifier type: String,
        forItemProviderCompletionHandler completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completion(Data("\(x)".utf8), nil)
        return nil
    }
}

@Suite struct ObjectTests {
    private func far(_ provider: NSItemProvider) throws -> NSItemProvider {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return try #require(try sent([item], table: ProviderTable()).first?.attachments?.first)
    }

    // spec: P-081, P-074, B8
    @Test func anAuthorsClassCrossesAsTheTypesThatOthersMaySee() async throws {
        let provider = NSItemProvider(object: Point(7))
        #expect(provider.registeredTypeIdentifiers == ["org.example.point", "org.example.secret"])
        let remote = try far(provider)
        #expect(remote.registeredTypeIdentifiers == ["org.example.point"])
        for provider in [provider, remote] {
            #expect(provider.canLoadObject(ofClass: Point.self) && !provider.canLoadObject(ofClass: NSString.self))
            #expect(try await provider.loadObject(ofClass: Point.self).x == 7)
        }
        await #expect { try await remote.loadObject(ofClass: NSURL.self) } throws: { code(of: $0) == -1000 }
    }

    // spec: P-081
    @Test func bytesThatAreNoObjectGiveTheErrorOfItsClass() async {
        let provider = NSItemProvider(item: "seven" as NSString, typeIdentifier: "public.plain-text")
        await #expect { try await provider.loadObject(ofClass: Point.self) } throws: {
            ($0 as? CocoaError)?.code == .coderInvalidValue
        }
    }

    // spec: P-081
    @Test func anObjectIsMadeOnlyWhenItIsAskedFor() async throws {
        let count = Atomic(0)
        let provider = NSItemProvider()
        provider.registerObject(ofClass: Point.self, visibility: .all) { completion in
            count.add(1, ordering: .relaxed)
            completion(Point(3), nil)
            return nil
        }
        #expect(provider.canLoadObject(ofClass: Point.self) && count.load(ordering: .relaxed) == 0)
        #expect(try await far(provider).loadObject(ofClass: Point.self).x == 3)
        #expect(count.load(ordering: .relaxed) == 1)
    }

    // spec: P-081
    @Test func textURLsAndAttributedTextAreObjects() async throws {
        let attributed = NSMutableAttributedString(string: "bold")
        attributed.addAttribute(NSAttributedString.Key("weight"), value: 700, range: NSRange(location: 0, length: 2))
        let text = try far(NSItemProvider(object: "größe" as NSString))
        #expect(try await text.loadObject(ofClass: NSString.self) == "größe")
        let url = try far(NSItemProvider(object: URL(fileURLWithPath: "/a b") as NSURL))
        #expect(url.registeredTypeIdentifiers == ["public.file-url"])
        #expect(try await url.loadObject(ofClass: NSURL.self) as URL == URL(fileURLWithPath: "/a b"))
        let rich = try far(NSItemProvider(object: attributed))
        #expect(same(try await rich.loadObject(ofClass: NSAttributedString.self), attributed))
        #expect(try await rich.loadObject(ofClass: NSString.self) == "bold")
        let swift: String? = try await withCheckedThrowingContinuation { continuation in
            text.loadObject(ofClass: String.self) { value, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(value))
            }
        }
        #expect(swift == "größe")
        #expect(url.canLoadObject(ofClass: URL.self) && !text.canLoadObject(ofClass: URL.self))
    }

    // spec: P-082
    @Test func typesStandForTheirIdentifiers() async throws {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(for: .png) { answer in
            answer(Data([1]), nil)
            return nil
        }
        provider.registerFileRepresentation(for: .pdf, openInPlace: true) { answer in
            answer(nil, false, CocoaError(.fileNoSuchFile))
            return nil
        }
        provider.registerItem(forTypeIdentifier: "org.example.undeclared") { answer, _, _ in answer?(nil, nil) }
        #expect(provider.registeredContentTypes == [.png, .pdf])
        #expect(provider.registeredContentTypes(conformingTo: .image) == [.png])
        #expect(provider.registeredContentTypesForOpenInPlace == [.pdf])
        #expect(try far(provider).registeredContentTypesForOpenInPlace == [.pdf])
        #expect(provider.hasItemConforming(to: .image) && !provider.hasItemConforming(to: .movie))
        #expect(try await provider.loadDataRepresentation(for: .image) == Data([1]))
        let (bytes, isInPlace): (Data, Bool) = try await withCheckedThrowingContinuation { continuation in
            provider.loadFileRepresentation(for: .png) { url, isInPlace, error in
                continuation.resume(with: Result { (try Data(contentsOf: try #require(url)), isInPlace) })
            }
        }
        #expect(bytes == Data([1]) && !isInPlace)
        await #expect { try await provider.loadDataRepresentation(for: .pdf) } throws: {
            ($0 as? CocoaError)?.code == .fileNoSuchFile
        }
    }

    /// Listed in docs/not-simulated.md.
    // not simulated: N-027
    // spec: P-075, P-165
    @Test(arguments: [NSItemProviderRepresentationVisibility.team, .group])
    func whatIsForATeamOrAGroupIsForAll(visibility: NSItemProviderRepresentationVisibility) async throws {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: visibility) { answer in
            answer(Data([1]), nil)
            return nil
        }
        #expect(try await far(provider).loadDataRepresentation(for: .png) == Data([1]))
    }

    // not simulated: N-023, N-027
    @Test func flagsThatMeanNothingAreToldOnceAProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<3 {
                let provider = NSItemProvider()
                provider.registerFileRepresentation(
                    forTypeIdentifier: "public.data", fileOptions: .openInPlace, visibility: .group
                ) { answer in
                    answer(URL(fileURLWithPath: "/etc/hostname"), true, nil)
                    return nil
                }
                _ = try await provider.loadDataRepresentation(forTypeIdentifier: "public.data")
                _ = NSItemProvider(
                    contentsOf: URL(fileURLWithPath: "/etc/passwd"), contentType: nil, openInPlace: true,
                    coordinated: true,
                    visibility: .team)
            }
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        let told = lines.filter { $0.hasPrefix("exthost: ") }
        #expect(told.count == 2, "\(lines)")
        #expect(told.contains { $0.contains("file coordination is not simulated") && $0.hasSuffix("N-023)") })
        #expect(told.contains { $0.contains("team and group are not simulated") && $0.hasSuffix("N-027)") })
    }

    /// Listed in docs/not-simulated.md.
    // not simulated: N-024
    @Test func richTextIsDataAndNoAttributedText() async throws {
        #expect(!NSAttributedString.writableTypeIdentifiersForItemProvider.contains("public.rtf"))
        let rich = Data(#"{\rtf1 words}"#.utf8)
        let provider = NSItemProvider(item: NSData(data: rich), typeIdentifier: "public.rtf")
        #expect(!provider.canLoadObject(ofClass: NSAttributedString.self))
        await #expect { _ = try await provider.loadObject(ofClass: NSAttributedString.self) } throws: {
            code(of: $0) == -1000
        }
        await #expect {
            _ = try await provider.loadItem(forTypeIdentifier: "public.rtf", as: NSAttributedString.self)
        } throws: { code(of: $0) == -1200 }
        #expect(try await provider.loadDataRepresentation(forTypeIdentifier: "public.rtf") == rich)
    }
}
