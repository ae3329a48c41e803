// TextInputTests: places in a text, keys and menus that are kept, and Foundation's names that Linux lacks.

import ExtensionFoundation
import Foundation
import Testing

@testable import UIKit

@MainActor @Suite struct TextInputTests {
    final class Delegate: NSObject, UITextViewDelegate, UITextFieldDelegate {
        var changes = 0
        func textViewDidChange(_ textView: UITextView) { changes += 1 }
    }

    private func check(_ input: any UITextInput, _ text: @escaping () -> String?) throws {
        input.insertText("one two")
        let whole = try #require(input.textRange(from: input.beginningOfDocument, to: input.endOfDocument))
        #expect(input.text(in: whole) == "one two" && !whole.isEmpty && input.markedTextRange == nil)
        let end = input.endOfDocument
        let start = try #require(input.position(from: input.beginningOfDocument, offset: 4))
        let word = try #require(input.textRange(from: end, to: start))
        #expect(input.text(in: word) == "two" && input.offset(from: word.start, to: word.end) == 3)
        #expect(input.compare(word.start, to: word.end) == .orderedAscending)
        #expect(input.position(from: end, offset: 1) == nil)
        input.replace(word, withText: "2 & more")
        #expect(text() == "one 2 & more")
        // A range of the text before: what is left of it counts.
        input.replace(whole, withText: "")
        #expect(text() == " more")
        let second = try #require(input.position(from: input.beginningOfDocument, offset: 1))
        input.selectedTextRange = input.textRange(from: input.beginningOfDocument, to: second)
        input.insertText("and")
        input.deleteBackward()
        #expect(text() == "anmore" && input.selectedTextRange?.isEmpty == true)
        input.insertText("👩‍👧")
        input.deleteBackward()
        #expect(text() == "anmore")
        input.selectedTextRange = input.textRange(from: input.beginningOfDocument, to: input.endOfDocument)
        input.deleteBackward()
        input.deleteBackward()
        #expect(text() == "")
        #expect(input.caretRect(for: input.endOfDocument) == .zero)
    }

    @Test func aTextViewHasPlaces() throws {
        let (view, delegate) = (UITextView(), Delegate())
        view.delegate = delegate
        try check(view) { view.text }
        #expect(delegate.changes > 0)
        view.text = "ab"
        view.selectedRange = NSRange(location: 1, length: 40)
        view.insertText("c")
        #expect(view.text == "ac" && view.selectedRange == NSRange(location: 2, length: 0))
    }

    @Test func aFieldHasPlaces() throws {
        let field = UITextField()
        try check(field) { field.text }
        field.text = "end"
        field.insertText("ing")
        #expect(field.text == "ending")
    }

    @Test func keysAndMenusAreKept() {
        let command = UIKeyCommand(
            title: "Add", action: Selector("add"), input: "\r", modifierFlags: [.command, .shift])
        let old = UIKeyCommand(
            input: UIKeyCommand.inputEscape, modifierFlags: [], action: Selector("close"), discoverabilityTitle: "Close"
        )
        let controller = UIViewController()
        #expect(controller.keyCommands == nil && UIResponder().keyCommands == nil)
        controller.addKeyCommand(command)
        controller.addKeyCommand(old)
        controller.removeKeyCommand(command)
        #expect(controller.keyCommands == [old] && old.discoverabilityTitle == "Close" && old.input != command.input)
        #expect(command.title == "Add" && command.modifierFlags.contains(.shift) && command.action == "add")

        let menu = UIMenuController.shared
        menu.menuItems = [UIMenuItem(title: "Hint", action: Selector("hint:"))]
        nonisolated(unsafe) var posted = 0  // on this thread
        let observer = NotificationCenter.default.addObserver(forName: nil, object: menu, queue: nil) { _ in posted += 1
        }
        menu.showMenu(from: UIView(), rect: .zero)
        #expect(menu.isMenuVisible && menu === UIMenuController.shared && menu.menuItems?.first?.title == "Hint")
        menu.setMenuVisible(true, animated: false)
        menu.hideMenu()
        NotificationCenter.default.removeObserver(observer)
        #expect(!menu.isMenuVisible && posted == 4)
    }
}
