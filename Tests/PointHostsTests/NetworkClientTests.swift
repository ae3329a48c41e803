// NetworkClientTests: the states that an app has of its sessions.

import PointMessages
import Testing

@testable import NetworkExtension

@Suite struct NetworkClientTests {
    // spec: NX-5
    @Test("NX-5: a list that was made before the newest status does not replace it") func lists() {
        let client = NetworkClient("test", changed: .NEVPNConfigurationChange) { nil }
        let (connecting, connected) = (TunnelState(status: 2), TunnelState(status: 3))
        client.listed(connecting, of: "a", since: client.mark)
        #expect(client.state(of: "a")?.status == 2)
        // The status comes while the app waits for the list.
        let mark = client.mark
        client.told(connected, of: "a")
        client.listed(connecting, of: "a", since: mark)
        client.listed(connecting, of: "b", since: mark)
        #expect(client.state(of: "a")?.status == 3 && client.state(of: "b")?.status == 2)
        // A later list counts again, as after another host has taken over.
        client.listed(connecting, of: "a", since: client.mark)
        #expect(client.state(of: "a")?.status == 2)
    }
}
