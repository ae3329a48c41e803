// ScenarioAnswer: an answer of a pretended server to background transfers, and a reader of the words after `answer`.

/// An answer to the attempts of a URL, in place of a server's.
public struct ScenarioAnswer: Sendable, Hashable {
    public enum Body: Sendable, Hashable {
        case text(String)
        /// The path of a file, and the column of the path.
        case file(String, column: Int)
    }

    /// A header field.
    public struct Header: Sendable, Hashable {
        public let name, value: String
    }

    public var url: String
    /// The status; nil: the connection is lost before an answer.
    public var status: Int? = 200
    public var headers: [Header] = []
    public var body: Body?
    /// The strong entity tag of the body.
    public var tag: String?
    /// The number of bytes of the body after which the connection is cut.
    public var cut: Int?
    /// The time until the answer, and from there to its end.
    public var delay = Duration.zero, duration = Duration.zero
    /// The number of attempts that get the answer; nil: all.
    public var times: Int?

    init(_ url: String) { self.url = url }
}

/// The side that gets the events of a background session.
public enum TransferSide: String, Sendable, Hashable, CaseIterable { case app, `extension`, any }

extension ScenarioAnswer {
    private static let options = [
        "status", "header", "body", "file", "tag", "cut", "delay", "duration", "times",
    ]
    /// The options that belong to an answer with a status.
    private static let ofAnswers: Set<String> = ["header", "body", "file", "tag", "cut", "duration"]

    /// Reads `URL [status N] [body TEXT] …`, the options in any order.
    init(_ line: inout LineReader) throws(ScenarioFault) {
        let url = try line.word("a URL")
        guard let scheme = ["http://", "https://"].first(where: url.text.hasPrefix), url.text != scheme else {
            throw line.fault(
                url, "“\(url.text)” is no URL of a transfer", remedy: "Write it with its scheme: https://example.org/a")
        }
        self.init(url.text)
        var given: [String: ScenarioWord] = [:]
        while let word = line.optional() {
            guard !word.isQuoted, Self.options.contains(word.text) else {
                throw line.fault(
                    word, "“\(word.text)” is not expected here",
                    remedy: "There are: \(Self.options.joined(separator: ", "))")
            }
            guard given.updateValue(word, forKey: word.text) == nil || word.text == "header" else {
                throw line.fault(word, "“\(word.text)” is repeated", remedy: "Omit one of them")
            }
            try read(word, &line)
        }
        if let file = given["file"], given["body"] != nil {
            throw line.fault(file, "the answer has two bodies", remedy: "Write body TEXT, or file PATH")
        }
        if let tag = given["tag"], status != nil, status != 200 {
            throw line.fault(tag, "an answer \(status ?? 0) has no tag", remedy: "Omit it: only status 200 has a tag")
        }
        if status == nil,
            let word = given.filter({ Self.ofAnswers.contains($0.key) }).map(\.value).min(by: {
                $0.column < $1.column
            })
        {
            throw line.fault(word, "without an answer there is no \(word.text)", remedy: "Omit it, or write a status")
        }
    }

    private mutating func read(_ option: ScenarioWord, _ line: inout LineReader) throws(ScenarioFault) {
        switch option.text {
        case "status":
            let word = try line.word("a status, or none")
            if word.text == "none" {
                status = nil
                return
            }
            guard let number = Int(word.text), (200...599).contains(number) else {
                throw line.fault(
                    word, "“\(word.text)” is no status",
                    remedy: "Write a number from 200 to 599, or none for a connection that is lost before an answer")
            }
            status = number
        case "header": headers.append(try header(&line))
        case "body": body = .text(try line.word("the text of the body").text)
        case "file":
            let word = try line.word("the path of a file")
            guard !word.text.isEmpty else {
                throw line.fault(word, "the path is empty", remedy: "Write the path of a file with the body")
            }
            body = .file(word.text, column: word.column)
        case "tag":
            let word = try line.word("a tag")
            guard !word.text.isEmpty, word.text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 }) else {
                throw line.fault(word, "“\(word.text)” is no tag", remedy: "Write letters and digits, such as v1")
            }
            tag = word.text
        case "cut": cut = try line.count()
        case "delay": delay = try line.duration()
        case "duration": duration = try line.duration()
        default:
            let place = line.peek
            let count = try line.count()
            guard count > 0 else {
                throw line.fault(place ?? option, "no attempt would get it", remedy: "Write 1, 2 …")
            }
            times = count
        }
    }

    private func header(_ line: inout LineReader) throws(ScenarioFault) -> Header {
        let name = try line.word("the name of a header field")
        let characters = Set("!#$%&'*+-.^_`|~".utf8)
        guard !name.text.isEmpty,
            name.text.utf8.allSatisfy({
                characters.contains($0) || (48...57).contains($0) || (65...90).contains($0 & 0xdf)
            })
        else {
            throw line.fault(
                name, "“\(name.text)” is no name of a header field", remedy: "Write header NAME VALUE, without a colon")
        }
        let value = try line.word("the value of the header field")
        guard value.text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw line.fault(value, "the value has a control character", remedy: "Write it on one line")
        }
        return Header(name: name.text, value: value.text)
    }
}
