// ImportSupport: the calls of a Spotlight import extension, as calls of the author's code.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import PointFrameworkKit
import PointMessages

/// The framework's half of `com.apple.spotlight.import`.
final class ImportSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is CSImportExtension.Type else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a subclass of CSImportExtension",
                remedy: "Inherit from it, or name another class in NSExtensionPrincipalClass")
        }
        return session.makeObject(of: type)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case ImportFile.name:
            let message = try call.decode(ImportFile.self)
            guard let author = session.principal as? CSImportExtension else {
                throw ExtensionHostError(.contextFinished, "the request has ended")
            }
            let file = try session.lend(message.file, named: message.fileName, for: call)
            let attributes = CSSearchableItemAttributeSet(itemContentType: message.type)
            attributes.displayName = message.fileName
            do {
                try author.update(attributes, forFileAt: file)
            } catch is NotProvided {
                throw ExtensionHostError(
                    .notImplemented, "\(type(of: author)) has not written update(_:forFileAt:)")
            }
            let item = CSSearchableItem(
                uniqueIdentifier: message.fileName, domainIdentifier: nil, attributeSet: attributes)
            return try PointEncoder.encode(ImportFile.Reply(try item.message.withThumbnail()))
        case EndImport.name: return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "CoreSpotlight has no call \(call.name)")
        }
    }
}
