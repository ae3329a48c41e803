// NamedPoint: an extension point by its identifier or name.

import ExtensionPoints
import ExtensionProtocol

/// A point that has an identifier and a name.
protocol NamedPoint {
    var identifier: String { get }
    var name: String { get }
}

extension ExtensionPoint: NamedPoint {}
extension PointRecord: NamedPoint {}

extension Array where Element: NamedPoint {
    /// Returns the point of this identifier, or the only one with this last part of an identifier, or this name. Case
    /// does not matter.
    func named(_ text: String) throws(CommandError) -> Element {
        if let exact = first(where: { $0.identifier == text }) { return exact }
        let wanted = text.lowercased()
        let found = filter { $0.name.lowercased() == wanted || $0.identifier.lowercased().hasSuffix("." + wanted) }
        guard let first = found.first, found.count == 1 else {
            let names = found.map(\.identifier).joined(separator: ", ")
            throw .missing(
                found.isEmpty
                    ? "there is no extension point \(text)" : "\(text) is ambiguous: it can be each of \(names)",
                remedy: found.isEmpty
                    ? "exthostctl show --point lists them; exthostd --extension-points adds more" : "Write one in full"
            )
        }
        return first
    }
}
