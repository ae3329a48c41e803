// WebPage: a page in a page host, for a host that runs the scripts of extensions in it.

internal import ExtensionProtocol
public import Foundation
internal import LinuxSystem
internal import Locks
public import PageMessages
internal import PropertyListCoding

/// A web page, shown by an engine in a confined process of its own (`exthost-pagehost`).
///
/// The page has no network, no file and no storage, its clock stands still, and its viewport has 1024 × 768 pixels. The
/// process has 1 GiB of memory and ends with the last reference to this object, and with this program. Each function
/// waits for the earlier ones; any task may call them. The cancellation of a task ends the process.
public final class WebPage: Sendable {
    /// The time of frozen clocks unless the host gives another: 1 January 2026, 12:00 UTC.
    public static let defaultTime = Date(timeIntervalSince1970: 1_767_268_800)
    /// The limit of each function of a script unless the host gives another (`pageScript`).
    public static let defaultLimit = Duration.seconds(5)

    /// The time after a limit at which the process is ended.
    private static let grace = Duration.seconds(1)
    /// The limit for the start of an engine.
    static let startLimit = Duration.seconds(30)

    /// The address of the page.
    public let url: URL
    /// The title of the page; nil if it has none.
    public let title: String?
    /// The engine and its abilities.
    public let facts: PageFacts
    /// The reasons why this machine confines the page host less than it should; empty on most machines.
    public let weaknesses: [String]
    private let process: PageHostProcess
    private let loads: Mutex<Int>

    private init(
        _ process: PageHostProcess, url: URL, title: String?, facts: PageFacts, weaknesses: [String], failedLoads: Int
    ) {
        (self.process, self.url, self.title, self.facts) = (process, url, title, facts)
        self.weaknesses = weaknesses
        loads = Mutex(failedLoads)
    }

