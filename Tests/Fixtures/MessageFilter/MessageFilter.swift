// MessageFilter: does what the text of a message says, for MessageFilterTests.

import IdentityLookup

final class MessageFilter: ILMessageFilterExtension, ILMessageFilterQueryHandling,
    ILMessageFilterCapabilitiesQueryHandling
{
    private var completion: ((ILMessageFilterQueryResponse) -> Void)?

    func handle(
        _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterCapabilitiesQueryResponse) -> Void
    ) {
        let response = ILMessageFilterCapabilitiesQueryResponse()
        response.transactionalSubActions = [.transactionalOrders, .promotionalOffers, .transactionalOrders]
        response.promotionalSubActions = [.promotionalOffers]
        completion(response)
    }

    func handle(
        _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterQueryResponse) -> Void
    ) {
        let response = ILMessageFilterQueryResponse()
        let words = (queryRequest.messageBody ?? "").split(separator: " ").map(String.init)
        switch words.first {
        case "action":
            response.action = ILMessageFilterAction(rawValue: Int(words[1]) ?? 0) ?? .none
            response.subAction = ILMessageFilterSubAction(rawValue: Int(words[2]) ?? 0) ?? .none
            completion(response)
        case "describe":
            print(queryRequest.sender ?? "no sender", queryRequest.receiverISOCountryCode ?? "no country")
            completion(response)
        case "hang": self.completion = completion
        case "drop": break
        case "die": exit(1)
        case "defer": ask(Int(words[1]) ?? 1, context, response, completion)
        case "socket":
            response.action = Self.hasNetwork ? .junk : .allow
            completion(response)
        case "group":
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: words[1])
            let file = folder?.appendingPathComponent("note")
            let isRead = file.flatMap { try? Data(contentsOf: $0) } == Data("note".utf8)
            let isWritten = file.map { (try? Data("changed".utf8).write(to: $0)) != nil } ?? false
            response.action = isRead ? (isWritten ? .junk : .allow) : .none
            completion(response)
        default: completion(response)
        }
    }

    /// Whether a connection to loopback is refused by its other end, and not by the confinement.
    private static var hasNetwork: Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(9).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return status == 0 || errno == ECONNREFUSED
    }

    /// Asks the server several times, one after the other, and prints what comes.
    private func ask(
        _ count: Int, _ context: ILMessageFilterExtensionContext, _ response: ILMessageFilterQueryResponse,
        _ completion: @escaping (ILMessageFilterQueryResponse) -> Void
    ) {
        guard count > 0 else { return completion(response) }
        context.deferQueryRequestToNetwork { answer, error in
            if let answer {
                let type = answer.urlResponse.value(forHTTPHeaderField: "Content-Type") ?? "no type"
                print(answer.urlResponse.statusCode, type, String(decoding: answer.data, as: UTF8.self))
                response.action = .promotion
            } else if let error = error as? ILMessageFilterError {
                print("error", ILMessageFilterErrorDomain == (error as NSError).domain, error.errorCode)
            }
            self.ask(count - 1, context, response, completion)
        }
    }
}

/// The async forms, without sub-actions.
final class LaterFilter: ILMessageFilterExtension, ILMessageFilterQueryHandling {
    func handle(
        _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext
    ) async -> ILMessageFilterQueryResponse {
        let response = ILMessageFilterQueryResponse()
        do {
            let answer = try await context.deferQueryRequestToNetwork()
            response.action = answer.data.isEmpty ? .allow : .transaction
        } catch {
            response.action = (error as? ILMessageFilterError)?.code == .networkRequestFailed ? .junk : .none
        }
        return response
    }
}

/// A filter that writes neither form.
final class SilentFilter: ILMessageFilterExtension, ILMessageFilterQueryHandling {}

/// A class that answers no questions.
final class NoFilter: ILMessageFilterExtension {}

@main struct Main { static func main() { NSExtensionMain() } }
