// IBusComponent: the description of this program and its engines for IBus, on the bus and as XML.

/// The keyboards of a user as engines of IBus.
package struct IBusComponent: Sendable, Hashable {
    /// The name on the bus by which IBus finds a component that it has started.
    package static let name = "org.exthost.IBus"
    static let version = "0.1.0"

    /// An engine: one keyboard.
    package struct Engine: Sendable, Hashable {
        private static let prefix = "exthost-"
        /// The place among the engines of a language: behind those that the user installed for it.
        static let rank: UInt32 = 0

        /// The identifier of the keyboard's extension.
        package let keyboard: String
        let title: String
        /// The language of the keyboard, such as `en`.
        let language: String

        /// - Parameter language: the `PrimaryLanguage` of the keyboard, such as `en-US`.
        package init(keyboard: String, title: String, language: String) {
            self.keyboard = keyboard
            self.title = String(title.prefix(128))
            // IBus groups engines by the language without its region.
            let code = language.prefix { $0.isASCII && $0.isLetter }.lowercased()
            self.language = (2...3).contains(code.count) ? code : "other"
        }

        /// The name of the engine in IBus.
        package var name: String { Self.prefix + keyboard }

        /// Returns the keyboard of an engine's name; nil for a name of another form.
        static func keyboard(of name: String) -> String? {
            guard name.hasPrefix(prefix), name.utf8.count <= 512 else { return nil }
            return String(name.dropFirst(prefix.count))
        }

        private var elements: [(name: String, value: String)] {
            [
                ("name", name), ("longname", title), ("description", "The keyboard \(keyboard) of an app extension"),
                ("language", language), ("license", ""), ("author", ""), ("icon", ""), ("layout", "default"),
                ("hotkeys", ""), ("symbol", ""), ("setup", ""), ("layout_variant", ""), ("layout_option", ""),
                ("version", ""), ("textdomain", ""), ("icon_prop_key", ""),
            ]
        }

        /// The members of the description on the bus: the rank is between the eighth and the ninth.
        var values: [String] { elements.map(\.value) }

        fileprivate var xml: String {
            let lines = elements.filter { !$0.value.isEmpty }.map {
                "    <\($0.name)>\(escaped($0.value))</\($0.name)>"
            }
            return (["  <engine>"] + lines + ["    <rank>\(Self.rank)</rank>", "  </engine>"]).joined(separator: "\n")
        }
    }

    package let engines: [Engine]
    package init(engines: [Engine]) { self.engines = engines }

    var values: [String] {
        [
            Self.name, "Keyboards of app extensions", Self.version, "Apache-2.0", "The exthost maintainers", "", "",
            "exthost",
        ]
    }

    /// The engines as IBus reads them from the program that a component file names.
    package var xml: String {
        (["<engines>"] + engines.map(\.xml) + ["</engines>"]).joined(separator: "\n") + "\n"
    }
}

/// Returns a text of XML. Characters that XML does not allow are left out.
private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value): break
        case _ where scalar.value == 0xfffe || scalar.value == 0xffff: break
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
