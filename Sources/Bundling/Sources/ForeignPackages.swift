// ForeignPackages: the packages of other authors, which must not see the kit's modules.

import Foundation
import LinuxSystem

/// The rewriting of conditions on the kit's modules in packages that do not name exthost.
///
/// SwiftPM puts the modules of a build into one folder. Thus `canImport(UIKit)` is true in any package that is compiled
/// after the kit's UIKit. Such a package takes its branch for Apple's systems, and misses what the kit does not have.
/// The rewritten condition is false.
struct ForeignPackages {
    /// The absolute paths of the packages.
    let packages: [String]
    /// The folder for the copies.
    let output: String

    /// The kit's modules that have Apple's names.
    static let modules = [
        "UIKit", "CoreGraphics", "QuartzCore", "Social", "NotificationCenter", "UserNotifications",
        "UserNotificationsUI", "Intents", "IntentsUI", "Photos",
        "PhotosUI", "CoreSpotlight", "FileProvider", "FileProviderUI", "SafariServices",
        "AudioToolbox", "CoreAudioKit", "AVFoundation", "NetworkExtension", "IdentityLookup", "IdentityLookupUI",
        "QuickLook",
        "QuickLookUI", "QuickLookThumbnailing", "CoreAudioTypes", "CoreMedia", "CoreVideo", "ReplayKit",
        "CallKit", "AuthenticationServices", "Messages", "OSLog",
        "UniformTypeIdentifiers",
        "MobileCoreServices", "CoreServices", "Combine", "CryptoKit",
        "Security", "LocalAuthentication", "ImageIO", "AVKit", "CoreLocation", "StoreKit", "PushKit",
        "WatchConnectivity", "SystemConfiguration", "MapKit", "CoreMotion", "Contacts",
        "Metal", "MetalKit", "CoreImage", "MediaPlayer", "CoreML", "SpriteKit", "SceneKit", "GameplayKit",
        "VideoToolbox", "ClassKit", "CryptoTokenKit",
    ]
    private static let (filesLimit, sizeLimit) = (20_000, 4 << 20)

    /// Writes copies of the files with a condition on such a module. Reads every Swift file of the packages.
    func targets() throws -> [SourceStepReport.Target] {
        var targets: [String: SourceStepReport.Target] = [:]
        for package in packages where !Self.knowsKit(package) {
            let own = Self.folders(of: package)
            for path in own.files {
                guard let bytes = try? readFile("\(package)/\(path)", maximumSize: Self.sizeLimit),
                    let text = Self.rewritten(String(decoding: bytes, as: UTF8.self), except: own.folders)
                else { continue }
                let module = Self.module(path)
                let file = try copy(text, of: "\(package)/\(path)", in: package)
                targets[module, default: SourceStepReport.Target(module: module)].files.append(file)
            }
        }
        return targets.values.sorted { $0.module < $1.module }
    }

    /// Whether a package is the kit itself, depends on it, or is no package.
    private static func knowsKit(_ package: String) -> Bool {
        guard let bytes = try? readFile(package + "/Package.swift", maximumSize: 1 << 20) else { return true }
        return String(decoding: bytes, as: UTF8.self).contains("exthost")
    }

    /// Returns the Swift files, sorted, and the names of folders: a package may itself have a module of such a name.
    private static func folders(of package: String) -> (files: [String], folders: Set<String>) {
        let enumerator = FileManager.default.enumerator(atPath: package)
        var (files, folders): ([String], Set<String>) = ([], [])
        while let path = enumerator?.nextObject() as? String, files.count < filesLimit {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            if name.hasPrefix(".") || name == "Tests" {
                enumerator?.skipDescendants()
            } else if name.hasSuffix(".swift") {
                files.append(path)
            } else if !name.contains(".") {
                folders.insert(name)
            }
        }
        return (files.sorted(), folders)
    }

    /// Returns the module of a file, as far as its path tells: Name for `Sources/Name/…` and for `Name/…`.
    private static func module(_ path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        return (parts.first == "Sources" ? parts.dropFirst().first : parts.first) ?? path
    }

    /// Returns the text with `false` for each condition on a module of the kit, or nil if there is none.
    ///
    /// The columns stay the same.
    static func rewritten(_ text: String, except own: Set<String> = []) -> String? {
        guard text.contains("canImport(") else { return nil }
        // Swift reads CR LF as one character. The lines of the copy end with LF.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { line -> String in
            let words = line.drop(while: \.isWhitespace)
            guard words.hasPrefix("#if") || words.hasPrefix("#elseif") else { return String(line) }
            return modules.filter { !own.contains($0) }.reduce(String(line)) { line, module in
                let asked = "canImport(\(module))"
                return line.replacing(asked, with: "false".padding(toLength: asked.count, withPad: " ", startingAt: 0))
            }
        }
        let result = lines.joined(separator: "\n")
        return result == text ? nil : result
    }

    private func copy(_ text: String, of original: String, in package: String) throws -> SourceStepReport.File {
        let folder = package.split(separator: "/").last.map(String.init) ?? ""
        let path = "\(output)/\(folder)/\(original.dropFirst(package.count + 1))"
        let escaped = original.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let data = Data("#sourceLocation(file: \"\(escaped)\", line: 1)\n\(text)".utf8)
        var file = SourceStepReport.File(original: original, copy: path, changed: false)
        guard FileManager.default.contents(atPath: path) != data else { return file }
        do {
            let place = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: place, options: .atomic)
        } catch {
            throw ProjectError(
                ProjectFinding(.notWritten, path, error.localizedDescription, remedy: "Make the folder writable"))
        }
        file.changed = true
        return file
    }
}
