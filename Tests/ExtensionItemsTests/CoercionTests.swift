// CoercionTests: the matrix of typed loads, cell by cell.

import ExtensionItems
import Foundation
import PropertyListCoding
import Testing

@Suite struct CoercionTests {
    enum Stored: String, CaseIterable { case url, fileURL, data, listData, text, styled, dictionary, array, number }
    enum Asked: String, CaseIterable { case url, data, text, styled, dictionary, array }

    /// The cells that have a value; all others are refused.
    private static let filled: [Stored: Set<Asked>] = [
        .url: [.url, .text], .fileURL: [.url, .data, .text], .data: [.data, .text], .listData: [.data, .dictionary],
        .text: [.data, .text], .styled: [.text, .styled], .dictionary: [.data, .dictionary], .array: [.data, .array],
        .number: [],
    ]

    private func item(_ stored: Stored) throws -> any NSSecureCoding {
        switch stored {
        case .url: try #require(NSURL(string: "https://example.org/"))
        case .fileURL: NSURL(fileURLWithPath: #filePath)
        case .data: NSData(data: Data("bytes".utf8))
        case .listData: NSData(data: Data(try (["a": 1, "b": .data([0xFF])] as PropertyList).encodeBinary()))
        case .text: "text" as NSString
        case .styled: NSAttributedString(string: "styled")
        case .dictionary: ["a": 1] as NSDictionary
        case .array: [1, 2] as NSArray
        case .number: NSNumber(value: 1)
        }
    }

    /// Loads as the asked type and says what came, or the error's code.
    private func load(_ provider: NSItemProvider, _ asked: Asked) async -> String {
        func load<T>(_ type: T.Type, _ say: (T) -> String) async -> String {
            do { return say(try await provider.loadItem(forTypeIdentifier: "public.data", as: type)) } catch {
                return "\(ExtensionItemsTests.code(of: error) ?? 0)"
            }
        }
        switch asked {
        case .url: return await load(URL.self) { $0.scheme ?? "" }
        case .data: return await load(Data.self) { "\($0.count > 0)" }
        case .text: return await load(String.self) { "\(!$0.isEmpty)" }
        case .styled: return await load(NSAttributedString.self) { $0.string }
        case .dictionary: return await load([String: Any].self) { "\($0["a"] as? Int ?? 0)" }
        case .array: return await load([Any].self) { "\($0.count)" }
        }
    }

    // spec: P-068, B5
    @Test(arguments: Stored.allCases, Asked.allCases)
    func aStoredValueBecomesWhatIsAskedOrIsRefused(_ stored: Stored, _ asked: Asked) async throws {
        let present = NSItemProvider(item: try item(stored), typeIdentifier: "public.data")
        let answer = await load(present, asked)
        let isFilled =
            Self.filled[stored]?.contains(asked) == true
            || stored == .listData && asked == .text && answer != "-1200"
        #expect((answer != "-1200") == isFilled, "\(stored) as \(asked): \(answer)")
        #expect(!isFilled || !answer.isEmpty && answer != "0" && !answer.hasPrefix("-"))
    }

    // spec: P-068, B4
    @Test(arguments: Stored.allCases, Asked.allCases)
    func aHandlersValueIsCoercedOrOfTheWrongClass(_ stored: Stored, _ asked: Asked) async throws {
        let box = Box(value: try item(stored))
        let handled = NSItemProvider()
        handled.registerItem(forTypeIdentifier: "public.data") { answer, expected, _ in
            answer?(expected == nil ? nil : box.value, nil)
        }
        let present = NSItemProvider(item: box.value, typeIdentifier: "public.data")
        let answers = (await load(handled, asked), await load(present, asked))
        #expect(answers.0 == answers.1 || answers == ("-1100", "-1200"), "\(answers)")
    }

    private struct Box: @unchecked Sendable { let value: any NSSecureCoding }

    // spec: P-067
    @Test func handlersAreToldWhatIsExpected() async throws {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.data") { answer, expected, options in
            answer?("\(expected.map { "\($0)" } ?? "any") \(options?["size"] as? Int ?? 0)" as NSString, nil)
        }
        #expect(try await provider.loadItem(forTypeIdentifier: "public.data") as? String == "any 0")
        let text = try await provider.loadItem(forTypeIdentifier: "public.data", options: ["size": 3], as: String.self)
        #expect(text == "NSString 3")
    }

    @Test func aTypedCompletionHandlerGetsAValueOrAnError() async {
        let provider = NSItemProvider(item: "text" as NSString, typeIdentifier: "public.text")
        let text: String? = await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "public.text", as: String.self) { text, _ in
                continuation.resume(returning: text)
            }
        }
        #expect(text == "text")
        let refused: Int? = await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "public.text", as: [Any].self) { _, error in
                continuation.resume(returning: code(of: error))
            }
        }
        #expect(refused == -1200)
    }
}
