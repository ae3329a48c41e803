// DeviceServicesTests: the answers of a device without sound, location, store, watch and sensors.

import AVKit
import CoreLocation
import Foundation
import LocalAuthentication
import PushKit
import StoreKit
import SystemConfiguration
import Testing
import WatchConnectivity

@Suite(.serialized) struct DeviceServicesTests {
    /// An observer that hands each answer to the test.
    private final class Observer: NSObject, CLLocationManagerDelegate, SKPaymentTransactionObserver,
        SKProductsRequestDelegate, WCSessionDelegate, @unchecked Sendable
    {
        private let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        private var count = 0

        private func say(_ error: (any Error)?) {
            let error = error.map { $0 as NSError }
            continuation.yield("\(error?.domain ?? "none") \(error?.code ?? 0)")
        }
        func next() async -> String? {
            var iterator = answers.makeAsyncIterator()
            return await iterator.next()
        }
        /// The answers that are there after the present work of the main queue.
        func rest() async -> [String] {
            await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
            continuation.finish()
            var rest: [String] = []
            for await answer in answers { rest.append(answer) }
            return rest
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { say(error) }
        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            say(transactions.first?.error)
        }
        func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
            say(error)
        }
        func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {}
        func request(_ request: SKRequest, didFailWithError error: any Error) { say(error) }
        func session(
            _ session: WCSession, activationDidCompleteWith activationState: WCSessionActivationState,
            error: (any Error)?
        ) { say(error) }
    }

    // spec: P-689
    // not simulated: N-207
    @Test("P-689: each start of a location manager fails once")
    func locationsAreDenied() async {
        let (manager, observer) = (CLLocationManager(), Observer())
        manager.delegate = observer
        #expect(!CLLocationManager.locationServicesEnabled() && manager.authorizationStatus == .denied)
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
        #expect(await observer.next() == "kCLErrorDomain 1")
        manager.requestLocation()
        #expect(await observer.next() == "kCLErrorDomain 1")
        #expect(await observer.rest().isEmpty && manager.location == nil)
    }

    @Test func placesHaveADistance() {
        let (paris, london) = (
            CLLocation(latitude: 48.8566, longitude: 2.3522), CLLocation(latitude: 51.5074, longitude: -0.1278)
        )
        #expect(abs(paris.distance(from: london) - 343_600) < 1000 && paris.distance(from: paris) == 0)
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(90, 180)))
    }

    // spec: P-689
    // not simulated: N-208
    @Test("P-689: payments and requests to the store fail")
    func nothingIsSold() async {
        let (observer, queue) = (Observer(), SKPaymentQueue.default())
        SKStoreReviewController.requestReview()
        queue.add(observer)
        #expect(!SKPaymentQueue.canMakePayments() && queue.transactions.isEmpty)
        queue.restoreCompletedTransactions()
        #expect(await observer.next() == "SKErrorDomain 4")
        let request = SKProductsRequest(productIdentifiers: ["one"])
        request.delegate = observer
        request.start()
        #expect(await observer.next() == "SKErrorDomain 5")
        queue.remove(observer)
        queue.restoreCompletedTransactions()
        #expect(await observer.rest().isEmpty)
    }

    @Test func aPictureFitsIntoTheMiddle() {
        let frame = AVMakeRect(
            aspectRatio: CGSize(width: 2, height: 1), insideRect: CGRect(x: 10, y: 0, width: 40, height: 40))
        #expect(frame == CGRect(x: 10, y: 10, width: 40, height: 20))
        #expect(AVMakeRect(aspectRatio: .zero, insideRect: frame).size == .zero)
    }

    // spec: P-689
    // not simulated: N-206
    @Test("P-689: nothing is played, and the item says so")
    func nothingIsPlayed() async throws {
        let player = AVPlayer(url: URL(fileURLWithPath: "/film.mp4"))
        let item = try #require(player.currentItem)
        #expect((item.asset as? AVURLAsset)?.url.path == "/film.mp4" && item.status == .unknown)
        let (failures, continuation) = AsyncStream.makeStream(of: Bool.self)
        let observer = NotificationCenter.default.addObserver(
            forName: .AVPlayerItemFailedToPlayToEndTime, object: item, queue: nil
        ) { continuation.yield($0.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] is NSError) }
        defer { NotificationCenter.default.removeObserver(observer) }
        player.play()
        #expect(item.status == .failed && player.rate == 0 && player.timeControlStatus == .paused)
        var iterator = failures.makeAsyncIterator()
        #expect(await iterator.next() == true)
        #expect((player.error as NSError?)?.domain == AVFoundationErrorDomain)
        #expect(throws: (any Error).self) { try AVAudioPlayer(contentsOf: URL(fileURLWithPath: "/nowhere.wav")) }
        #expect(try !AVAudioPlayer(data: Data()).play())
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, mode: .moviePlayback, options: [.mixWithOthers])
        #expect(session.category == .playback && session.categoryOptions == .mixWithOthers)
        #expect(throws: (any Error).self) { try session.setActive(true) }
        try session.setActive(false)
        #expect(CMTime(seconds: 1.5, preferredTimescale: 600) == CMTimeMake(value: 900, timescale: 600))
        await MainActor.run {
            let controller = AVPlayerViewController()
            controller.player = player
            #expect(controller.player === player && !controller.isReadyForDisplay && controller.view != nil)
        }
    }

    // spec: P-689
    // not simulated: N-201, N-209
    @Test("P-689: there is neither a watch, nor a push, nor a sensor for a person")
    func nothingIsThere() async {
        let (observer, session) = (Observer(), WCSession.default)
        #expect(!WCSession.isSupported() && !session.isReachable)
        session.delegate = observer
        session.activate()
        #expect(await observer.next() == "WCErrorDomain 7002")
        let registry = PKPushRegistry(queue: nil)
        registry.desiredPushTypes = [.voIP]
        #expect(registry.pushToken(for: .voIP) == nil && registry.desiredPushTypes == [.voIP])
        var error: NSError?
        #expect(!LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error))
        #expect(error?.code == LAError.Code.biometryNotAvailable.rawValue)
        let answer = await withCheckedContinuation { done in
            LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "test") { isThere, error in
                done.resume(returning: !isThere && (error as? LAError)?.code == .passcodeNotSet)
            }
        }
        #expect(answer)
    }

    @Test func theOwnHostIsReachable() throws {
        let own = try #require(SCNetworkReachabilityCreateWithName(nil, "localhost"))
        var flags: SCNetworkReachabilityFlags = []
        #expect(SCNetworkReachabilityGetFlags(own, &flags) && flags == [.reachable, .isLocalAddress])
        let other = try #require(SCNetworkReachabilityCreateWithName(nil, "example.org"))
        #expect(SCNetworkReachabilityGetFlags(other, &flags) && flags.subtracting(.reachable).isEmpty)
        #expect(SCNetworkReachabilityCreateWithName(nil, "") == nil)
        #expect(SCNetworkReachabilitySetCallback(other, nil, nil))
    }
}
