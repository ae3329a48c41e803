// MessageIdentifier: the MESSAGE_ID of each kind of event, under which the journal's catalogue explains it
// (systemd/exthost.catalog).

public import ExtensionProtocol

extension EventName {
    /// The identifier, which never changes and is never another event's (sd-id128(3)): 128 bits in hexadecimal digits.
    public var messageIdentifier: String {
        switch self {
        case .daemonStarted: "b69353fe7b2845dbb2e94179d9256e2a"
        case .daemonStopping: "358023555294419093d736cf4a3bfa79"
        case .hostConnected: "668731265d9249848a20c35853d320c2"
        case .hostStateChanged: "6e1f909666234aba842e1cddb896bde6"
        case .hostDisconnected: "67f0be9c3acf4b85b94f45e54c6e19b1"
        case .peerRefused: "d71c8b5d1a0043d783d03c2297c48fde"
        case .requestCreated: "4f01cef853534093bed9f5af7fbb213d"
        case .requestHeld: "11801ac2bd384d34ada7a79286817533"
        case .requestDelivered: "de47cea3bde94ac3a80cfd55edd11eeb"
        case .requestCompleted: "8225583abd2642d1abb6da251ff7b5e4"
        case .requestCancelled: "73eeae2a46a04613a6def9af9cf3f5f7"
        case .requestInterrupted: "d2c28216f44a4f5bb3fbc19e52d527a5"
        case .requestTimedOut: "c824e4c74e884b3087a39b6b4ad0ec48"
        case .requestExpiring: "7aad4eb8e9cc4c6aac6b7298e7281b77"
        case .requestRefused: "78081abfccad469eae0bb6434f85984a"
        case .connectionLost: "36934951b9e24a9187ac4cd217e952b6"
        case .connectionResumed: "20784b99e15b4e44bb0112c16f51dd1d"
        case .requestDismissed: "d229eaf1d52f41e9b11d6de7a733cb29"
        case .contextFault: "1fd5df6edbb0434b8a4b091ba22befa7"
        case .itemLoadStarted: "3ec9b7af87584a209c3be7d54ffcd303"
        case .itemLoadFinished: "64256d58298f46568ea335a5a262209b"
        case .callStarted: "24d87380f2714823b6f422c66566433d"
        case .callFinished: "b2a728ba83324bfa847bfda10af15d75"
        case .serviceOpened: "f1b2e4e6aac240ba83e95e9b8f8c3a81"
        case .serviceClosed: "d0339bc12683445897c086c2007929f0"
        case .processSpawned: "bfb271a7e8544feb9b6c0c37bab4af5b"
        case .processReady: "c062348000ff412e85efd3709d4e4efe"
        case .processAdopted: "5816a94dd8474ea3a4ee9b81d686dad2"
        case .processOutput: "3f57a020fd884eb0bee1769d71ad00d2"
        case .processSuspended: "e7ceebf369a9437c9de16e6a2b51b32d"
        case .processResumed: "58be0473419945fc9bcca58d46fd1189"
        case .processSignalled: "f7f87c9cdb164d4d83ea31e295afbb5f"
        case .processExited: "7dee9909e3a84f1eacb8711eb5850042"
        case .processUnresponsive: "66f797ffddc64718aecfa8bf319caa21"
        case .limitReached: "9de8aa3470e8423fbfda8de2f5ac85bc"
        case .accessRefused: "194ea07bf96748e6b82eef0d922fc0d5"
        case .breakerOpened: "00bd13c143b543a397147d58d54cdcbb"
        case .breakerClosed: "ca931e1fb5ae44c482d79a99041bfe1d"
        case .registryChanged: "06e923d6ef50405caa9c6cdf5aba8e4e"
        case .faultInjected: "86c8f40600eb43f78fe1bf3d4cdc8c17"
        case .busLost: "565e07013da244038d185503bf19cc97"
        case .busJoined: "8c5e4f6a21d94b0e9f3d7b60c4a1e852"
        case .configurationReloaded: "7f82baf44fa4475e9c76015047866bbc"
        case .appOpened: "57c86e80a2c2401eba2f1710d8891df7"
        case .urlRefused: "f07429edc1ec45db8bc9603ea057954c"
        case .annotationChanged: "b7bb1a24e95c44c887eba3c13fee2c8e"
        case .annotationRefused: "7bcdb1b8cb7b48f581ef01cefccebae0"
        case .consentChanged: "685c729299ac4cc1bc7289d56860e0c8"
        }
    }
}
