// INParameter: a property of an interaction's intent or response, by its class and its path.

public import Foundation

/// A property of an intent or of a response.
///
/// Two parameters are equal if class, path and indexes are.
open class INParameter: NSObject {
    /// The class of the intent or of the response.
    public let parameterClass: AnyClass
    /// The names of properties with dots between them.
    public let parameterKeyPath: String
    /// The elements of lists, by the beginnings of the path that lead to the lists.
    package private(set) var indexes: [String: Int] = [:]

    package init(_ aClass: AnyClass, _ keyPath: String, indexes: [String: Int]) {
        (parameterClass, parameterKeyPath, self.indexes) = (aClass, keyPath, indexes)
    }

    /// Makes a parameter.
    ///
    /// - Parameters:
    ///   - aClass: a class of intents or of responses.
    ///   - keyPath: the names of properties with dots between them, such as `recipients`.
    public convenience init(for aClass: AnyClass, keyPath: String) { self.init(aClass, keyPath, indexes: [:]) }

    /// Makes a parameter, as `init(for:keyPath:)`.
    ///
    /// - Parameters:
    ///   - aClass: a class of intents or of responses.
    ///   - keyPath: the names of properties with dots between them.
    public convenience init(forClass aClass: AnyClass, keyPath: String) { self.init(aClass, keyPath, indexes: [:]) }

    /// Makes a parameter of a key path, such as `\INSendMessageIntent.content`.
    ///
    /// - Parameter keyPath: a path that begins at an intent or a response.
    /// - Returns: nil if the path begins at another class, or has parts without a name.
    public convenience init?<Root, Value>(keyPath: KeyPath<Root, Value>) {
        guard let root = Root.self as? NSObject.Type, let name = Self.name(of: keyPath, root) else { return nil }
        self.init(root, name, indexes: [:])
    }

    /// Sets the element of a list that the parameter means.
    ///
    /// - Parameters:
    ///   - index: the index of the element.
    ///   - subKeyPath: the beginning of the path, up to the list.
    open func setIndex(_ index: Int, forSubKeyPath subKeyPath: String) { indexes[subKeyPath] = index }

    /// Sets the element of a list that the parameter means.
    ///
    /// - Parameters:
    ///   - index: the index of the element.
    ///   - subKeyPath: the path to the list.
    public func setIndex<Root, Value>(_ index: Int, forSubKeyPath subKeyPath: KeyPath<Root, Value>) {
        guard let name = Self.name(of: subKeyPath, Root.self) else { return }
        indexes[name] = index
    }

    /// Returns the element of a list that the parameter means.
    ///
    /// - Parameter subKeyPath: the beginning of the path, up to the list.
    /// - Returns: the index; `NSNotFound` if none is set.
    open func index(forSubKeyPath subKeyPath: String) -> Int { indexes[subKeyPath] ?? NSNotFound }

    /// Returns the element of a list that the parameter means.
    ///
    /// - Parameter subKeyPath: the path to the list.
    /// - Returns: the index; nil if none is set.
    public func index<Root, Value>(forSubKeyPath subKeyPath: KeyPath<Root, Value>) -> Int? {
        Self.name(of: subKeyPath, Root.self).flatMap { indexes[$0] }
    }

    /// Returns whether another parameter means the same property.
    ///
    /// - Parameter parameter: the other parameter.
    open func isEqual(to parameter: INParameter) -> Bool {
        ObjectIdentifier(parameterClass) == ObjectIdentifier(parameter.parameterClass)
            && parameterKeyPath == parameter.parameterKeyPath && indexes == parameter.indexes
    }

    open override func isEqual(_ object: Any?) -> Bool { (object as? INParameter).map(isEqual(to:)) ?? false }
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(parameterClass))
        hasher.combine(parameterKeyPath)
        hasher.combine(indexes)
        return hasher.finalize()
    }
    open override var description: String { "\(parameterClass).\(parameterKeyPath)" }

    // MARK: Paths

    /// The name of a path: from the tables of its class, else from the path's description.
    private static func name(of path: AnyKeyPath, _ root: Any.Type) -> String? {
        if let property = properties(of: root).first(where: { $0.path == path }) { return property.name }
        // It is `\Root.first.second`, with question marks after optional values.
        let text = String(reflecting: path).filter { $0 != "?" && $0 != "!" }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
        guard text.hasPrefix("\\"), !parts.isEmpty,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } })
        else { return nil }
        return parts.joined(separator: ".")
    }

    private static func properties(of type: Any.Type) -> [_IntentProperty] {
        switch type {
        case let type as INIntent.Type: type._parameters.map(\.property)
        case let type as INIntentResponse.Type: type._properties
        case let type as INObject.Type: type._properties
        default: []
        }
    }

    /// Whether the parameter is one of objects of a class.
    package func belongs(to type: NSObject.Type) -> Bool {
        var found: AnyClass? = type
        while let one = found {
            if ObjectIdentifier(one) == ObjectIdentifier(parameterClass) { return true }
            found = _getSuperclass(one)
        }
        return false
    }

    /// The value of the property of an object; nil if there is none.
    func value(of owner: NSObject) -> Any? {
        var (value, path): (Any?, String) = (owner, "")
        for part in parameterKeyPath.split(separator: ".") {
            path += path.isEmpty ? String(part) : ".\(part)"
            guard let present = value else { return nil }
            value = Self.member(String(part), of: present)
            guard let index = indexes[path] else { continue }
            guard let list = value as? [Any], list.indices.contains(index) else { return nil }
            value = list[index]
        }
        return value
    }

    private static func member(_ name: String, of value: Any) -> Any? {
        switch (value, name) {
        // These are computed.
        case (let person as INPerson, "displayName"): return person.displayName
        case (let speakable as any INSpeakable, "spokenPhrase"): return speakable.spokenPhrase
        default: break
        }
        if let object = value as? NSObject,
            let property = properties(of: type(of: object)).first(where: { $0.name == name })
        {
            return property.read(object)
        }
        // An object of the module has stored properties, of the class itself or of one above it.
        var mirror: Mirror? = Mirror(reflecting: value)
        while let one = mirror {
            if let child = one.children.first(where: { $0.label == name }) { return unwrapped(child.value) }
            mirror = one.superclassMirror
        }
        return nil
    }

    /// The value in an optional; nil if it has none.
    static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { unwrapped($0.value) }
    }
}