    /// Shows a page, and returns when its document is complete and its own scripts have run, if the engine runs them.
    ///
    /// - Parameters:
    ///   - html: the page, at most 16 MiB of UTF-8. Nothing else is loaded.
    ///   - url: the absolute address that the page has.
    ///   - engine: the engine; nil: the first of `wpe`, `chromium` and `jsc` that works here.
    ///   - time: the time that scripts see.
    ///   - limit: the time for the page's own scripts.
    ///   - program: the path of `exthost-pagehost`; nil searches `$EXTHOST_PAGEHOST`, the folders of this program, of
    ///     `$EXTHOSTD` and of `PATH`, and `../libexec/exthost` beside each.
    /// - Throws: `ExtensionHostError`: `helperMissing` without the engine or the program, with the packages;
    ///   `notPermitted` if this machine cannot confine it; `invalidArgument` for an address of another scheme than `http` and `https`;
    ///   `payloadTooLarge`; `interrupted`. `ScriptFailure` if the page's own scripts do not end, or take too much memory.
    public static func open(
        html: String, url: URL, engine: PageEngineKind? = nil, time: Date = defaultTime, limit: Duration = defaultLimit,
        program: String? = nil
    ) async throws -> WebPage {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw ExtensionHostError(
                .invalidArgument, "“\(url.absoluteString)” is no address of a web page",
                remedy: "Write it with its scheme, as https://example.org/")
        }
        guard html.utf8.count <= PageBounds.page else {
            throw ExtensionHostError(
                .payloadTooLarge, "the page has more than \(PageBounds.written(PageBounds.page))",
                remedy: "Give a smaller page")
        }
        let started = try await PageEngineSearch(programs: try PageHostPrograms(program: program)).start(engine)
        let source = PageSource(
            html: html, url: url.absoluteString, clock: (time.timeIntervalSince1970 * 1000).rounded())
        let loaded = try await answer(
            of: started.process, .load(source), limit: limit + grace, to: "the page's own scripts")
        guard case .done(let failedLoads) = loaded else { throw violation }
        let page = PageScript("document.title", name: "title.js")
        var title: String?
        do {
            let answer = try await answer(
                of: started.process, .evaluate(page), limit: limit + grace, to: "the title of the page")
            guard case .text(let text, _) = answer else { throw violation }
            title = text.flatMap { $0.isEmpty ? nil : String($0.prefix(longest)) }
        } catch let failure as ScriptFailure where failure.reason == .exception {
            // The page has redefined its title.
        }
        return WebPage(
            started.process, url: url, title: title, facts: started.facts, weaknesses: started.weaknesses,
            failedLoads: failedLoads)
    }

    /// The number of loads beside the page, of images and the like, that failed so far: all that were tried.
    public var failedLoads: Int { loads.withLock { $0 } }

    // MARK: Scripts

    /// Runs the script of an extension: evaluates it, and calls `ExtensionPreprocessingJS.run`.
    ///
    /// - Parameters:
    ///   - script: the script, at most 1 MiB.
    ///   - file: the name of its file, for errors.
    ///   - limit: the time until `completionFunction` must have been called. One second later, a script that does not
    ///     end is ended with the page.
    /// - Returns: the results that the script passed.
    /// - Throws: `ScriptFailure`; `ExtensionHostError` `interrupted` if the page is over.
    public func run(_ script: String, file: String, limit: Duration = defaultLimit) async throws -> WebPageResults {
        let command = PageCommand.run(PageScript(script, name: file), limit: limit.seconds)
        switch try await ending(of: command, limit, "run of \(file)") {
        case .results(let text):
            do throws(PageValueText.Malformed) {
                return WebPageResults(plist: try PageValueText.read(text))
            } catch {
                throw ScriptFailure(.unsuitableResults, error.description, file: file)
            }
        case .noObject:
            throw ScriptFailure(
                .noObject, "\(file) defines no global object named ExtensionPreprocessingJS", file: file)
        case .noFunction(let name):
            throw ScriptFailure(.noFunction, "ExtensionPreprocessingJS has no function named \(name)", file: file)
        case .refused(let words): throw ScriptFailure(.unsuitableResults, words, file: file)
        case .silent:
            throw ScriptFailure(
                .timedOut, "run did not call completionFunction within \(limit.written)", file: file)
        case .finalized: throw Self.violation
        }
    }

    /// Calls `ExtensionPreprocessingJS.finalize` of the script that has run.
    ///
    /// - Parameters:
    ///   - arguments: a property list without data, of at most 32 levels.
    ///   - limit: as for `run`.
    /// - Returns: whether there is such a function.
    /// - Throws: `ScriptFailure`; `ExtensionHostError` `invalidArgument` for arguments that JavaScript lacks,
    ///   `interrupted` if the page is over.
    @discardableResult
    public func finalize(_ arguments: WebPageResults, limit: Duration = defaultLimit) async throws -> Bool {
        let text: String
        do throws(PageValueText.Malformed) { text = try PageValueText.write(arguments.plist) } catch {
            throw ExtensionHostError(
                .invalidArgument, "the arguments of finalize cannot be passed: \(error)",
                remedy: "Pass texts, numbers, booleans, dates, arrays and dictionaries")
        }
        let ending = try await ending(of: .finalize(arguments: text, limit: limit.seconds), limit, "finalize")
        switch ending {
        case .finalized: return true
        case .noFunction, .noObject: return false
        case .silent: throw ScriptFailure(.timedOut, "finalize did not end within \(limit.written)")
        case .results, .refused: throw Self.violation
        }
    }

    /// Evaluates a text in the page's world, and returns its value if it is a text, otherwise nil.
    ///
    /// - Throws: `ScriptFailure`; `ExtensionHostError` `interrupted` if the page is over.
    @discardableResult
    public func evaluate(_ script: String, limit: Duration = defaultLimit) async throws -> String? {
        let command = PageCommand.evaluate(PageScript(script, name: "evaluate.js"))
        return try text(of: try await answer(command, limit: limit + Self.grace, to: "the script"))
    }

    /// The document as HTML, with its type.
    ///
    /// Throws as `evaluate`.
    public var html: String {
        get async throws {
            try text(of: try await answer(.dom, limit: Self.startLimit, to: "the document")) ?? ""
        }
    }

    /// Ends the page host, and returns when none of its processes is left.
    public func close() async { await process.close() }

    /// The pid of the page host's first process; nil after its end.
    package var pid: Int32? { process.pid }

    // MARK: Answers

    private func text(of answer: PageAnswer) throws -> String? {
        guard case .text(let text, _) = answer else { throw Self.violation }
        return text
    }

    private func ending(of command: PageCommand, _ limit: Duration, _ what: String) async throws -> PageScriptEnding {
        guard limit > .zero, limit <= .seconds(86_400) else {
            throw ExtensionHostError(
                .invalidArgument, "\(limit) is no limit of a script", remedy: "Give one above 0, and at most a day")
        }
        guard case .ending(let ending, _) = try await answer(command, limit: limit + Self.grace, to: what) else {
            throw Self.violation
        }
        return ending
    }

    private func answer(_ command: PageCommand, limit: Duration, to what: String) async throws -> PageAnswer {
        let answer = try await Self.answer(of: process, command, limit: limit, to: what)
        switch answer {
        case .done(let count), .ending(_, let count), .text(_, let count): loads.withLock { $0 = count }
        case .facts, .fault: break
        }
        return answer
    }

    /// The most characters of an engine's own words.
    private static let longest = 4096

    private static let violation = ExtensionHostError(
        .interrupted, "exthost-pagehost gave an answer that it does not give: the page may have taken it over")

    /// Asks a page host.
    ///
    /// - Throws: `ScriptFailure` for faults of scripts, `ExtensionHostError` for those of the engine and the process.
    static func answer(
        of process: PageHostProcess, _ command: PageCommand, limit: Duration, to what: String
    ) async throws -> PageAnswer {
        let answer: PageAnswer
        do {
            answer = try await process.ask(command, limit: limit)
        } catch let end as PageHostEnd {
            throw Self.error(for: end, what)
        }
        guard case .fault(let fault) = answer else { return answer }
        switch fault {
        case .script(let message, let file, let line, let column, let stack):
            throw ScriptFailure(.exception, message, file: file, line: line, column: column, stack: stack)
        case .tooLarge(let words): throw ScriptFailure(.tooLarge, String(words.prefix(longest)))
        // Only before a page is there: later, a page that has taken the process over could choose the words.
        case .missing(let what, _) where command == .facts:
            throw ExtensionHostError(
                .helperMissing, "\(what.prefix(longest)) is missing",
                remedy: "apt install \(process.kind.packages.joined(separator: " "))")
        case .missing: throw violation
        case .engine(let words):
            throw ExtensionHostError(.interrupted, "the page's engine failed: \(words.prefix(longest))")
        }
    }

    private static func words(for status: ExitStatus) -> String {
        switch status {
        case .exited(let code): "status \(code)"
        case .signalled(let signal, _): "signal \(signal)"
        case .notStarted, .unknown: "for an unknown reason"
        }
    }

    private static func error(for end: PageHostEnd, _ what: String) -> any Error {
        switch end {
        case .timedOut:
            ScriptFailure(.timedOut, "\(what) did not end in time, so the page was ended with all its processes")
        case .memory: ScriptFailure(.memory, "\(what) took more than 1 GiB of memory, so the page was ended")
        case .tasks: ScriptFailure(.memory, "\(what) started more than 1,024 threads, so the page was ended")
        case .ended(.notStarted(let error)):
            ExtensionHostError(.launchFailed, "exthost-pagehost could not be executed", cause: "\(error)")
        case .ended(let status):
            ScriptFailure(.interrupted, "the page host ended by itself (\(words(for: status))) during \(what)")
        case .notStarted(let reason):
            ExtensionHostError(.launchFailed, "exthost-pagehost could not be started", cause: reason)
        case .violation: violation
        case .cancelled: CancellationError()
        case .closed: ExtensionHostError(.interrupted, "the page has been closed", remedy: "Open it again")
        }
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
    /// The duration in seconds, for people.
    var written: String {
        "\(seconds.formatted(.number.precision(.fractionLength(0...3)).locale(Locale(identifier: "en_US_POSIX")))) s"
    }
}
