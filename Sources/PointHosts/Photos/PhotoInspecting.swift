// PhotoInspecting: the questions of a host about the pixels of files that strangers made.

public import ExtensionHost
public import ImageCodecs
import LinuxDescriptors

/// A reader of photos' files. Files are strangers', so it reads them in another process.
///
/// Each method throws `ExtensionHostError`: `helperMissing` if the machine lacks what it needs, otherwise another code
/// with the reason why the file cannot be read.
public protocol PhotoInspecting: Sendable {
    /// Returns the header of a file.
    func header(of path: String) async throws(ExtensionHostError) -> ImageHeader

    /// Decodes the whole file, and drops the pixels.
    func decode(_ path: String) async throws(ExtensionHostError)

    /// Returns a file of the photo, upright, with at most `longestSide` pixels on its longest side.
    func thumbnail(of path: String, longestSide: Int) async throws(ExtensionHostError) -> [UInt8]

    /// Returns the number of pixels that differ visibly between two photos once they are upright, and of all pixels.
    func changedPixels(_ path: String, _ other: String) async throws(ExtensionHostError) -> (changed: Int, total: Int)
}

/// The confined process reads the files.
extension ImageInspector: PhotoInspecting {
    /// The difference in a channel that counts as none: JPEG changes most pixels by a little.
    private static let tolerance = 8

    public func header(of path: String) async throws(ExtensionHostError) -> ImageHeader {
        try await Self.reading { try await header(of: try Self.file(path)) }
    }

    public func decode(_ path: String) async throws(ExtensionHostError) {
        _ = try await Self.reading { try await check(try Self.file(path)) }
    }

    public func thumbnail(of path: String, longestSide: Int) async throws(ExtensionHostError) -> [UInt8] {
        try await Self.reading {
            let pixels = try await pixels(of: try Self.file(path), longestSide: longestSide)
            return try ImageCodec.encode(pixels, as: .jpeg)
        }
    }

    public func changedPixels(
        _ path: String, _ other: String
    ) async throws(ExtensionHostError) -> (changed: Int, total: Int) {
        try await Self.reading {
            try await differingPixels(try Self.file(path), try Self.file(other), tolerance: Self.tolerance)
        }
    }

    private static func file(_ path: String) throws(SystemError) -> SharedDescriptor {
        SharedDescriptor(try openForReading(path))
    }

    /// Gives each error the form of a host's.
    private static func reading<Value>(
        _ body: () async throws -> Value
    ) async throws(ExtensionHostError) -> Value {
        do {
            return try await body()
        } catch let error as ExtensionHostError {
            throw error
        } catch let error as ImageCodecError {
            if case .libraryMissing(let library, _) = error {
                throw ExtensionHostError(.helperMissing, "\(error)", remedy: "apt install \(library.package)")
            }
            throw ExtensionHostError(.invalidArgument, "\(error)")
        } catch {
            throw ExtensionHostError(.invalidArgument, "the file cannot be read", cause: "\(error)")
        }
    }
}

/// The inspector of a machine without the program that reads photos.
struct MissingInspector: PhotoInspecting {
    let error: ExtensionHostError

    func header(of path: String) throws(ExtensionHostError) -> ImageHeader { throw error }
    func decode(_ path: String) throws(ExtensionHostError) { throw error }
    func thumbnail(of path: String, longestSide: Int) throws(ExtensionHostError) -> [UInt8] { throw error }
    func changedPixels(_ path: String, _ other: String) throws(ExtensionHostError) -> (changed: Int, total: Int) {
        throw error
    }
}
