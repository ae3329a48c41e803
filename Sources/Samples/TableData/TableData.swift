// TableData: a preview extension without a view, which shows comma-separated values as a table in HTML.

import QuickLook

final class PreviewProvider: QLPreviewProvider, QLPreviewingController {
    func providePreview(for request: QLFilePreviewRequest) async throws -> QLPreviewReply {
        let text = try String(contentsOf: request.fileURL, encoding: .utf8)
        let rows = text.split(separator: "\n").map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map {
                "<td>\(Self.escaped($0))</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        let reply = QLPreviewReply(
            dataOfContentType: .html, contentSize: CGSize(width: 600, height: 400),
            createDataUsing: { reply in
                reply.stringEncoding = .utf8
                reply.title = "\(rows.count) rows"
                return Data("<table>\(rows.joined(separator: "\n"))</table>".utf8)
            })
        return reply
    }

    private static func escaped(_ text: Substring) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
