// PageEngineSearch: the engines of this machine, and the choice of one.

package import ExtensionProtocol
internal import LinuxSystem
internal import Locks
package import PageMessages

/// A search for an engine that works.
package struct PageEngineSearch: Sendable {
    /// An engine of the list of `exthostctl pages`.
    package struct Found: Sendable {
        package let kind: PageEngineKind
        /// The abilities; nil if the engine does not work here.
        package let facts: PageFacts?
        /// The reason why it does not work.
        package let error: ExtensionHostError?
    }

    /// A page host whose engine has passed its probe.
    struct Started: Sendable {
        let process: PageHostProcess
        let facts: PageFacts
        let weaknesses: [String]
    }

    private let programs: PageHostPrograms

    package init(programs: PageHostPrograms) { self.programs = programs }

    /// The results of the probes in this process: nil for an engine that works. One that is installed later is seen by
    /// the next process.
    private static let results = Mutex<[Key: ExtensionHostError?]>([:])

    private struct Key: Hashable {
        let programs: PageHostPrograms
        let kind: PageEngineKind
    }

    /// Starts an engine.
    ///
    /// - Parameter kind: the engine; nil: the first that passes its probe.
    /// - Throws: `ExtensionHostError`: `helperMissing`, `notPermitted`, `launchFailed`, `interrupted`.
    func start(_ kind: PageEngineKind?) async throws -> Started {
        if let kind { return try await start(only: kind) }
        var errors: [ExtensionHostError] = []
        for kind in PageEngineKind.allCases {
            let key = Key(programs: programs, kind: kind)
            if let result = Self.results.withLock({ $0[key] }), let error = result {
                errors.append(error)
                continue
            }
            do {
                return try await start(only: kind)
            } catch let error as ExtensionHostError {
                if error.code == .notPermitted { throw error }
                // A busy machine may do better the next time.
                if error.code == .helperMissing { Self.results.withLock { $0[key] = error } }
                errors.append(error)
            }
        }
        throw ExtensionHostError(
            .helperMissing, "there is no page engine: " + errors.map(\.message).joined(separator: "; "),
            remedy: "apt install \(PageEngineKind.jsc.packages.joined(separator: " "))")
    }

    /// Returns all engines, in the order of their choice.
    ///
    /// - Throws: `notPermitted` if this machine cannot confine a page host.
    package func all() async throws -> [Found] {
        _ = try programs.confinement()
        var found: [Found] = []
        for kind in PageEngineKind.allCases {
            do {
                let started = try await start(only: kind)
                await started.process.close()
                found.append(Found(kind: kind, facts: started.facts, error: nil))
            } catch let error as ExtensionHostError {
                found.append(Found(kind: kind, facts: nil, error: error))
            }
        }
        return found
    }

    private func start(only kind: PageEngineKind) async throws -> Started {
        let (layers, problems) = try programs.confinement()
        let process = try PageHostProcess(programs, kind, layers)
        do {
            let key = Key(programs: programs, kind: kind)
            let result = Self.results.withLock { $0[key] }
            let facts = try await probe(process, kind, isKnown: result.map { $0 == nil } ?? false)
            Self.results.withLock { $0[key] = .some(nil) }
            return Started(process: process, facts: facts, weaknesses: problems)
        } catch let failure as ScriptFailure {
            throw ExtensionHostError(.interrupted, "the engine \(kind.rawValue) does not work here: \(failure.message)")
        }
    }

    /// Shows a small page, and runs and finalizes a script in it, unless that has worked in this process already.
    private func probe(_ process: PageHostProcess, _ kind: PageEngineKind, isKnown: Bool) async throws -> PageFacts {
        func ask(_ command: PageCommand) async throws -> PageAnswer {
            try await WebPage.answer(
                of: process, command, limit: WebPage.startLimit, to: "the probe of \(kind.rawValue)")
        }
        guard case .facts(let facts) = try await ask(.facts), facts.engine == kind.rawValue else {
            throw Self.failed(kind, "facts")
        }
        if isKnown { return facts }
        let page = PageSource(html: "<p id=\"p\">probe</p>", url: "https://probe.invalid/", clock: 0)
        guard case .done = try await ask(.load(page)) else { throw Self.failed(kind, "load") }
        let script = """
            var ExtensionPreprocessingJS = {
                run: function (given) { given.completionFunction({text: document.getElementById("p").textContent}); },
                finalize: function (given) { document.getElementById("p").textContent = given.text; }
            };
            """
        guard
            case .ending(.results(let text), _) = try await ask(
                .run(PageScript(script, name: "probe.js"), limit: WebPage.startLimit.seconds)),
            text == #"["o","text","probe"]"#
        else { throw Self.failed(kind, "run") }
        let arguments = #"["o","text","passed"]"#
        guard
            case .ending(.finalized, _) = try await ask(
                .finalize(arguments: arguments, limit: WebPage.startLimit.seconds)),
            case .text(let html?, _) = try await ask(.dom), html.contains(">passed<")
        else { throw Self.failed(kind, "finalize") }
        return facts
    }

    private static func failed(_ kind: PageEngineKind, _ step: String) -> ExtensionHostError {
        ExtensionHostError(.interrupted, "the engine \(kind.rawValue) does not work here: its probe failed at \(step)")
    }
}
