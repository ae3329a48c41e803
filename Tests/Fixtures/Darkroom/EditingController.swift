// EditingController: a photo editing extension that does what its Info.plist says, for the tests of photo editing.

import ExtensionFoundation
import Foundation
import Glibc
import PhotosUI
import UIKit

/// The words of `TestWish` in the extension's Info.plist.
@MainActor private let wish = (Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String ?? "")
    .split(separator: " ").map(String.init)

/// Prints each call: the test reads them in order.
@MainActor private func note(_ text: String) { print(Thread.isMainThread ? text : "\(text), off the main queue") }

final class EditingController: UIViewController, PHContentEditingController {
    private static var firstInput: PHContentEditingInput?
    private var input: PHContentEditingInput?
    private var kept: ((PHContentEditingOutput?) -> Void)?

    private func wishes(_ word: String) -> Bool { wish.contains(word) }

    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad")
        add("Answer") { [weak self] in self?.kept?(nil) }
        add("Die") { exit(9) }
    }

    private func add(_ title: String, _ body: @escaping () -> Void) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in body() }, for: .touchUpInside)
        view.addSubview(button)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
    }

    func canHandle(_ adjustmentData: PHAdjustmentData) -> Bool {
        note(
            "canHandle \(adjustmentData.formatIdentifier) \(adjustmentData.formatVersion) \(adjustmentData.data.count)")
        if wishes("dieInCanHandle") { exit(9) }
        return !wishes("cannotHandle")
    }

    func startContentEditing(with contentEditingInput: PHContentEditingInput, placeholderImage: UIImage) {
        if wishes("paths"), let url = Self.firstInput?.fullSizeImageURL {
            note("the first copy is \(FileManager.default.fileExists(atPath: url.path) ? "there" : "gone")")
        }
        input = contentEditingInput
        Self.firstInput = Self.firstInput ?? contentEditingInput
        let file = contentEditingInput.fullSizeImageURL ?? (contentEditingInput.audiovisualAsset as? AVURLAsset)?.url
        let text = file.flatMap { try? Data(contentsOf: $0) }.map { String(decoding: $0.suffix(8), as: UTF8.self) }
        note("start \(text ?? "none"), adjustment \(contentEditingInput.adjustmentData?.formatIdentifier ?? "none")")
        note("placeholder \(String(decoding: placeholderImage.data.suffix(8), as: UTF8.self))")
        if wishes("describe") { describe(contentEditingInput) }
        if wishes("dieInStart") { exit(9) }
    }

    private func describe(_ input: PHContentEditingInput) {
        note("\(type(of: extensionContext!)), \(input.mediaType), subtypes \(input.mediaSubtypes.rawValue)")
        note("created \(Int(input.creationDate?.timeIntervalSince1970 ?? -1))")
        note("place \(input.location.map { "\($0.coordinate.latitude) \($0.coordinate.longitude)" } ?? "none")")
        note("type \(input.uniformTypeIdentifier ?? "none"), orientation \(input.fullSizeImageOrientation)")
        note("live photo \(input.livePhoto == nil ? "none" : "some")")
        note("film \((input.audiovisualAsset as? AVURLAsset)?.url.lastPathComponent ?? "none")")
        note("display \(input.displaySizeImage.map { "\(Int($0.size.width))x\(Int($0.size.height))" } ?? "none")")
    }

    func finishContentEditing(completionHandler: @escaping (PHContentEditingOutput?) -> Void) {
        note("finish")
        if wishes("dieInFinish") { exit(9) }
        if wishes("drop") { return }
        if wishes("hang") || wishes("later") { return kept = completionHandler }
        if wishes("nothing") { return completionHandler(nil) }
        guard let input else { return completionHandler(nil) }
        let output = PHContentEditingOutput(
            contentEditingInput: wishes("otherInput") ? Self.firstInput ?? input : input)
        if let place = wish.firstIndex(of: "size") {
            output.adjustmentData = adjustment(Data(repeating: 7, count: Int(wish[place + 1]) ?? 0))
        } else {
            output.adjustmentData = adjustment(Data("sepia".utf8))
        }
        if wishes("noAdjustment") { output.adjustmentData = nil }
        if wishes("oldAdjustment") { output.adjustmentData = input.adjustmentData }
        write(output)
        completionHandler(output)
        if wishes("changeLater") { change(output.renderedContentURL) }
        if wishes("dieAfterAnswer") {
            fflush(nil)
            kill(getpid(), SIGKILL)
        }
    }

    private func adjustment(_ data: Data) -> PHAdjustmentData {
        PHAdjustmentData(formatIdentifier: "org.example.darkroom", formatVersion: "1.0", data: data)
    }

    private func write(_ output: PHContentEditingOutput) {
        guard let type = output.defaultRenderedContentType, let url = try? output.renderedContentURL(for: type) else {
            return note("no place")
        }
        if wishes("noRendering") { return }
        if wishes("fifo") { return _ = mkfifo(url.path, 0o600) }
        if wishes("folder") { return _ = mkdir(url.path, 0o700) }
        if wishes("device") { return _ = symlink("/dev/null", url.path) }
        if let place = wish.firstIndex(of: "length") {
            _ = FileManager.default.createFile(atPath: url.path, contents: nil)
            return _ = truncate(url.path, off_t(wish[place + 1]) ?? 0)
        }
        do {
            try FileManager.default.copyItem(atPath: Bundle.main.bundlePath + "/rendering", toPath: url.path)
        } catch {
            note("\(error)")
        }
    }

    /// Writes over the file that the host has open.
    private func change(_ url: URL) {
        let file = open(url.path, O_WRONLY)
        for _ in 0..<1000 { _ = pwrite(file, "changed!", 8, 0) }
        close(file)
    }

    func cancelContentEditing() {
        note("cancel")
        if wishes("later") { kept?(input.map { PHContentEditingOutput(contentEditingInput: $0) }) }
    }

    var shouldShowCancelConfirmation: Bool {
        note("shouldShowCancelConfirmation")
        return wishes("confirm")
    }
}

/// An extension with the other form of `finishContentEditing`.
final class AsyncController: UIViewController, PHContentEditingController {
    private var input: PHContentEditingInput?

    func canHandle(_ adjustmentData: PHAdjustmentData) -> Bool { false }

    func startContentEditing(with contentEditingInput: PHContentEditingInput, placeholderImage: UIImage) {
        input = contentEditingInput
    }

    func finishContentEditing() async -> PHContentEditingOutput? {
        await Task.yield()
        guard let input else { return nil }
        let output = PHContentEditingOutput(contentEditingInput: input)
        output.adjustmentData = PHAdjustmentData(
            formatIdentifier: "org.example.async", formatVersion: "2", data: Data([1]))
        try? FileManager.default.copyItem(
            atPath: Bundle.main.bundlePath + "/rendering", toPath: output.renderedContentURL.path)
        return output
    }

    func cancelContentEditing() {}
    var shouldShowCancelConfirmation: Bool { false }
}

/// An extension without a way to finish.
final class EndlessController: UIViewController, PHContentEditingController {
    func canHandle(_ adjustmentData: PHAdjustmentData) -> Bool { false }
    func startContentEditing(with contentEditingInput: PHContentEditingInput, placeholderImage: UIImage) {}
    func cancelContentEditing() {}
    var shouldShowCancelConfirmation: Bool { false }
}

/// A view controller that is no photo editing extension.
final class PlainController: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
