// JSCContext: a global object of JavaScriptCore, and the values in it.

internal import CPageEngines
internal import Glibc
internal import PageMessages

/// A context of JavaScriptCore. Its values are pointers that stay valid as long as it does.
final class JSCContext {
    typealias Value = UnsafeMutableRawPointer

    static let library = "libjavascriptcoregtk-4.1.so.0"

    private let raw: UnsafeMutableRawPointer

    /// - Throws: `PageFault.missing` without the library, or with one that lacks a function.
    static func load() throws(PageFault) {
        // Without a compiler the engine starts sooner, needs no memory that is writable and executable, and gives a
        // hostile script less to attack. It reads the variable when it is loaded.
        setenv("JSC_useJIT", "0", 1)
        guard let missing = exthost_jsc_load(library).map({ String(cString: $0) }) else { return }
        let reason = dlerror().map { String(cString: $0) } ?? ""
        let package = PageEngineKind.jsc.packages[0]
        guard missing.isEmpty else { throw .missing(what: "\(missing) in \(library)", package: package) }
        throw .missing(what: reason.contains(library) ? reason : library, package: package)
    }

    /// Makes a context. The library must be loaded.
    init() throws(PageFault) {
        guard let raw = exthost_jsc_context() else { throw .engine("JavaScriptCore has no context to give") }
        self.raw = raw
    }

    deinit { exthost_jsc_free(raw) }

    /// Evaluates a script.
    ///
    /// - Throws: `PageFault.script` for an exception.
    func evaluate(_ script: PageScript) throws(PageFault) -> Value {
        try evaluate(Array(script.text.utf16), name: script.name)
    }

    /// Evaluates the units of a script.
    func evaluate(_ units: [UInt16], name: String) throws(PageFault) -> Value {
        var exception: Value?
        guard let value = exthost_jsc_evaluate(raw, units, units.count, name, &exception) else {
            throw fault(exception)
        }
        return value
    }

    /// Calls a function.
    ///
    /// - Throws: `PageFault.script` for an exception.
    func call(_ function: Value, _ arguments: [Value] = []) throws(PageFault) -> Value {
        var exception: Value?
        let values: [Value?] = arguments
        guard let value = exthost_jsc_call(raw, function, values, values.count, &exception) else {
            throw fault(exception)
        }
        return value
    }

    func member(_ value: Value, _ name: String) -> Value? { exthost_jsc_member(raw, value, name) }

    /// Returns a number or a text as a value.
    func value(_ number: Double) -> Value { exthost_jsc_number(raw, number) }
    func value(_ text: String) -> Value {
        let units = Array(text.utf16)
        return exthost_jsc_text(raw, units, units.count)
    }

    /// Returns a number; zero for another value.
    func number(of value: Value) -> Double {
        let number = exthost_jsc_number_of(raw, value)
        return number.isFinite ? number : 0
    }

    func isTrue(_ value: Value) -> Bool { exthost_jsc_is_true(raw, value) }

    /// Returns the text of a value that is one.
    func string(_ value: Value) -> String? { exthost_jsc_is_text(raw, value) ? text(value) : nil }

    /// Returns a value as a script would write it into a text.
    private func text(_ value: Value) -> String? {
        var count = 0
        guard let units = exthost_jsc_text_of(raw, value, &count) else { return nil }
        defer { free(units) }
        return String(decoding: UnsafeBufferPointer(start: units, count: count), as: UTF16.self)
    }

    func drop(_ value: Value) { exthost_jsc_drop(raw, value) }

    private func fault(_ exception: Value?) -> PageFault {
        guard let exception else { return .engine("JavaScriptCore gave neither a value nor an exception") }
        func text(_ name: String) -> String { member(exception, name).flatMap(string) ?? "" }
        func number(_ name: String) -> Int {
            member(exception, name).flatMap { Int(exactly: self.number(of: $0)) } ?? 0
        }
        return .script(
            message: self.text(exception) ?? "an error without a text", file: text("sourceURL"), line: number("line"),
            column: number("column"), stack: text("stack"))
    }
}
