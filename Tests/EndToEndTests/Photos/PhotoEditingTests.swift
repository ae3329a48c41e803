// PhotoEditingTests: edits of photos, from the offer to the stored rendering (spec PE-1 to PE-22).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Testing

@Suite struct PhotoEditingTests {
    private static let editor = PhotoStage.editor

    // spec: PE-1
    @Test(
        "PE-1: an extension is offered for the media types that it lists, and refused for others",
        arguments: [
            (["Image"], true, false), (["Video"], false, true), (["Image", "Video"], true, true), (nil, true, false),
        ] as [([String]?, Bool, Bool)])
    func mediaTypes(listed: [String]?, photos: Bool, videos: Bool) async throws {
        try await PhotoStage.with("nothing", media: listed) { stage in
            let (photo, video) = (try stage.add(), try stage.add("thevideo", header: PhotoStage.quickTime))
            #expect(photo.media == .image && video.media == .video)
            for (asset, isOffered) in [(photo, photos), (video, videos)] {
                let offered = try await stage.photos.extensions(for: asset).map(\.identifier)
                #expect(offered == (isOffered ? [Self.editor] : []))
                guard !isOffered else {
                    #expect(try await stage.photos.begin(Self.editor, editing: asset.id).finish() == nil)
                    continue
                }
                let error = await #expect(throws: ExtensionHostError.self) {
                    try await stage.photos.begin(Self.editor, editing: asset.id)
                }
                #expect(error?.code == .ruleMismatch && error?.message.contains("PHSupportedMediaTypes") == true)
            }
        }
    }

    // spec: PE-2, PE-3, PE-4, PE-15, PE-16
    @Test("PE-2, PE-3, PE-4, PE-15, PE-16: the last edit is offered to the next extension, until it is reverted")
    func theNextEditContinues() async throws {
        try await PhotoStage.with(others: ["second": "", "third": "cannotHandle"]) { stage in
            let asset = try stage.add()
            func edit(_ name: String) async throws -> PhotoEditingSession {
                let session = try await stage.photos.begin("org.exthost.tests.\(name)", editing: asset.id)
                #expect(try await session.finish() != nil)
                #expect(await session.request.outcome.kind == .completed)
                return session
            }
            let begun = ["viewDidLoad", "start original, adjustment none", "placeholder original", "viewWillAppear"]
            #expect(try await edit("editor").continuesEdit == false)
            #expect(try await stage.lines() == begun + ["finish"])

            let edited = try stage.library.asset(asset.id)
            #expect(PhotoStage.name(edited.original) == "original" && PhotoStage.name(edited.current) == "rendered")
            #expect(edited.adjustment?.formatIdentifier == "org.example.darkroom")
            // Another extension that knows the data gets the original, with the current state as placeholder.
            #expect(try await edit("second").continuesEdit)
            let continued = [
                "canHandle org.example.darkroom 1.0 5", "viewDidLoad",
                "start original, adjustment org.example.darkroom", "placeholder rendered", "viewWillAppear", "finish",
            ]
            #expect(try await stage.lines().suffix(6) == continued[...])
            // An extension that does not know the data gets the rendering without it.
            #expect(try await edit("third").continuesEdit == false)
            let begunAnew = [
                "canHandle org.example.darkroom 1.0 5", "viewDidLoad", "start rendered, adjustment none",
                "placeholder rendered", "viewWillAppear", "finish",
            ]
            #expect(try await stage.lines().suffix(6) == begunAnew[...])

            try stage.library.revert(asset.id)
            let reverted = try stage.library.asset(asset.id)
            #expect(reverted.rendering == nil && reverted.adjustment == nil && reverted.original == asset.original)
            #expect(PhotoStage.name(reverted.current) == "original")
            _ = try await edit("editor")
            #expect(Array(try await stage.lines().suffix(5)) == begun + ["finish"])
            #expect(try stage.library.assets().map(\.id) == [asset.id])
        }
    }

    // spec: PE-19, PE-20, PE-21
    @Test("PE-19, PE-20, PE-21: a video is an AVURLAsset, there is no live photo, and the context has Apple's class")
    func theInputOfAVideo() async throws {
        try await PhotoStage.with("describe", media: ["Video"]) { stage in
            let path = stage.folder + "/film.mov"
            try Data(PhotoStage.quickTime + Array("thevideo".utf8)).write(to: URL(fileURLWithPath: path))
            let asset = try stage.library.add(
                path, subtypes: 1 << 16, created: 1_400_000_000, place: PhotoPlace(latitude: 48.5, longitude: -9))
            let session = try await stage.photos.begin(Self.editor, editing: asset.id)
            let lines = try await stage.lines()
            #expect(
                Array(lines.dropFirst()) == [
                    "start thevideo, adjustment none", "placeholder thevideo",
                    "PHEditingExtensionContext, video, subtypes 65536", "created 1400000000", "place 48.5 -9.0",
                    "type com.apple.quicktime-movie, orientation 1", "live photo none", "film film.mov", "display none",
                    "viewWillAppear",
                ])
            // The rendering of a video is a QuickTime file.
            let fault = await #expect(throws: PhotoEditFault.self) { try await session.finish() }
            #expect(fault == .wrongFormat(.jpeg, wanted: .quickTime))
            try stage.setRendering(PhotoStage.quickTime + Array("newvideo".utf8))
            let edit = try await stage.photos.begin(Self.editor, editing: asset.id).finish()
            #expect(edit != nil && edit?.after == nil && edit?.remarks == [])
            #expect(PhotoStage.name(try stage.library.asset(asset.id).current) == "newvideo")
        }
    }

    // spec: PE-6
    @Test("PE-6: nil saves nothing, and an output of another session's input is refused")
    func theOutputBelongsToTheInput() async throws {
        try await PhotoStage.with("nothing", others: ["other": "otherInput"]) { stage in
            let asset = try stage.add()
            #expect(try await stage.photos.begin(Self.editor, editing: asset.id).finish() == nil)
            #expect(try stage.library.asset(asset.id) == asset)

            let other = "org.exthost.tests.other"
            #expect(try await stage.photos.begin(other, editing: asset.id).finish() != nil)
            let edited = try stage.library.asset(asset.id)
            let session = try await stage.photos.begin(other, editing: asset.id)
            let error = await #expect(throws: ExtensionHostError.self) { try await session.finish() }
            #expect(error?.code == .invalidArgument && error?.message.contains("another session") == true)
            #expect(try stage.library.asset(asset.id) == edited)
            try await stage.daemon.event { $0.event == EventName.contextFault.rawValue }
        }
    }

    // spec: PE-7, PE-8, PE-9, PE-10, PE-11
    @Test(
        "PE-7, PE-8, PE-9, PE-10, PE-11: an edit is refused with its reason, and the asset stays as it was",
        arguments: [
            ("noRendering", "rendered", .noRendering),
            ("noAdjustment", "rendered", .noAdjustmentData),
            ("oldAdjustment", "rendered", .oldAdjustmentData),
            ("size 2097152", "rendered", .adjustmentDataTooLarge(2_097_152 + 23)),
            ("", "isturned", .wrongOrientation(6)),
            ("", "_damaged", .undecodable("premature end of file")),
            ("length 268435457", "", .renderingTooLarge(268_435_457)),
            ("length 100", "", .wrongFormat(nil, wanted: .jpeg)),
            ("folder", "", .noRendering),
            ("fifo", "", .noRendering),
            ("device", "", .noRendering),
        ] as [(String, String, PhotoEditFault)])
    func refusals(wish: String, rendering: String, fault: PhotoEditFault) async throws {
        try await PhotoStage.with(wish, others: ["first": ""]) { stage in
            let asset = try stage.add()
            try stage.setRendering(PhotoStage.jpeg + Array(rendering.utf8))
            _ = try await stage.photos.begin("org.exthost.tests.first", editing: asset.id).finish()
            let edited = try stage.library.asset(asset.id)
            let session = try await stage.photos.begin(Self.editor, editing: asset.id)
            let found = await #expect(throws: PhotoEditFault.self) { try await session.finish() }
            #expect(found == fault)
            #expect(await session.request.outcome.kind == .completed)
            #expect(try stage.library.asset(asset.id) == edited && PhotoStage.name(edited.current) == "rendered")
            // Nothing of it is left, and the asset is free.
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(stage.library.folder)/\(asset.id)")
            #expect(files.count == 3, "\(files)")
            try stage.library.revert(asset.id)
        }
    }

    // spec: PE-8
    @Test("PE-8: a PNG as the rendering of a photo is refused")
    func aPNGIsRefused() async throws {
        try await PhotoStage.with { stage in
            let asset = try stage.add("screenie", header: PhotoStage.png)
            try stage.setRendering(PhotoStage.png + Array("rendered".utf8))
            let session = try await stage.photos.begin(Self.editor, editing: asset.id)
            let fault = await #expect(throws: PhotoEditFault.self) { try await session.finish() }
            #expect(fault == .wrongFormat(.png, wanted: .jpeg))
            #expect(fault?.description.contains("PNG, and must be JPEG") == true)
            #expect(try stage.library.asset(asset.id) == asset)
        }
    }

    // spec: PE-11
    @Test("PE-11: adjustment data above 1 MiB is stored, with a remark")
    func largeAdjustmentData() async throws {
        try await PhotoStage.with("size 1048577") { stage in
            let asset = try stage.add()
            let edit = try await stage.photos.begin(Self.editor, editing: asset.id).finish()
            #expect(edit?.remarks.count == 1 && edit?.remarks.first?.contains("no pixels") == true)
            #expect(try stage.library.asset(asset.id).adjustment?.data.count == 1_048_577)
        }
    }

    @Test("PE-10: without the codecs the bytes go through, and the report says what is not checked")
    func withoutCodecs() async throws {
        try await PhotoStage.with(inspector: NoCodecs()) { stage in
            let asset = try stage.add()
            let first = try await stage.photos.begin(Self.editor, editing: asset.id).finish()
            #expect(first?.remarks.first?.contains("not checked: there are no codecs") == true)
            #expect(first?.before == nil && first?.after == nil)
            _ = try await stage.photos.begin(Self.editor, editing: asset.id).finish()
            #expect(try await stage.lines().contains("placeholder rendered"))
        }
    }

    @Test func whatAnExtensionWritesAfterItsAnswerChangesNothing() async throws {
        try await PhotoStage.with("changeLater") { stage in
            let asset = try stage.add()
            _ = try? await stage.photos.begin(Self.editor, editing: asset.id).finish()
            let current = try stage.library.asset(asset.id).current
            let before = FileManager.default.contents(atPath: current)
            _ = try await stage.daemon.control.kill(.identifier(Self.editor))
            #expect(FileManager.default.contents(atPath: current) == before)
            #expect(try FileManager.default.attributesOfItem(atPath: current)[.posixPermissions] as? Int == 0o400)
        }
    }

    // MARK: Cancel

    // spec: PE-12
    @Test("PE-12: a cancel ends the session at once, or asks the person first", arguments: ["", "confirm"])
    func confirmation(wish: String) async throws {
        try await PhotoStage.with(wish) { stage in
            let asset = try stage.add()
            let session = try await stage.photos.begin(Self.editor, editing: asset.id)
            let isCancelled = try await session.cancel(confirming: .goOn)
            #expect(isCancelled == (wish != "confirm"))
            if !isCancelled {
                #expect(try await stage.lines().last == "shouldShowCancelConfirmation")
                #expect(session.view != nil)
                #expect(try await session.cancel(confirming: .confirm))
            }
            #expect(await session.request.outcome.kind == .completed)
            #expect(Array(try await stage.lines().suffix(2)) == ["shouldShowCancelConfirmation", "cancel"])
            let late = await #expect(throws: ExtensionHostError.self) { try await session.finish() }
            #expect(late?.code == .contextFinished)
            #expect(try stage.library.asset(asset.id) == asset)
        }
    }

    // spec: PE-13
    @Test("PE-13: a cancel may come while the output is made; a later call of the handler is ignored and logged")
    func cancelDuringFinish() async throws {
        try await PhotoStage.with("later") { stage in
            let asset = try stage.add()
            let session = try await stage.photos.begin(Self.editor, editing: asset.id)
            let finishing = Task { try await session.finish() }
            try await eventually { try await stage.lines().last == "finish" }
            #expect(try await session.cancel())
            let error = await #expect(throws: CocoaError.self) { try await finishing.value }
            #expect(error?.code == .userCancelled)
            try await stage.daemon.event {
                $0.event == EventName.contextFault.rawValue
                    && $0.detail?.contains("finish handler after cancelContentEditing()") == true
            }
            #expect(try stage.library.asset(asset.id) == asset)
            #expect(await session.request.outcome.kind == .completed)
            try stage.library.revert(asset.id)
        }
    }

    // spec: PE-14
    @Test("PE-14: without an answer in 60 s the edit fails, and the extension is cancelled")
    func theTimeLimit() async throws {
        try await PhotoStage.with("hang") { stage in
            let asset = try stage.add()
            let session = try await stage.photos.begin(Self.editor, editing: asset.id)
            let finishing = Task { try await session.finish() }
            try await stage.daemon.event { $0.detail?.hasPrefix("photo.finishContentEditing") == true }
            try await stage.daemon.clock.advance(by: .seconds(59))
            try await stage.host.application.fence()
            #expect(try await stage.daemon.control.requests().count == 1)
            try await stage.daemon.clock.advance(by: .seconds(1))
            let error = await #expect(throws: ExtensionHostError.self) { try await finishing.value }
            #expect(error?.code == .timedOut)
            #expect(await session.request.outcome.cause == .cancelledByHost)
            #expect(try stage.library.asset(asset.id) == asset)
        }
    }

    // MARK: Forms and faults of classes

    // spec: PC-12
    @Test("PC-12: an extension may write the async form of finishContentEditing, and needs one of the two")
    func theAsyncForm() async throws {
        try await PhotoStage.with(principal: "AsyncController") { stage in
            let edit = try await stage.photos.begin(Self.editor, editing: try stage.add().id).finish()
            #expect(edit?.adjustment.formatIdentifier == "org.example.async")
        }
        try await PhotoStage.with(principal: "EndlessController") { stage in
            let session = try await stage.photos.begin(Self.editor, editing: try stage.add().id)
            let error = await #expect(throws: ExtensionHostError.self) { try await session.finish() }
            #expect(error?.code == .notImplemented && error?.message.contains("finishContentEditing") == true)
        }
    }

    @Test func aReleasedHandlerFailsTheEdit() async throws {
        try await PhotoStage.with("drop") { stage in
            let session = try await stage.photos.begin(Self.editor, editing: try stage.add().id)
            let error = await #expect(throws: ExtensionHostError.self) { try await session.finish() }
            #expect(error?.code == .handlerDropped && error?.message.contains("finishContentEditing") == true)
        }
    }

    @Test func aClassThatIsNoEditorIsRefused() async throws {
        try await PhotoStage.with(principal: "PlainController") { stage in
            let asset = try stage.add()
            let error = await #expect(throws: (any Error).self) {
                try await stage.photos.begin(Self.editor, editing: asset.id)
            }
            #expect((error as NSError?)?.code == 27, "principalUnsuitable: \(String(describing: error))")
            #expect(error?.localizedDescription.contains("PHContentEditingController") == true)
            try stage.library.revert(asset.id)
        }
    }

    @Test("PC-27: at this point an extension without the framework lives and ends as at others")
    func anExtensionWithoutTheFramework() async throws {
        let bundles = try TestBundles.withPuppet(point: "com.apple.photo-editing")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("photos")
            let request = try await host.begin(puppet, items: [order("return", "x")])
            #expect(await request.outcome.kind == .completed)
        }
    }

    // spec: PE-22
    @Test("PE-22: a person acts on the view of a session, and an asset has one session at a time")
    func theSession() async throws {
        try await PhotoStage.with("later") { stage in
            let asset = try stage.add()
            let session = try await stage.photos.begin(Self.editor, editing: asset.id)
            let busy = await #expect(throws: ExtensionHostError.self) {
                try await stage.photos.begin(Self.editor, editing: asset.id)
            }
            #expect(busy?.code == .notPermitted && busy?.message.contains("is being edited") == true)
            #expect(throws: ExtensionHostError.self) { try stage.library.revert(asset.id) }
            #expect(await session.request.view { $0["Answer"] != nil } != nil)
            let finishing = Task { try await session.finish() }
            try await eventually { try await stage.lines().last == "finish" }
            try await session.use(.tap("Answer"))
            #expect(try await finishing.value == nil)
            #expect(await session.request.outcome.kind == .completed)
            let unknown = await #expect(throws: ExtensionHostError.self) {
                try await stage.photos.begin(Self.editor, editing: "../" + asset.id)
            }
            #expect(unknown?.code == .invalidArgument)
        }
    }
}
