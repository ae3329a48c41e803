// AddressAndMapTests: the answers of a device without an address book, maps, sensors, an assistant and calls.

import CallKit
import Contacts
import CoreMotion
import ExtensionWire
import Foundation
import Intents
import IntentsUI
import MapKit
import Testing

@Suite struct AddressAndMapTests {
    // not simulated: N-271
    @Test("an address book refuses each read, and contacts have names and numbers")
    func contacts() async throws {
        let store = CNContactStore()
        #expect(CNContactStore.authorizationStatus(for: .contacts) == .denied)
        await #expect(throws: CNError(.authorizationDenied)) { try await store.requestAccess(for: .contacts) }
        let condition = CNContact.predicateForContacts(matching: CNPhoneNumber(stringValue: "+49 30 1234"))
        let keys =
            [CNContactGivenNameKey as NSString, CNContactFormatter.descriptorForRequiredKeys(for: .fullName)]
            as [any CNKeyDescriptor]
        #expect(throws: CNError(.authorizationDenied)) {
            try store.unifiedContacts(matching: condition, keysToFetch: keys)
        }
        let person = CNMutableContact()
        #expect(CNContactFormatter.string(from: person, style: .fullName) == nil)
        (person.givenName, person.familyName) = ("Ada", "Byron")
        person.phoneNumbers = [CNLabeledValue(label: "home", value: CNPhoneNumber(stringValue: "+49-30-1234"))]
        #expect(CNContactFormatter.string(from: person, style: .fullName) == "Ada Byron")
        #expect(condition.evaluate(with: person))
        #expect(!CNContact.predicateForContacts(matching: CNPhoneNumber(stringValue: "1")).evaluate(with: person))
        #expect(CNContact.predicateForContacts(matchingName: "byr").evaluate(with: person))
    }

    @Test("a map keeps its region and its annotations")
    @MainActor func maps() {
        let map = MKMapView()
        let berlin = MKPointAnnotation(coordinate: CLLocationCoordinate2D(latitude: 52.5, longitude: 13.5), title: "B")
        let rome = MKPointAnnotation(coordinate: CLLocationCoordinate2D(latitude: 41.5, longitude: 12.5))
        map.addAnnotations([berlin, berlin])
        #expect(map.annotations.count == 1)
        map.showAnnotations([berlin, rome], animated: false)
        #expect(
            map.annotations.count == 2 && map.centerCoordinate.latitude == 47 && map.region.span.longitudeDelta == 1)
        map.removeAnnotation(berlin)
        #expect(map.annotations.first === rome)
        let region = MKCoordinateRegion(
            center: CLLocationCoordinate2D(latitude: 60, longitude: 0), latitudinalMeters: 111_195,
            longitudinalMeters: 111_195)
        #expect(abs(region.span.latitudeDelta - 1) < 0.001 && abs(region.span.longitudeDelta - 2) < 0.001)
    }

    // not simulated: N-276
    @Test("a device has no sensors, and the start of updates fails once")
    func motion() async {
        let manager = CMMotionManager()
        let (words, continuation) = AsyncStream.makeStream(of: String.self)
        func say(_ isThere: Bool, _ error: (any Error)?) {
            continuation.yield(isThere ? "measured" : error?.localizedDescription ?? "no error")
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        manager.gyroUpdateInterval = 0.1
        manager.startDeviceMotionUpdates(to: queue) { say($0 != nil, $1) }
        manager.startGyroUpdates(to: queue) { say($0 != nil, $1) }
        manager.startAccelerometerUpdates(to: queue) { say($0 != nil, $1) }
        queue.addOperation { continuation.finish() }
        var all: [String] = []
        for await word in words { all.append(word) }
        #expect(all == Array(repeating: "notSimulated: the device has no sensors", count: 3))
        #expect(!manager.isGyroAvailable && !manager.isDeviceMotionActive && manager.deviceMotion == nil)
        #expect(manager.gyroUpdateInterval == 0.1)
    }

    // not simulated: N-272
    @Test("shortcuts are kept, none has a phrase, and no watch takes them")
    func shortcuts() async throws {
        let activity = NSUserActivity(activityType: "org.example.order")
        let shortcut = INShortcut(userActivity: activity)
        #expect(shortcut.userActivity === activity && shortcut.intent == nil)
        #expect(INShortcut(intent: INIntent())?.intent != nil)
        if case .userActivity(let kept) = shortcut { #expect(kept === activity) } else { Issue.record("no activity") }
        #expect(Set([shortcut, .userActivity(activity)]).count == 1)
        INVoiceShortcutCenter.shared.setShortcutSuggestions([shortcut])
        let count: Int? = await withCheckedContinuation { done in
            INVoiceShortcutCenter.shared.getAllVoiceShortcuts { all, _ in done.resume(returning: all?.count) }
        }
        #expect(count == 0)
        let words: String = await withCheckedContinuation { done in
            INRelevantShortcutStore.default.setRelevantShortcuts([INRelevantShortcut(shortcut: shortcut)]) { error in
                done.resume(returning: error?.localizedDescription ?? "none")
            }
        }
        #expect(words.hasPrefix("notSimulated"))
        #expect(NSString.deferredLocalizedIntentsString(with: "Order %@", "soup") == "Order soup" as NSString)
        let message = INIntent()
        message.setImage(INImage(named: "soup"), forParameterNamed: \INIntent.suggestedInvocationPhrase)
        #expect(message.image(forParameterNamed: \INIntent.suggestedInvocationPhrase) != nil)
    }

    @Test("the picture of an intent is that of its data, or none")
    func pictures() async {
        func size(_ picture: INImage) async -> CGSize? {
            await withCheckedContinuation { done in picture.fetchUIImage { done.resume(returning: $0?.size) } }
        }
        let gif = Data([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 3, 0, 2, 0])
        #expect(await size(INImage(imageData: gif)) == CGSize(width: 3, height: 2))
        #expect(await size(INImage(named: "no such picture")) == nil)
        if let url = URL(string: "https://example.org/a.png") { #expect(await size(INImage(url: url)) == nil) }
    }

    // not simulated: N-162
    @Test("no telephone takes the push of a call")
    func calls() async throws {
        let error: ExtensionHostError? = await withCheckedContinuation { done in
            CXProvider.reportNewIncomingVoIPPushPayload(["event": 1]) {
                done.resume(returning: $0 as? ExtensionHostError)
            }
        }
        #expect(error?.code == .notSimulated)
    }
}
