// StampMessages: the calls of a host at a stamp.

import ExtensionPointKit

/// Stamps a text.
public struct ApplyStamp: PointMessage {
    public static let name = "stamp.apply"
    public struct Reply: Codable, Sendable {
        public var text: String
        public init(text: String) { self.text = text }
    }
    public var text: String
    public init(text: String) { self.text = text }
}

/// Stamps pages. Each travels as a part, ahead of their number.
public struct StampPages: PointMessage {
    public static let name = "stamp.pages"
    public typealias Part = ApplyStamp.Reply
    public struct Reply: Codable, Sendable {
        public var count: Int
        public init(count: Int) { self.count = count }
    }
    public var pages: [String]
    public init(pages: [String]) { self.pages = pages }
}

/// Stamps a file, and returns another.
public struct StampFile: PointMessage {
    public static let name = "stamp.file"
    public struct Reply: Codable, Sendable {
        public var file: PointFile
        public init(file: PointFile) { self.file = file }
    }
    public var file: PointFile
    public var fileName: String
    public init(file: PointFile, fileName: String) { (self.file, self.fileName) = (file, fileName) }
}

/// Ends the session. It has neither arguments nor a reply.
public struct EndStamps: PointMessage {
    public static let name = "stamp.end"
    public init() {}
}
