// ExtensionPointSupport: the calls of a photo editing extension, as calls of the author's code on the main queue.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import LinuxDescriptors
import Locks
import Photos
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.photo-editing`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    var contextClass: NSExtensionContext.Type { PHEditingExtensionContext.self }

    /// The view appears after `startContentEditing` (documented).
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // A storyboard has the class of its first controller.
        let made = session.makeObject(of: type)
        guard made is any UIViewController & PHContentEditingController else {
            throw ExtensionHostError(
                .principalUnsuitable,
                "\(Swift.type(of: made)) is not a UIViewController that adopts PHContentEditingController",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let editor = Editor(session)
        switch call.name {
        case PhotoCanHandle.name:
            let message = try call.decode(PhotoCanHandle.self)
            return try PointEncoder.encode(PhotoCanHandle.Reply(await editor.canHandle(message.adjustment)))
        case PhotoStart.name: try await editor.start(try call.decode(PhotoStart.self))
        case PhotoFinish.name: return try PointEncoder.encode(try await editor.finish())
        case PhotoShouldConfirm.name:
            return try PointEncoder.encode(PhotoShouldConfirm.Reply(await editor.shouldConfirm()))
        case PhotoCancel.name: await editor.cancel()
        case PhotoEnd.name: break
        default: throw ExtensionHostError(.notImplemented, "PhotosUI has no call \(call.name)")
        }
        return try PointEncoder.encode(Nothing())
    }
}

/// The principal object of an edit, which lives on the main actor, with its state.
private struct Editor: Sendable {
    /// The framework's state of one edit. Safe to use from any thread.
    private final class State: Sendable {
        struct Values {
            var input: PHContentEditingInput?
            var isCancelled = false
        }

        let values = Mutex(Values())
    }

    /// The author's answer, which may have come from any thread.
    private typealias Answer = Result<PhotoFinish.Reply, ExtensionHostError>

    private let session: PointSession
    private let state: State
    /// The largest placeholder, in bytes.
    private static let largestPlaceholder = 64 << 20

    init(_ session: PointSession) {
        self.session = session
        state = session.state(State.self) { State() }
    }

    @MainActor private var controller: (any UIViewController & PHContentEditingController)? {
        session.principal as? any UIViewController & PHContentEditingController
    }

    func canHandle(_ adjustment: PhotoAdjustment) async -> Bool {
        await session.onMain { controller?.canHandle(PHAdjustmentData(adjustment)) ?? false }
    }

    func start(_ message: PhotoStart) async throws {
        let file = try session.lend(message.input.file, named: message.input.fileName)
        let input = PHContentEditingInput(message.input, file: file) { [weak session] name in
            guard let session else { throw CocoaError(.fileNoSuchFile) }
            return try session.place(named: name)
        }
        state.values.withLock { $0.input = input }
        let placeholder = try Self.image(message.placeholder ?? message.input.file)
        await session.onMain {
            // Authors use the parts of their view.
            controller?.loadViewIfNeeded()
            controller?.startContentEditing(with: input, placeholderImage: placeholder)
        }
        await session.showView()
    }

    private static func image(_ file: PointFile) throws -> UIImage {
        let size = try FileStatus(of: file.descriptor.raw).size
        guard size <= largestPlaceholder else { return UIImage() }
        var data = Data(count: size)
        let count = try data.withUnsafeMutableBytes { try readFile(file.descriptor.raw, into: $0) }
        return UIImage(data: data.prefix(count)) ?? UIImage()
    }

    func finish() async throws -> PhotoFinish.Reply {
        let name = await session.onMain { controller.map { "\(type(of: $0))" } ?? "" }
        let report = session.reporter()
        let answer: Answer = try await session.eitherForm(
            of: "\(name).finishContentEditing(completionHandler:)",
            handler: { handler in
                await session.onMain {
                    controller?.finishContentEditing { [state] output in
                        guard !state.values.withLock({ $0.isCancelled }) else {
                            return report("\(name) called the finish handler after cancelContentEditing()")
                        }
                        handler(Self.answer(output, state, report))
                    }
                }
            },
            async: { await finishAsync(report) })
        return try answer.get()
    }

    @MainActor private func finishAsync(_ report: @Sendable (String) -> Void) async -> Answer {
        guard let output = await controller?.finishContentEditing() else { return .success(PhotoFinish.Reply(nil)) }
        return Self.answer(output, state, report)
    }

    private static func answer(
        _ output: PHContentEditingOutput?, _ state: State, _ report: @Sendable (String) -> Void
    ) -> Answer {
        guard let output else { return .success(PhotoFinish.Reply(nil)) }
        guard output.input === state.values.withLock({ $0.input }) else {
            let error = ExtensionHostError(
                .invalidArgument, "the output was made from the input of another session",
                remedy: "Make it from the input of the last startContentEditing")
            report(error.message)
            return .failure(error)
        }
        let adjustment = output.adjustmentData
        return .success(
            PhotoFinish.Reply(
                PhotoOutput(
                    adjustment: adjustment?.message,
                    returnsInputAdjustment: adjustment != nil && adjustment === output.input.adjustmentData,
                    rendering: rendering(at: output.renderedContentURL.path))))
    }

    /// Opens a regular file; nil for anything else, which no call can have.
    private static func rendering(at path: String) -> PointFile? {
        guard let file = try? PointFile(readingAt: path), (try? FileStatus(of: file.descriptor.raw).isRegular) == true
        else { return nil }
        return file
    }

    func shouldConfirm() async -> Bool { await session.onMain { controller?.shouldShowCancelConfirmation ?? false } }

    func cancel() async {
        await session.onMain {
            state.values.withLock { $0.isCancelled = true }
            controller?.cancelContentEditing()
        }
    }
}
