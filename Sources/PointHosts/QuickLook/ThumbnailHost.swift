// ThumbnailHost: a host that shows thumbnails of files by thumbnail extensions.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
public import ImageCodecs
public import LinuxDescriptors
internal import PointMessages

/// Asks thumbnail extensions for the thumbnails of files, as Finder and Files do. Safe to use from any task.
public struct ThumbnailHost: Sendable {
    /// The extension point.
    public static let point = "com.apple.quicklook.thumbnail"
    /// The attribute that lists the types of the files.
    public static let supportedTypes = "QLSupportedContentTypes"
    /// The attribute with the least size of a thumbnail, in points.
    public static let minimumDimension = "QLThumbnailMinimumDimension"
    /// The largest size of a thumbnail in points, and in pixels for a point (ours).
    public static let (largestSize, largestScale) = (2048.0, 4.0)
    /// The largest file of an image that the host takes, in bytes (ours).
    public static let largestFile = 64 << 20

    /// The thumbnail of a file, or the reason why there is none.
    public struct Thumbnail: Sendable {
        /// The answer of the extension.
        public enum Answer: Sendable {
            /// An image: a copy of its file in sealed memory, and its header. The header is nil if this machine cannot
            /// read images, which a remark says.
            case image(SharedDescriptor, ImageHeader?)
            /// The extension has neither a thumbnail nor an error.
            case nothing
            /// The extension does not list the exact type of the file. It was not asked.
            case typeNotSupported
            /// The size is below the extension's least size. It was not asked.
            case tooSmall(least: Double)
            /// There is no answer, or the host does not take it.
            case failed(CallFailure)
        }

        /// The uniform type identifier of the file.
        public let type: String
        /// The image, or the reason why there is none.
        public let answer: Answer
        /// Whether the extension has drawn the image, and given no file.
        public let isDrawn: Bool
        /// A short text on the thumbnail; empty: none.
        public let badge: String
        /// Remarks in words.
        public let remarks: [String]
        /// The request; nil if the extension was not asked.
        public let request: ExtensionRequest?
    }

    private let host: HostApplication
    private let inspector: ImageInspector?

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - inspector: the reader of images; nil: images are not checked, which a remark says.
    public init(_ host: HostApplication, inspector: ImageInspector?) { (self.host, self.inspector) = (host, inspector) }

    /// Asks an extension for the thumbnail of a file.
    ///
    /// - Parameters:
    ///   - path: the path of a regular file, which is opened once.
    ///   - type: the uniform type identifier of the file; nil: that of the file name's extension.
    ///   - size: the longest side in points, at most `largestSize`.
    ///   - scale: the pixels of a point, at most `largestScale`.
    ///   - identifier: the thumbnail extension.
    /// - Throws: `SystemError` if the file cannot be opened; `ExtensionHostError` `noSuchExtension`, `invalidArgument` for
    ///   a size, a scale or a file that is none, `connectionLost`; `CancellationError` after the task was cancelled.
    public func thumbnail(
        ofFileAt path: String, type: String? = nil, size: Double = 256, scale: Double = 1, by identifier: String
    ) async throws -> Thumbnail {
        guard size >= 1, size <= Self.largestSize, scale > 0, scale <= Self.largestScale else {
            throw ExtensionHostError(
                .invalidArgument, "a thumbnail of \(size) points with \(scale) pixels each cannot be made",
                remedy: "Use 1 to \(Int(Self.largestSize)) points, and a scale of at most \(Int(Self.largestScale))")
        }
        let declared = try await host.wholeDeclaration(of: identifier)
        guard declared.point == Self.point else {
            throw ExtensionHostError(.noSuchExtension, "\(identifier) makes no thumbnails")
        }
        let subject = try SubjectFile(path, type: type)
        func without(_ answer: Thumbnail.Answer) -> Thumbnail {
            Thumbnail(type: subject.type, answer: answer, isDrawn: false, badge: "", remarks: [], request: nil)
        }
        let attributes = declared.declaration["NSExtensionAttributes"]?.dictionary ?? [:]
        guard subject.isOne(of: attributes[Self.supportedTypes]?.array?.compactMap(\.string) ?? []) else {
            return without(.typeNotSupported)
        }
        let least = attributes[Self.minimumDimension].flatMap { $0.real ?? $0.integer.map(Double.init) } ?? 0
        guard size >= least else { return without(.tooSmall(least: least)) }
        let request = try await host.begin(identifier, items: [])
        do {
            let reply = try await request.call(
                ProvideThumbnail(
                    fileName: subject.name, file: subject.file, width: size, height: size, leastWidth: least,
                    leastHeight: least, scale: scale))
            try await request.end(with: EndThumbnails())
            return try await thumbnail(reply, subject.type, size * scale, request)
        } catch {
            return Thumbnail(
                type: subject.type, answer: .failed(try await CallFailure(error, request)), isDrawn: false, badge: "",
                remarks: [], request: request)
        }
    }

    /// Takes the image of a reply, which an extension may still change, and checks it.
    private func thumbnail(
        _ reply: ProvideThumbnail.Reply, _ type: String, _ pixels: Double, _ request: ExtensionRequest
    ) async throws -> Thumbnail {
        func made(_ answer: Thumbnail.Answer, _ remarks: [String] = []) -> Thumbnail {
            Thumbnail(
                type: type, answer: answer, isDrawn: reply.isDrawn, badge: String(reply.badge.prefix(64)),
                remarks: remarks, request: request)
        }
        guard let file = reply.image else { return made(.nothing) }
        do {
            let copy = try QuickLookData.copy(file, most: Self.largestFile)
            guard let inspector else {
                return made(.image(copy, nil), ["the image was not checked: this machine cannot read images"])
            }
            let header = try await inspector.check(copy)
            var remarks: [String] = []
            if Double(max(header.width, header.height)) > pixels.rounded(.up) {
                remarks.append(
                    "the image has \(header.width) × \(header.height) pixels, and at most \(Int(pixels)) were wanted")
            }
            return made(.image(copy, header), remarks)
        } catch let error as ImageCodecError {
            return made(.failed(.failed(ExtensionHostError(.invalidArgument, "the image cannot be used: \(error)"))))
        } catch let error as ExtensionHostError {
            return made(.failed(.failed(error)))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The extension has no part in it.
            return made(
                .failed(.failed(ExtensionHostError(.invalidArgument, "the image cannot be checked: \(error)"))))
        }
    }
}

/// The data of an extension's answer.
enum QuickLookData {
    /// Returns a sealed copy of a file, which its sender may still change.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` for a file that is not regular, or larger than `most` bytes.
    static func copy(_ file: PointFile, most: Int) throws -> SharedDescriptor {
        let raw = file.descriptor.raw
        let size: Int
        switch PassedFile(raw) {
        case .memory(let known), .file(let known): size = known
        case .other: throw ExtensionHostError(.invalidArgument, "the answer is not a regular file")
        }
        guard size <= most else {
            throw ExtensionHostError(.invalidArgument, "the answer has \(size) bytes, and at most \(most) are taken")
        }
        do {
            // The offset of the descriptor is its sender's.
            var bytes = [UInt8](repeating: 0, count: size)
            let count = try bytes.withUnsafeMutableBytes { try readFile(raw, into: $0) }
            return SharedDescriptor(try SealedMemory.make(Array(bytes.prefix(count))))
        } catch {
            throw ExtensionHostError(.invalidArgument, "the answer cannot be read: \(error)")
        }
    }
}
