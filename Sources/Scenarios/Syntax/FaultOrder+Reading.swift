// FaultOrder+Reading: a reader of the words after `fault`.

import ExtensionProtocol

extension FaultOrder {
    private static let options = ["after", "times", "for", "seed", "sent"]

    /// Reads `KIND at POINT [after N] [times N] [for D] [seed N] [sent]`, the last five in any order.
    init(_ line: inout LineReader) throws(ScenarioFault) {
        let name = try line.word("a fault")
        guard let kind = FaultKind(rawValue: name.text) else {
            throw line.fault(
                name, "there is no fault “\(name.text)”",
                remedy: LineReader.nearest(to: name.text, of: FaultKind.allCases.map(\.rawValue)))
        }
        let at = try line.word("at and a point")
        guard at.text == "at" else {
            throw line.fault(at, "“\(at.text)” is not expected here", remedy: "Write fault \(kind.rawValue) at POINT")
        }
        let place = try line.word("a point")
        let points = FaultPoint.allCases.filter { $0 != .starting }
        guard let point = FaultPoint(rawValue: place.text) else {
            throw line.fault(
                place, "there is no point “\(place.text)”",
                remedy: LineReader.nearest(to: place.text, of: points.map(\.rawValue)))
        }
        guard point != .starting else {
            throw line.fault(
                place, "the daemon has already started",
                remedy: "Write above the tests: daemon --fault noDescriptors@starting")
        }
        self.init(kind, at: point)
        // The daemon would refuse this fault whatever options follow.
        if let problem { throw line.fault(place, problem.message, remedy: problem.remedy ?? "Choose another point") }
        var given: Set<String> = []
        while let word = line.optional() {
            guard !word.isQuoted, Self.options.contains(word.text) else {
                throw line.fault(
                    word, "“\(word.text)” is not expected here", remedy: "There are: after, times, for, seed, sent")
            }
            guard given.insert(word.text).inserted else {
                throw line.fault(word, "“\(word.text)” is repeated", remedy: "Omit one of them")
            }
            try read(word, &line)
        }
    }

    private mutating func read(_ word: ScenarioWord, _ line: inout LineReader) throws(ScenarioFault) {
        switch word.text {
        case "after": after = try line.count()
        case "times":
            let place = line.peek
            times = try line.count()
            guard times > 0 else {
                throw line.fault(place ?? word, "it would never be injected", remedy: "Write 1, 2 …")
            }
        case "for":
            guard kind == .slow else {
                throw line.fault(word, "\(kind.rawValue) has no duration", remedy: "Omit it: only slow has a duration")
            }
            let place = line.peek
            delay = try line.duration() / .seconds(1)
            if let problem {
                throw line.fault(place ?? word, problem.message, remedy: "Write at most a day, 86400s")
            }
        case "seed":
            let number = try line.word("a number")
            guard let value = Int(number.text) else {
                throw line.fault(number, "“\(number.text)” is no seed", remedy: "Write a whole number")
            }
            seed = value
        default:
            guard kind.isOfPackets else {
                throw line.fault(
                    word, "\(kind.rawValue) has no direction",
                    remedy:
                        "Omit it. Faults of packets are: \(FaultKind.allCases.filter(\.isOfPackets).map(\.rawValue).joined(separator: ", "))"
                )
            }
            sent = true
        }
    }
}
