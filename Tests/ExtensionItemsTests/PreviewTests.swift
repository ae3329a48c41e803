// PreviewTests: previews by handler, from the desktop's cache, and by a thumbnailer.

import ExtensionItems
import Foundation
import Glibc
import TestPrograms
import Testing

@Suite struct PreviewTests {
    private func far(_ provider: NSItemProvider) throws -> NSItemProvider {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return try #require(try sent([item], table: ProviderTable()).first?.attachments?.first)
    }

    // spec: P-069, P-085
    @Test func theHandlerMakesThePreviewAndIsToldTheSize() async throws {
        let provider = NSItemProvider(item: "x" as NSString, typeIdentifier: "public.text")
        provider.previewImageHandler = { answer, expected, options in
            let size = options?[NSItemProviderPreferredImageSizeKey] as? CGSize
            answer?(Data("\(expected == ItemImage.self) \(size?.width ?? 0)x\(size?.height ?? 0)".utf8) as NSData, nil)
        }
        for provider in [provider, try far(provider)] {
            let options: [AnyHashable: Any] = [NSItemProviderPreferredImageSizeKey: CGSize(width: 64, height: 48)]
            let image = try await provider.loadPreviewImage(options: options)
            #expect(image as? Data == Data("true 64.0x48.0".utf8))
        }
    }

    // spec: P-069, P-166
    @Test func whatIsNoImageIsRefused() async throws {
        let provider = NSItemProvider(item: "x" as NSString, typeIdentifier: "public.text")
        await #expect { _ = try await provider.loadPreviewImage() } throws: { code(of: $0) == -1000 }
        let remote = try far(provider)
        await #expect { _ = try await remote.loadPreviewImage() } throws: { code(of: $0) == -1000 }
        provider.previewImageHandler = { answer, _, _ in answer?("text" as NSString, nil) }
        await #expect { _ = try await provider.loadPreviewImage() } throws: { code(of: $0) == -1100 }
        provider.previewImageHandler = { answer, _, _ in answer?(nil, nil) }
        await #expect { _ = try await provider.loadPreviewImage() } throws: { code(of: $0) == -1 }
    }

    /// The smallest PNG file there is: one grey dot.
    private static let dot = Data(
        base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")

    // The cache and the thumbnailers are found by the environment, which belongs to a whole process.
    // spec: P-069
    @Test func aFilesThumbnailIsMadeOnceAndKeptAsTheDesktopKeepsIt() async throws {
        await #expect(processExitsWith: .success) {
            let fileManager = FileManager.default
            let folder = fileManager.temporaryDirectory.appendingPathComponent("previews-\(UUID().uuidString)")
            defer { try? fileManager.removeItem(at: folder) }
            try fileManager.createDirectory(
                at: folder.appendingPathComponent("data/thumbnailers"), withIntermediateDirectories: true)
            setenv("XDG_CACHE_HOME", folder.path + "/cache", 1)
            setenv("XDG_DATA_HOME", folder.path + "/data", 1)
            setenv("XDG_DATA_DIRS", folder.path + "/nothing", 1)
            let picture = folder.appendingPathComponent("ä picture.png")
            let dot = try #require(PreviewTests.dot)
            try dot.write(to: picture)
            let provider = try #require(NSItemProvider(contentsOf: picture))
            // Nobody is installed who could make one.
            do {
                _ = try await provider.loadPreviewImage()
                Issue.record("there is no thumbnailer")
            } catch {
                #expect(code(of: error) == -1000 && "\(error)".contains("no thumbnailer"))
            }
            // A thumbnailer that counts its runs, and one that hangs.
            let script = folder.path + "/maker.sh"
            try Data(
                "#!/bin/sh\necho run >> '\(folder.path)/runs'\necho \"$3\" > '\(folder.path)/size'\ncp \"$1\" \"$2\"\n"
                    .utf8
            )
            .write(to: URL(fileURLWithPath: script))
            try fileManager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
            try waitForWriters(of: script)
            let entry =
                "[Thumbnailer Entry]\nTryExec=\(script)\nExec=\(script) %i %o %s\nMimeType=image/png;image/x-other;\n"
            try Data(entry.utf8).write(to: folder.appendingPathComponent("data/thumbnailers/maker.thumbnailer"))
            let options: [AnyHashable: Any] = [NSItemProviderPreferredImageSizeKey: CGSize(width: 200, height: 10)]
            for _ in 0..<2 {
                let image = try #require(try await provider.loadPreviewImage(options: options) as? Data)
                #expect(image.starts(with: dot.prefix(33)) && image.count > dot.count)
            }
            #expect(try String(contentsOfFile: folder.path + "/runs", encoding: .utf8) == "run\n")
            #expect(try String(contentsOfFile: folder.path + "/size", encoding: .utf8) == "256\n")
            let kept = try fileManager.contentsOfDirectory(atPath: folder.path + "/cache/thumbnails/large")
            let name = try #require(kept.first)
            #expect(kept.count == 1 && name.count == 36 && name.hasSuffix(".png"))
            let stored = try Data(contentsOf: folder.appendingPathComponent("cache/thumbnails/large/" + name))
            // A random sum follows the URI. As text, its first byte could be part of the last character.
            for text in ["Thumb::URI\0file://", "/%C3%A4%20picture.png"] {
                #expect(stored.range(of: Data(text.utf8)) != nil)
            }
            // The file has changed since: it is made anew.
            try fileManager.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 5)], ofItemAtPath: picture.path)
            _ = try await provider.loadPreviewImage(options: options)
            #expect(try String(contentsOfFile: folder.path + "/runs", encoding: .utf8) == "run\nrun\n")
            // One that makes nothing fails by name.
            try fileManager.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 6)], ofItemAtPath: picture.path)
            try Data("#!/bin/sh\nexit 0\n".utf8).write(to: URL(fileURLWithPath: script))
            try waitForWriters(of: script)
            do {
                _ = try await provider.loadPreviewImage()
                Issue.record("it made nothing")
            } catch {
                #expect(code(of: error) == -1000 && "\(error)".contains("maker.thumbnailer"))
            }
        }
    }
}
