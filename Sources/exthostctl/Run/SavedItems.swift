// SavedItems: returned attachments as files in a folder of the user's.

import ExtensionItems
import Foundation
import Glibc
import LinuxSystem

/// A writer of each attachment's best type, under the name that its owner suggests.
///
/// The names come from an extension: they cannot lead out of the folder, and existing files stay as they are.
struct SavedItems {
    let folder: String
    let console: RunConsole
    /// The paths that were written, and the failures.
    private(set) var saved: [String] = []
    private(set) var failures: [String] = []

    init(folder: String, console: RunConsole) {
        self.folder = folder
        self.console = console
    }

    /// Saves the attachments. Throws if the folder cannot be created.
    mutating func save(_ items: [NSExtensionItem]) async throws(CommandError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .usage(
                "the folder \(folder) cannot be made: \(error.localizedDescription)",
                remedy: "Name a folder that you may write to")
        }
        for (number, item) in items.enumerated() {
            for (place, provider) in (item.attachments ?? []).enumerated() {
                guard let type = provider.registeredTypeIdentifiers.first else { continue }
                do {
                    saved.append(try await save(provider, type))
                } catch {
                    failures.append(
                        "attachment \(place + 1) of item \(number + 1), \(type): \(error.localizedDescription)")
                }
            }
        }
    }

    private func save(_ provider: NSItemProvider, _ type: String) async throws -> String {
        let folder = folder
        do {
            return try await provider.loadFileRepresentation(forTypeIdentifier: type) { url in
                console.wait(for: "saving \(url.lastPathComponent)")
                let source = try openForReading(url.path)
                let size = try FileStatus(of: source.raw).size
                return try Self.write(named: url.lastPathComponent, in: folder) { target in
                    _ = try copyFile(from: source.raw, to: target, size: size) { done in
                        console.wait(for: "saving \(url.lastPathComponent)", done: done, of: size)
                        return true
                    }
                }
            }
        } catch let error as NSError where error.domain == NSItemProvider.errorDomain && error.code == -1200 {
            // An attachment without bytes may still have text: an attributed string.
            let text = try await provider.loadItem(forTypeIdentifier: type, as: String.self)
            let name = itemFileName(suggested: provider.suggestedName, typeIdentifier: "public.plain-text")
            return try Self.write(named: name, in: folder) { target in
                try Data(text.utf8).withUnsafeBytes { try LinuxSystem.write($0, to: target) }
            }
        }
    }

    /// Writes a new file of this name, with a number added if necessary. Returns its path.
    private static func write(named name: String, in folder: String, _ fill: (Int32) throws -> Void) throws -> String {
        let parts = name as NSString
        let ending = parts.pathExtension.isEmpty ? "" : "." + parts.pathExtension
        for number in 1...1000 {
            let path = "\(folder)/\(number == 1 ? name : "\(parts.deletingPathExtension) \(number)\(ending)")"
            do {
                let descriptor = SharedDescriptor(try createFile(path))
                do { try fill(descriptor.raw) } catch {
                    unlink(path)
                    throw error
                }
                return path
            } catch let error as SystemError where error.code == EEXIST && error.call == "open" {
                continue
            }
        }
        throw CommandError.usage("\(folder) is full of files named \(name)", remedy: "Save into another folder")
    }
}
