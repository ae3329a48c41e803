// PhotoDriver: `run` for a photo editing extension: an edit of a photo, and what became of it.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import ImageCodecs
import LinuxSystem
import PointHosts
import PointMessages
import PropertyListCoding
import Scenarios

struct PhotoDriver: PointDriver {
    static let point = PhotoEditingHost.point
    static let showsView = true

    /// The edit begins once, and its result is asked for.
    static var exploredCalls: [ExplorationCall] {
        get throws {
            let pixels = try Pixels(width: 16, height: 16, copying: [UInt8](repeating: 128, count: 16 * 16 * 4))
            let folder = try TemporaryDirectory(prefix: "exthost-photos")
            defer { try? folder.remove() }
            let path = folder.path + "/photo.jpg"
            try Data(try ImageCodec.encode(pixels, as: .jpeg)).write(to: URL(fileURLWithPath: path))
            let file = try PointFile(readingAt: path)
            let input = PhotoInput(
                media: .image, subtypes: 0, created: nil, place: nil, type: "public.jpeg", orientation: 1,
                adjustment: nil,
                fileName: "photo.jpg", file: file)
            return [
                ExplorationCall(
                    PhotoCanHandle(PhotoAdjustment(formatIdentifier: "explored", formatVersion: "1", data: []))),
                ExplorationCall(PhotoStart(input: input, placeholder: nil), after: [1]),
                ExplorationCall(PhotoFinish(), after: [2]),
                ExplorationCall(PhotoShouldConfirm(), after: [2]),
                ExplorationCall(PhotoEnd(), after: [2], isLast: true),
            ]
        }
    }

