// Thumbnail: the small image of a file that the desktop stores, or makes (freedesktop.org, Thumbnail Managing
// Standard).

internal import Dispatch
internal import Foundation
internal import Glibc
internal import LinuxDescriptors
internal import UniformTypeIdentifiers

/// The search for a thumbnail: in the user's cache, else by an installed thumbnailer, whose result is stored there.
enum Thumbnail {
    /// The folders of the cache with the longer side, in pixels, of their images.
    private static let folders = [("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)]
    /// The queue on which thumbnails are searched for and made.
    static let queue = DispatchQueue(label: "org.exthost.items.thumbnails")
    /// The limit of bytes of a thumbnail; the largest ones have a tenth of that.
    private static let largest = 32 << 20

    /// Finds a thumbnail. Fails with `itemUnavailableError`.
    ///
    /// It blocks the calling thread for as long as a thumbnailer takes, at most 10 s; it polls `isWanted`, which can
    /// end it sooner.
    static func find(
        of file: URL, size: CGSize?, isWanted: @Sendable () -> Bool, completion: (Result<Data, NSError>) -> Void
    ) {
        do throws(NSError) {
            completion(.success(try find(of: file, size: size, isWanted)))
        } catch {
            completion(.failure(error))
        }
    }

    private static func find(of file: URL, size: CGSize?, _ isWanted: () -> Bool) throws(NSError) -> Data {
        let opened = try OpenedFile(file, inPlace: true)
        let path = file.standardizedFileURL.path
        let address = uri(ofPath: path)
        let name = md5(address.utf8) + ".png"
        let wanted = size.map { Int(max($0.width, $0.height).rounded(.up)) } ?? 128
        let first = folders.firstIndex { $0.1 >= wanted } ?? folders.count - 1
        guard let cache = cacheFolder else {
            throw unavailable(path, "there is no home folder for a cache of thumbnails.")
        }
        // An image that is larger than requested is good enough.
        for (folder, _) in folders[first...] {
            if let found = cached("\(cache)/\(folder)/\(name)", address, opened.status.modified) { return found }
        }
        guard let type = UTType(filenameExtension: file.pathExtension), let kind = type.preferredMIMEType,
            let thumbnailer = Thumbnailer.installed(for: kind)
        else { throw unavailable(path, "there is no thumbnail, and no thumbnailer for it is installed.") }
        let made: [UInt8]
        do {
            made = try thumbnailer.run(
                path: path, uri: address, size: folders[first].1, largest: largest, isWanted: isWanted)
        } catch {
            throw unavailable(path, "the thumbnailer \(thumbnailer.name) made nothing: \(error)")
        }
        let texts = [("Thumb::URI", address), ("Thumb::MTime", "\(opened.status.modified)")]
        let image = PNGText.adding(texts, to: made)
        keep(image, "\(cache)/\(folders[first].0)", name)
        return Data(image)
    }

    /// Returns a stored thumbnail, if it is of the file's present version.
    private static func cached(_ path: String, _ address: String, _ modified: Int) -> Data? {
        guard let bytes = try? readFile(path, maximumSize: largest), let texts = PNGText.read(bytes),
            texts["Thumb::URI"] == address, texts["Thumb::MTime"] == "\(modified)"
        else { return nil }
        return Data(bytes)
    }

    /// Stores a thumbnail in the cache whole, or not at all; ignores a cache that cannot be written.
    private static func keep(_ image: [UInt8], _ folder: String, _ name: String) {
        guard
            (try? FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])) != nil
        else { return }
        let draft = "\(folder)/.\(name).\(UInt64.random(in: 0 ... .max))"
        guard let descriptor = try? createFile(draft) else { return }
        let isWritten = (try? image.withUnsafeBytes { try write($0, to: descriptor.raw) }) != nil
        if !isWritten || rename(draft, "\(folder)/\(name)") != 0 { unlink(draft) }
    }

    private static var cacheFolder: String? {
        if let cache = getenv("XDG_CACHE_HOME").map({ String(cString: $0) }), cache.hasPrefix("/") {
            return cache + "/thumbnails"
        }
        return getenv("HOME").map { String(cString: $0) + "/.cache/thumbnails" }
    }

    private static func unavailable(_ path: String, _ reason: String) -> NSError {
        NSItemProvider.error(.itemUnavailableError, "\(path): \(reason)")
    }

    /// Returns the address of a path as GLib writes it, from which the names of thumbnails are made.
    static func uri(ofPath path: String) -> String {
        path.utf8.reduce(into: "file://") { result, byte in
            let isPlain =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!$&'()*+,-./:=@_~".utf8.contains(byte)
                }
            if isPlain {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
