// PhotoEditingHost: a host that lets extensions edit the photos and videos of a library.

public import ExtensionHost
import ImageCodecs
import LinuxDescriptors
import PointMessages
import PropertyListCoding

/// Lets photo editing extensions edit the assets of a library, as the system's Photos app does.
public struct PhotoEditingHost: Sendable {
    /// The extension point of photo editing extensions.
    public static let point = "com.apple.photo-editing"
    /// The longest side of a placeholder, in pixels (ours).
    private static let placeholderSide = 1024

    private let host: HostApplication
    /// The assets.
    public let library: AssetLibrary
    private let inspector: any PhotoInspecting

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - library: the assets.
    ///   - inspector: the reader of the photos' files; nil: the confined process `exthost-images`. Without that program
    ///     no edit of a photo begins.
    public init(_ host: HostApplication, library: AssetLibrary, inspector: (any PhotoInspecting)? = nil) {
        (self.host, self.library) = (host, library)
        self.inspector = inspector ?? Self.standardInspector
    }

    private static var standardInspector: any PhotoInspecting {
        do throws(ExtensionHostError) {
            return try ImageInspector()
        } catch {
            return MissingInspector(error: error)
        }
    }

    /// Returns the number of pixels that differ visibly between the original and the current state of an asset, and of
    /// all pixels.
    ///
    /// - Throws: `ExtensionHostError`: `helperMissing` without the codecs; `invalidArgument` for a video, or if a file
    ///   cannot be decoded.
    public func changedPixels(
        of asset: AssetLibrary.Asset
    ) async throws(ExtensionHostError) -> (changed: Int, total: Int) {
        try await inspector.changedPixels(asset.original, asset.current)
    }

    /// Returns the photo editing extensions that a person may choose for an asset, in the order of their identifiers:
    /// those that list its kind of media, and are not switched off.
    ///
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func extensions(for asset: AssetLibrary.Asset) async throws -> [FoundExtension] {
        var offered: [FoundExtension] = []
        for found in try await host.extensions() where found.point == Self.point {
            if try await media(of: found.identifier).contains(asset.media) { offered.append(found) }
        }
        return offered
    }

    /// Returns the kinds of media that an extension lists under `PHSupportedMediaTypes`; photos without the key (from
    /// memory).
    private func media(of identifier: String) async throws -> Set<PhotoMedia> {
        let attributes = try await host.attributes(of: identifier)
        guard let listed = attributes["PHSupportedMediaTypes"] else { return [.image] }
        let names: [String: PhotoMedia] = ["Image": .image, "Video": .video, "LivePhoto": .livePhoto]
        let values = listed.array ?? [listed]
        return Set(values.compactMap { $0.string.flatMap { names[$0] } })
    }

    /// Begins an edit: offers the asset's last edit to the extension, gives it the asset, and shows its view.
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - id: the asset, which no other edit may have.
    /// - Throws: `ExtensionHostError`: `ruleMismatch` if the extension does not list the asset's kind of media,
    ///   `invalidArgument` if there is no such asset, or if a photo is damaged, `notPermitted` while it is being edited,
    ///   `helperMissing` for a photo without `exthost-images`; errors of `HostApplication.begin` and of the calls.
    public func begin(
        _ identifier: String, editing id: AssetLibrary.Asset.ID
    ) async throws -> PhotoEditingSession {
        let edit = try library.edit(id)
        do {
            return try await begin(identifier, edit)
        } catch {
            edit.release()
            throw error
        }
    }

    private func begin(_ identifier: String, _ edit: AssetEdit) async throws -> PhotoEditingSession {
        let asset = edit.asset
        guard try await media(of: identifier).contains(asset.media) else {
            let word = asset.media == .video ? "Video" : "Image"
            throw ExtensionHostError(
                .ruleMismatch, "\(identifier) does not list \(word) under PHSupportedMediaTypes",
                remedy: "Add \(word) to the key in its NSExtensionAttributes, or edit another asset")
        }
        // A missing part of the installation is no missing codec.
        if asset.media != .video, let missing = inspector as? MissingInspector { throw missing.error }
        let request = try await host.begin(identifier, items: [])
        do {
            var continues = false
            if let adjustment = asset.adjustment {
                continues = try await request.call(PhotoCanHandle(adjustment)).canHandle
            }
            let (input, placeholder) = try await input(of: edit, continues: continues)
            try await request.call(PhotoStart(input: input, placeholder: placeholder))
            return PhotoEditingSession(request, edit, inspector, continues: continues)
        } catch {
            try? await request.cancel()
            // The reason why there is no extension to call says more than the failed call.
            switch await request.outcome {
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason): throw reason
            default: throw error
            }
        }
    }

    /// Returns the value of a question about pixels; nil without the codecs, where the bytes go through.
    ///
    /// - Throws: `ExtensionHostError` for a file that cannot be read.
    private func withCodecs<Value>(
        _ question: () async throws(ExtensionHostError) -> Value
    ) async throws(ExtensionHostError) -> Value? {
        do {
            return try await question()
        } catch {
            guard error.code == .helperMissing else { throw error }
            return nil
        }
    }

    /// Makes the input, and an image of the current state.
    private func input(of edit: AssetEdit, continues: Bool) async throws -> (PhotoInput, PointFile?) {
        let asset = edit.asset
        let path = asset.input(continues)
        let format = path == asset.original ? asset.format : MediaFormat.ofRenderings(asset.media)
        var orientation = 1
        var placeholder: SharedDescriptor?
        if asset.media != .video {
            let header = try await withCodecs { () async throws(ExtensionHostError) in
                try await inspector.header(of: path)
            }
            orientation = header.map { Int($0.orientation) } ?? 1
            let image = try await withCodecs { () async throws(ExtensionHostError) in
                try await inspector.thumbnail(of: asset.current, longestSide: Self.placeholderSide)
            }
            if let image {
                placeholder = try edit.lend(image)
            } else if path != asset.current {
                placeholder = try edit.lend(asset.current)
            }
        }
        let input = PhotoInput(
            media: asset.media, subtypes: asset.subtypes, created: asset.created, place: asset.place, type: format.type,
            orientation: orientation, adjustment: continues ? asset.adjustment : nil, fileName: asset.fileName,
            file: PointFile(try edit.lend(path)))
        return (input, placeholder.map { PointFile($0) })
    }
}