    private let photo: String
    private let out: String?
    private let adjustments: String?
    private let isInteractive: Bool
    private let acts: [SheetAct]
    private let console: RunConsole

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        guard let photo = options.photo else {
            throw CommandError.usage(
                "a photo editing extension needs a photo", remedy: "Name a JPEG or PNG file with --photo")
        }
        self.photo = photo
        (out, adjustments) = (options.out, options.adjustments)
        isInteractive = command.interactive
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let folder = try TemporaryDirectory(prefix: "exthost-photos")
        defer { try? folder.remove() }
        let library = try AssetLibrary(folder: folder.path)
        let added = try library.add(photo)
        try storeEarlierEdit(of: added, in: library)
        let photos = PhotoEditingHost(host, library: library)
        let session = try await photos.begin(identifier, editing: added.id)
        let ending = try await use(session)
        let asset = try library.asset(added.id)
        var changed: (changed: Int, total: Int)?
        if case .saved = ending {
            changed = try? await photos.changedPixels(of: asset)
            if let out { try Self.write(try Data(contentsOf: URL(fileURLWithPath: asset.current)), to: out) }
            if let adjustments, let adjustment = asset.adjustment { try Self.write(adjustment, to: adjustments) }
        }
        return report(ending, session, changed)
    }

    // MARK: The edit

    /// Lets a person, or the acts of the command line, use the live view; then asks for the result.
    private func use(_ session: PhotoEditingSession) async throws -> PhotoEnding {
        let view = await session.request.view { _ in true }
        if isInteractive {
            guard try await converse(session) else { return .cancelled }
        } else {
            if let view, !acts.isEmpty { console.line(TerminalSheet.text(of: view)) }
            for act in acts { try await session.request.use(act.action, patience: Self.patience) }
        }
        return try await PhotoEnding(of: session)
    }

    /// Reads lines until `done`, `cancel` or the end of input, with acts on the view before.
    ///
    /// - Returns: whether the result is wanted.
    private func converse(_ session: PhotoEditingSession) async throws -> Bool {
        let help = "tap NAME · done · cancel"
        console.line("exthostctl: \(help)")
        if let view = session.view { console.line(TerminalSheet.text(of: view)) }
        var isAsked = false
        for await line in TerminalSheet.standardInput() {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            do {
                switch words.first {
                case "done": return true
                case "cancel":
                    // The second one confirms.
                    if try await session.cancel(confirming: isAsked ? .confirm : .goOn) { return false }
                    isAsked = true
                    console.line("exthostctl: the edit would be lost; cancel again to confirm")
                    continue
                case let verb?:
                    guard let act = SheetAct(verb: verb, rest: words.count > 1 ? words[1] : "") else {
                        console.line("exthostctl: “\(printable(line))” is not an act: \(help)")
                        continue
                    }
                    try await session.use(act.action)
                case nil: break
                }
                if let view = session.view { console.line(TerminalSheet.text(of: view)) }
            } catch {
                console.line("exthostctl: \(printable("\(error)"))")
            }
        }
        return true
    }

    // MARK: Files

    /// Gives the asset the edit of the file of adjustments, if it exists: the photo is the original, and the output of
    /// the last run the rendering.
    private func storeEarlierEdit(of asset: AssetLibrary.Asset, in library: AssetLibrary) throws {
        guard let adjustments, FileManager.default.fileExists(atPath: adjustments) else { return }
        let members = try InputFile(adjustments).propertyList().dictionary
        guard let identifier = members?["formatIdentifier"]?.string, let version = members?["formatVersion"]?.string,
            let data = members?["data"]?.data
        else {
            throw CommandError.usage(
                "\(adjustments) has no adjustment data",
                remedy:
                    "Name a property list with formatIdentifier, formatVersion and data, or a file that does not exist")
        }
        let rendering = out.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil } ?? photo
        let edit = try library.edit(asset.id)
        let file = SharedDescriptor(try openForReading(rendering))
        try edit.store(
            try edit.copy(file.raw),
            PhotoAdjustment(formatIdentifier: identifier, formatVersion: version, data: data))
    }

    private static func write(_ adjustment: PhotoAdjustment, to path: String) throws {
        let plist: PropertyList = [
            "formatIdentifier": .string(adjustment.formatIdentifier),
            "formatVersion": .string(adjustment.formatVersion), "data": .data(adjustment.data),
        ]
        try write(Data(try plist.encodeBinary()), to: path)
    }

    private static func write(_ data: Data, to path: String) throws {
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandError.usage("\(path) cannot be written", remedy: "Name a file in a folder that you may write")
        }
    }

    // MARK: The report

    private func report(
        _ ending: PhotoEnding, _ session: PhotoEditingSession, _ changed: (changed: Int, total: Int)?
    ) -> PointReport {
        let identifier = session.request.extensionIdentifier
        let pid = session.request.processIdentifier
        let (word, lines, status) = words(of: ending, changed)
        let head = "\(word): \(printable(identifier))" + (pid.map { ", pid \($0)" } ?? "")
        var json: [(name: String, value: JSON)] = [
            ("extension", .string(identifier)), ("result", .string(word)), ("pid", .optional(pid)),
            ("continues", .boolean(session.continuesEdit)),
        ]
        json += ending.members
        json += [("changedPixels", .optional(changed?.changed)), ("pixels", .optional(changed?.total))]
        return PointReport(
            text: ([head] + lines.map { "  " + printable($0) }).joined(separator: "\n") + "\n", json: json,
            status: status)
    }

    private func words(
        of ending: PhotoEnding, _ changed: (changed: Int, total: Int)?
    ) -> (word: String, lines: [String], status: Int32) {
        switch ending {
        case .saved(let edit):
            let adjustment = edit.adjustment
            var lines = [
                "adjustment  \(adjustment.formatIdentifier) \(adjustment.formatVersion), \(adjustment.data.count) bytes"
            ]
            if let before = edit.before, let after = edit.after {
                lines.append(
                    "image       \(Self.size(before)) → \(Self.size(after)), \(after.format.name), upright"
                        + (changed.map { "; \($0.changed) of \($0.total) pixels changed" } ?? ""))
            }
            return ("saved", lines + edit.remarks.map { "remark: \($0)" }, 0)
        case .nothing: return ("nothing to save", [], 0)
        case .cancelled: return ("cancelled", [], 0)
        case .goesOn: return ("goes on", [], 0)
        case .refused(let fault): return ("refused", ["\(fault.name): \(fault)"], ExitStatus.notExpected)
        case .failed(let error):
            let isDead = error.code == .interrupted
            return ("failed", ["\(error)"], isDead ? OutcomeKind.interrupted.exitStatus : ExitStatus.notExpected)
        }
    }

    /// The size of the upright image.
    private static func size(_ header: ImageHeader) -> String {
        "\(header.uprightSize.width)×\(header.uprightSize.height)"
    }
}
