// BareChild: what an extension does at the least, without the kit: packets on descriptor 3, each read as a property
// list and written again.

import Foundation
import Glibc
import PropertyListCoding

/// Usage: `BareChild own|codable [once] [ready]`. `own` reads and writes with PropertyListCoding, `codable` with
/// Foundation's coders; `once` answers one packet; `ready` says a word when it could, and has used the codec before
/// that. Linked in three ways by Scripts/bench.
@main
struct BareChild {
    struct Attachment: Codable { var types: [String], suggestedName, kind, value: String }
    struct Information: Codable { var order: Int, pinned: Bool }
    struct Item: Codable {
        var attributedTitle, attributedContentText: String, attachments: [Attachment], userInfo: Information
    }
    struct Request: Codable { var op, id, point: String, deadline: Double, items: [Item] }

    static func main() throws {
        let words = CommandLine.arguments
        let coding = words.contains("codable") ? try codable() : own
        if words.contains("ready") {
            // Of the same shape as what comes.
            _ = try coding(try PropertyListEncoder.binary.encode(sample).map { $0 })
            send(3, [1], 1, Int32(MSG_NOSIGNAL))
        }
        repeat {
            var room = [UInt8](repeating: 0, count: 65536)
            let count = recv(3, &room, room.count, 0)
            guard count > 0 else { break }
            let reply = try coding(Array(room.prefix(count)))
            guard send(3, reply, reply.count, Int32(MSG_NOSIGNAL)) == reply.count else { exit(1) }
        } while !words.contains("once")
    }

    private static func own(_ bytes: [UInt8]) throws -> [UInt8] {
        try PropertyList(binary: bytes, limits: .payload).encodeBinary()
    }

    private static func codable() throws -> ([UInt8]) throws -> [UInt8] {
        let (decoder, encoder) = (PropertyListDecoder(), PropertyListEncoder.binary)
        return { [UInt8](try encoder.encode(try decoder.decode(Request.self, from: Data($0)))) }
    }

    private static var sample: Request {
        let attachment = Attachment(
            types: ["public.url"], suggestedName: "page", kind: "string", value: "https://example.org")
        let item = Item(
            attributedTitle: "title", attributedContentText: "text", attachments: [attachment],
            userInfo: Information(order: 1, pinned: true))
        return Request(op: "begin", id: "1", point: "share", deadline: 1.5, items: [item])
    }
}

extension PropertyListEncoder {
    static var binary: PropertyListEncoder {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return encoder
    }
}
