// SwiftTemplate+Keyboard: the template of a keyboard.

extension SwiftTemplate {
    /// A keyboard.
    var keyboard: Parts {
        var parts = Parts(
            "a keyboard with the letters of the Latin alphabet",
            className: "KeyboardViewController", modules: ["KeyboardService", "UIKit"],
            run: "exthostctl run . --type 'hello world'")
        parts.source = """
            // KeyboardViewController: a keyboard with the letters of the Latin alphabet. Its edits return at once, and
            // textDocumentProxy shows them later.

            import UIKit

            final class KeyboardViewController: UIInputViewController {
                private lazy var nextKeyboard = key("next") { [weak self] in self?.advanceToNextInputMode() }

                override func viewDidLoad() {
                    super.viewDidLoad()
                    for letter in "qwertyuiopasdfghjklzxcvbnm".map(String.init) {
                        view.addSubview(key(letter) { [weak self] in self?.textDocumentProxy.insertText(letter) })
                    }
                    view.addSubview(key("space") { [weak self] in self?.textDocumentProxy.insertText(" ") })
                    view.addSubview(key("delete") { [weak self] in self?.textDocumentProxy.deleteBackward() })
                    view.addSubview(nextKeyboard)
                }

                override func viewWillAppear(_ animated: Bool) {
                    super.viewWillAppear(animated)
                    nextKeyboard.isHidden = !needsInputModeSwitchKey
                }

                private func key(_ title: String, _ action: @escaping () -> Void) -> UIButton {
                    UIButton(type: .system, primaryAction: UIAction(title: title) { _ in action() })
                }
            }

            """
        parts.test = "wordsAreTyped"
        parts.session = """
                        let field = KeyboardHost(
                            host.application, keyboard: "\(project.extensionIdentifier)", text: "Oh ")
                        await field.focus()
                        try await field.type("hello world")
                        #expect(await field.text == "Oh hello world")
            """
        return parts
    }
}
