// StampDesk: an app that uses a stamp.

import ExtensionHost
import Foundation
import StampHost

@main struct StampDesk {
    static func main() async throws {
        let host = try await HostApplication.connect(name: "com.example.desk")
        let session = try await StampSession("com.example.desk.red", host)
        print("text:", try await session.stamp("hello"))
        for text in ["", "lost"] {
            do {
                print("text:", try await session.stamp(text))
            } catch let error as ExtensionHostError {
                print("failed: \(error.code): \(error.message)")
            } catch {
                print("refused: \((error as NSError).domain) \((error as NSError).code)")
            }
        }
        for try await page in session.stamp(pages: ["one", "two", "three"]) { print("page:", page.text) }
        let letter = FileManager.default.temporaryDirectory.appendingPathComponent("letter-\(UUID()).txt")
        try Data("Dear Ann,".utf8).write(to: letter)
        let file = try await session.stamp(fileAt: letter.path, named: "letter.txt")
        try FileManager.default.removeItem(at: letter)
        let handle = FileHandle(fileDescriptor: file.descriptor.raw, closeOnDealloc: false)
        print("file:", String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self))
        print("ended:", try await session.end().kind)
    }
}
