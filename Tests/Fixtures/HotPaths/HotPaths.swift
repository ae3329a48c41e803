// HotPaths: what is done again and again, as functions whose instructions valgrind counts (InstructionCountTests).

import ActivationRules
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding

/// - `HotPaths index APPLICATIONS STATE` walks once and prints how many bundles its index describes fully, once the
///   index is written.
/// - `HotPaths paths` takes each path on one thread. Callgrind counts all threads together, so a second thread would be
///   counted with whichever path the scheduler lets it run beside.
/// - `HotPaths start` and two times `APPLICATIONS STATE` starts with the first folders, which warms up, and once with
///   the second ones.
///
/// A path is a C function named `hot_NAME_REPETITIONS`: callgrind writes its counts before each, and those belong to
/// the function before it.
@main
struct HotPaths {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "index" where arguments.count == 4: try index(arguments[2], arguments[3])
        case "start" where arguments.count == 6:
            for place in [2, 4] { try start(arguments[place], arguments[place + 1]) }
        case "paths" where arguments.count == 2:
            // What is made the first time only is not what a path costs.
            try prepare()
            // By their C names, as callgrind knows them.
            let paths: [@convention(c) () -> Void] = [
                hot_decode1K_20, hot_encode1K_20, hot_decode59K_1, hot_encode59K_1, hot_match_200, hot_end_1,
            ]
            for path in paths { path() }
        default: exit(64)
        }
    }

    private static func prepare() throws {
        for bytes in [small, large] { _ = try PropertyList(binary: bytes, limits: .payload).encodeBinary() }
        _ = try matching()
    }

    // MARK: Property lists

    /// One item with two attachments, about 1 KB; fifty with mixed values, about 59 KB.
    static let small = (try? request(items: 1, noteSize: 630).encodeBinary()) ?? []
    static let large = (try? request(items: 50, noteSize: 1060).encodeBinary()) ?? []

    private static func request(items: Int, noteSize: Int) -> PropertyList {
        let values = (0..<items).map { number -> PropertyList in
            [
                "NSExtensionItemAttributedTitle": .string("Item number \(number)"),
                "NSExtensionItemAttributedContentText": .string(
                    String(repeating: "note \(number), ", count: noteSize / 9)),
                "NSExtensionItemAttachments": .array([
                    [
                        "types": .array(["public.url"]), "value": .string("https://example.org/\(number)"),
                        "size": .integer(1 << 20),
                    ],
                    [
                        "types": .array(["public.plain-text"]), "value": .data([UInt8](repeating: 7, count: 64)),
                        "ratio": .real(0.5),
                    ],
                ]),
                "userInfo": ["index": .integer(Int64(number)), "isLast": .boolean(number == items - 1)],
            ]
        }
        return ["items": .array(values)]
    }

    static func decode(_ bytes: [UInt8], _ count: Int) {
        for _ in 0..<count {
            guard (try? PropertyList(binary: bytes, limits: .payload)) != nil else { exit(70) }
        }
    }

    static func encode(_ bytes: [UInt8], _ count: Int) {
        guard let list = try? PropertyList(binary: bytes, limits: .payload) else { exit(70) }
        for _ in 0..<count where (try? list.encodeBinary()) == nil { exit(70) }
    }

    // MARK: Rules

    /// Half dictionaries, half predicates as Apple's guide writes them.
    private static let rules: [ActivationRule] = (0..<200).compactMap { number in
        let types = ["public.image", "public.url", "public.text", "public.movie", "com.adobe.pdf"]
        let predicate: PropertyList = .string(
            """
            SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $attachment,
                ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "\(types[number % 5])"
            ).@count == $item.attachments.@count).@count == \(number % 3 + 1)
            """)
        let counts: PropertyList = [
            "NSExtensionActivationSupportsImageWithMaxCount": .integer(Int64(number % 7 + 1)),
            "NSExtensionActivationSupportsText": true,
        ]
        return try? ActivationRule(number % 2 == 0 ? predicate : counts)
    }

    private static let subject = try? RuleSubject(attachments: [
        [["public.jpeg"], ["public.url"], ["public.plain-text"]]
    ])

    @discardableResult
    static func matching() throws -> Int {
        guard let subject, rules.count == 200 else { exit(70) }
        return try rules.count { try $0.matches(subject) }
    }

    // MARK: Starts with an index

    /// Waits until everything that was found has been delivered, as a start does. The thread of the discovery ends with
    /// the program.
    private static func start(_ applications: String, _ state: String) throws {
        _ = Unmanaged.passRetained(try discover(applications, state, waitsToWatch: true))
    }

    private static func discover(_ applications: String, _ state: String, waitsToWatch: Bool) throws -> Discovery {
        let wake = try WakeDescriptor()
        var settings = Discovery.Settings(folders: [applications], state: state)
        settings.waitsToWatch = waitsToWatch
        let discovery = try Discovery(settings) { _ in wake.signal() }
        var entry = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, -1) < 0, errno == EINTR {}
        return discovery
    }

    private static func index(_ applications: String, _ state: String) throws {
        let path = "\(state)/\(IndexFile.name)"
        unlink(path)
        let discovery = try discover(applications, state, waitsToWatch: false)
        defer { withExtendedLifetime(discovery) {} }
        // It is written after the first delivery; whoever has started this bounds the wait.
        while true {
            if let bytes = try? readFile(path, maximumSize: 1 << 24), let file = IndexFile(bytes) {
                print(file.wholeCount)
                return
            }
            usleep(1000)
        }
    }
}

@_cdecl("hot_decode1K_20") public func hot_decode1K_20() { HotPaths.decode(HotPaths.small, 20) }
@_cdecl("hot_encode1K_20") public func hot_encode1K_20() { HotPaths.encode(HotPaths.small, 20) }
@_cdecl("hot_decode59K_1") public func hot_decode59K_1() { HotPaths.decode(HotPaths.large, 1) }
@_cdecl("hot_encode59K_1") public func hot_encode59K_1() { HotPaths.encode(HotPaths.large, 1) }
@_cdecl("hot_match_200") public func hot_match_200() { _ = try? HotPaths.matching() }
@_cdecl("hot_end_1") public func hot_end_1() {}
