// The calls of the extension point that CallTests uses.

public import ExtensionPointKit

/// Returns its arguments.
public struct Echo: PointMessage {
    public static let name = "test.echo"
    public var text: String
    public var number: Int?
    public var bytes: [UInt8]?
    public var list: [String: [Double]]?

    public struct Reply: Codable, Sendable, Equatable {
        public var text: String
        public var number: Int?
        public var bytes: [UInt8]?
        public var list: [String: [Double]]?

        public init(_ echo: Echo) { (text, number, bytes, list) = (echo.text, echo.number, echo.bytes, echo.list) }
    }

    public init(text: String, number: Int? = nil, bytes: [UInt8]? = nil, list: [String: [Double]]? = nil) {
        (self.text, self.number, self.bytes, self.list) = (text, number, bytes, list)
    }
}

/// Ends in some way.
public struct End: PointMessage {
    public static let name = "test.end"
    /// What the extension does.
    public enum Way: String, Codable, Sendable, CaseIterable {
        /// Throws an error of the author's.
        case fail
        /// Never answers, unless it is told that its time is over.
        case hang
        /// Drops its completion handler.
        case drop
        /// Calls its completion handler twice.
        case twice
        /// Exits.
        case exit
        /// Completes the request without an answer.
        case complete
    }
    public var way: Way
    public init(_ way: Way) { self.way = way }
}

/// Sends numbers as parts, and their sum as the reply.
public struct Count: PointMessage {
    public static let name = "test.count"
    public struct Part: Codable, Sendable {
        public var number: Int
        public init(_ number: Int) { self.number = number }
    }
    public struct Reply: Codable, Sendable {
        public var sum: Int
        public init(_ sum: Int) { self.sum = sum }
    }
    public var upTo: Int
    /// Whether the parts are sent at once, and not each after the one before was taken.
    public var atOnce: Bool?
    public init(upTo: Int, atOnce: Bool? = nil) { (self.upTo, self.atOnce) = (upTo, atOnce) }
}

/// Makes the extension call its host.
public struct Ask: PointMessage {
    public static let name = "test.ask"
    public var name: String
    public typealias Reply = Echo.Reply
    public init(name: String = Question.name) { self.name = name }
}

/// The extension's call of its host.
public struct Question: PointMessage {
    public static let name = "test.question"
    public var text: String
    public typealias Reply = Echo.Reply
    public init(_ text: String) { self.text = text }
}

/// A call that the extension point does not list.
public struct Unlisted: PointMessage {
    public static let name = "test.unlisted"
    public init() {}
}

/// Lends a file, and returns another with twice its contents.
public struct Duplicate: PointMessage {
    public static let name = "test.double"
    public struct Reply: Codable, Sendable {
        public var file: PointFile
        public init(_ file: PointFile) { self.file = file }
    }
    public var file: PointFile
    public init(_ file: PointFile) { self.file = file }
}

/// Returns what the extension has seen so far: the texts of echoes in their order, and counts of calls.
public struct History: PointMessage {
    public static let name = "test.history"
    public struct Reply: Codable, Sendable {
        public var texts: [String] = []
        public var expired = 0
        public var cancelled = 0
        public var hanging = 0
        public var waiting = 0
        /// The parts that were not taken.
        public var refused = 0
        public init() {}
    }
    public init() {}
}

/// Waits for `Release`, and returns how often it was called.
public struct Wait: PointMessage {
    public static let name = "test.wait"
    public struct Reply: Codable, Sendable {
        public var times: Int
        public init(_ times: Int) { self.times = times }
    }
    public init() {}
}

/// Ends all waits.
public struct Release: PointMessage {
    public static let name = "test.release"
    public init() {}
}

/// Returns where the author's code runs, and what it was given.
public struct Facts: PointMessage {
    public static let name = "test.facts"
    public struct Reply: Codable, Sendable {
        /// The label of the queue.
        public var queue: String
        /// Whether it is the queue of `beginRequest(with:)`.
        public var isQueueOfBegin: Bool
        public var isMainThread: Bool
        /// The class of the context.
        public var context: String
        /// Whether `beginRequest(with:)` got the same context.
        public var isContextOfBegin: Bool

        public init(queue: String, isQueueOfBegin: Bool, isMainThread: Bool, context: String, isContextOfBegin: Bool) {
            (self.queue, self.isQueueOfBegin, self.isMainThread) = (queue, isQueueOfBegin, isMainThread)
            (self.context, self.isContextOfBegin) = (context, isContextOfBegin)
        }
    }
    public init() {}
}

/// Calls a method of the author's in its forms.
public struct Speak: PointMessage {
    public static let name = "test.speak"
    /// The forms that the author has written.
    public enum Form: String, Codable, Sendable, CaseIterable { case handler, async, both, neither }
    public struct Reply: Codable, Sendable, Equatable {
        public var text: String
        /// The value of an optional method; absent if it is not written.
        public var remark: String?
        public init(_ text: String, remark: String?) { (self.text, self.remark) = (text, remark) }
    }
    public var form: Form
    /// Whether the author's code throws.
    public var fails: Bool?
    public init(_ form: Form, fails: Bool? = nil) { (self.form, self.fails) = (form, fails) }
}

/// Lends a file to the author's code, which reads the copy and changes it.
public struct Lend: PointMessage {
    public static let name = "test.lend"
    public struct Reply: Codable, Sendable {
        /// The copy's path.
        public var path: String
        public var contents: String
        /// The files whose copies are there at the end of the author's code.
        public var present: [String]
        public init(path: String, contents: String, present: [String]) {
            (self.path, self.contents, self.present) = (path, contents, present)
        }
    }
    public var file: PointFile
    public var fileName: String
    /// Whether the copy stays until the request ends.
    public var stays: Bool?
    /// Whether the author's code fails with the copy's path.
    public var fails: Bool?

    public init(_ file: PointFile, named name: String, stays: Bool? = nil, fails: Bool? = nil) {
        (self.file, fileName, self.stays, self.fails) = (file, name, stays, fails)
    }
}

/// Asks whether there is a file.
public struct Present: PointMessage {
    public static let name = "test.present"
    public struct Reply: Codable, Sendable {
        public var isThere: Bool
        public init(_ isThere: Bool) { self.isThere = isThere }
    }
    public var path: String
    public init(_ path: String) { self.path = path }
}

/// Opens the extension's end of a stream.
public struct Attend: PointMessage {
    public static let name = "test.attend"
    /// The extension's way with each entry.
    public enum Way: String, Codable, Sendable {
        /// Sends it back.
        case echo
        /// Takes it, and the rest only after `Release`.
        case hold
        /// Sends it back, and closes the stream.
        case closeAfterFirst
    }
    public var offer: PointStreamOffer
    public var way: Way
    public init(_ offer: PointStreamOffer, _ way: Way = .echo) { (self.offer, self.way) = (offer, way) }
}
