// Acts: what the file `acts` of the bundle says that the provider does.

import FileProvider
import Glibc

/// The acts, read at each call, and the calls so far.
final class Acts: @unchecked Sendable {
    // Unchecked: the lock guards the lines, and the counts of acts that have been used up.
    static let shared = Acts()
    private let lock = NSLock()
    private var lines: [String] = []
    private var used: [String: Int] = [:]

    /// Notes a call.
    func note(_ line: String) { lock.withLock { lines.append(line) } }

    var log: String { lock.withLock { lines.joined(separator: "\n") } }

    /// The words behind an act; nil if the file does not have it.
    func words(_ act: String) -> [String]? {
        guard let url = Bundle.main.url(forResource: "acts", withExtension: nil),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return nil }
        for line in text.split(separator: "\n") where line == act || line.hasPrefix(act + " ") {
            return line.dropFirst(act.count).split(separator: " ").map(String.init)
        }
        return nil
    }

    /// Whether an act is to be done, which is done as often as its number says.
    func takes(_ act: String) -> Bool {
        guard let words = words(act) else { return false }
        guard let most = words.first.flatMap({ Int($0) }) else { return true }
        return lock.withLock {
            used[act, default: 0] += 1
            return used[act, default: 0] <= most
        }
    }

    /// The error with which a method is to fail: `fail METHOD CODE`, of Cocoa's domain if the number is positive.
    func failure(_ method: String) -> (any Error)? {
        guard let code = words("fail \(method)")?.first.flatMap({ Int($0) }) else { return nil }
        return NSError(domain: code < 0 ? NSFileProviderErrorDomain : NSCocoaErrorDomain, code: code)
    }

    private let kept = Kept()

    /// Holds an answer back until `release`.
    func hold(_ answer: @escaping @Sendable () -> Void) { kept.add(answer) }

    func release() {
        note("release")
        kept.release()
    }

    /// Notes a call, and answers it, or does with the handler what the acts say.
    func answer(_ method: String, _ detail: String, _ handler: @escaping @Sendable ((any Error)?) -> Void) {
        note(detail.isEmpty ? method : "\(method) \(detail)")
        if words("die \(method)") != nil, takes("die \(method)") { _exit(9) }
        if words("drop \(method)") != nil { return }
        // `hang METHOD DETAIL` holds back only the calls whose detail begins so.
        if let words = words("hang \(method)"), words.first.map({ detail.hasPrefix($0) }) ?? true {
            return hold { [self] in handler(failure(method)) }
        }
        handler(failure(method))
        if words("twice \(method)") != nil { handler(nil) }
    }
}

/// Answers that are held back.
private final class Kept: @unchecked Sendable {
    // Unchecked: the lock guards the answers.
    private let lock = NSLock()
    private var answers: [@Sendable () -> Void] = []
    func add(_ answer: @escaping @Sendable () -> Void) { lock.withLock { answers.append(answer) } }

    func release() {
        let all = lock.withLock {
            defer { answers = [] }
            return answers
        }
        for answer in all { answer() }
    }
}

/// An item of the tests.
final class Item: NSObject, NSFileProviderItem, @unchecked Sendable {
    // Unchecked: only the queue of the request changes it.
    var identifier: String
    var parent: String
    var filename: String
    var contentType: UTType
    var data = Data()
    var version = 1
    var capabilities: NSFileProviderItemCapabilities = [.allowsAll, .allowsEvicting]
    var modified: Date?
    var lastUsed: Date?
    var tags: Data?
    var rank: Int?
    var flags: NSFileProviderFileSystemFlags = [.userReadable, .userWritable]
    var attributes: [String: Data] = [:]
    var link: String?

    init(_ identifier: String, in parent: String, _ name: String, _ type: UTType = .plainText, _ text: String = "") {
        (self.identifier, self.parent, filename, contentType) = (identifier, parent, name, type)
        data = Data(text.utf8)
    }

    var itemIdentifier: NSFileProviderItemIdentifier { .init(identifier) }
    var parentItemIdentifier: NSFileProviderItemIdentifier { .init(parent) }
    var documentSize: NSNumber? { contentType == .folder ? nil : NSNumber(value: data.count) }
    var contentModificationDate: Date? { modified }
    var lastUsedDate: Date? { lastUsed }
    var tagData: Data? { tags }
    var favoriteRank: NSNumber? { rank.map { NSNumber(value: $0) } }
    var fileSystemFlags: NSFileProviderFileSystemFlags { flags }
    var extendedAttributes: [String: Data] { attributes }
    var symlinkTargetPath: String? { link }
    var itemVersion: NSFileProviderItemVersion {
        NSFileProviderItemVersion(
            contentVersion: Data("\(version)".utf8), metadataVersion: Data("\(filename) \(parent)".utf8))
    }
}
