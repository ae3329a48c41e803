// LocalizedNotificationText: the texts of notifications in the user's language.

public import Foundation

extension NSString {
    /// Returns a text of the main bundle with its arguments in place of `%@`. Apple's systems look it up when they show
    /// the notification; this does so at once.
    ///
    /// - Parameters:
    ///   - key: a key of `Localizable.strings`; itself the text if there is none.
    ///   - arguments: shown by their descriptions. The text stays as it is if they are too few.
    public class func localizedUserNotificationString(forKey key: String, arguments: [Any]?) -> String {
        let text = Bundle.main.localizedString(forKey: key, value: nil, table: nil)
        let shown = (arguments ?? []).map { NSString(string: "\($0)") }
        let pieces = text.components(separatedBy: "%").dropFirst()
        guard pieces.count <= shown.count, pieces.allSatisfy({ $0.hasPrefix("@") }) else { return text }
        return String(format: text, arguments: shown)
    }
}
