#!/bin/bash
# What whoever installs the Debian package may rely on, tried in a booted systemd (Tests/Systemd/box) in which there is no toolchain: one line for
# each claim. /exthost-box/packages has two versions of it.
set -u
. /exthost-box/claims.sh
export DEBIAN_FRONTEND=noninteractive
# Not this machine's: all that the programs find is what Debian has.
[ ! -d /opt/swift ] || mount -t tmpfs none /opt/swift
[ ! -d /root ] || mount -t tmpfs none /root
# Everything that is there, but for what dpkg, the journal and the boot itself write.
listing() { find /usr /etc /var/lib /lib/systemd -xdev \( -path /var/lib/dpkg -o -path /var/lib/systemd -o -path /usr/share/doc -o -path '/etc/*-' \) -prune -o -print | LC_ALL=C sort; }

useradd --create-home tester
user=$(id -u tester)
as() { setpriv --reuid tester --regid tester --init-groups --reset-env env XDG_RUNTIME_DIR="/run/user/$user" PATH=/usr/bin:/bin "$@"; }
applications=/home/tester/.local/share/exthost/Applications
install -d -o tester -g tester "$applications"
cp -r /exthost-box/bundles/* "$applications"
chown -R tester: /home/tester
loginctl enable-linger tester
eventually test -S "/run/user/$user/systemd/private"
listing >/tmp/before

set -- /exthost-box/packages/*.deb
claim "it is installed" dpkg --install "$1"
claim "its programs need no toolchain" bash -c '! ldd /usr/bin/exthostd /usr/bin/exthostctl | grep -E "swift|not found"'
claim "the units are sound, and nothing is said of them" silent as systemd-analyze --user verify /usr/lib/systemd/user/exthostd.service
claim "a user who is logged in has its socket" eventually test -S "/run/user/$user/exthost/host.sock"
result() { as exthostctl run org.exthost.samples.python --url https://example.org --expect completed; }
claim "and runs an extension" result
claim "a verb has its page" bash -c 'man -w exthostctl.run || test -s /usr/share/man/man1/exthostctl.run.1.gz'
for page in exthostd.1 exthostctl.1 exthost-bundle.5 exthostd.plist.5; do
    claim "$page is there" test -s "/usr/share/man/man${page##*.}/$page.gz"
done

# An upgrade, beside a request that is open.
pid=$(as systemctl --user show --value -p MainPID exthostd.service)
claim "it is upgraded" dpkg --install "$2"
version() { [ "$(dpkg-query --show --showformat '${Version}' exthost)" = 0.1.1 ]; }
claim "to the new version" version
replaced() { local now; now=$(as systemctl --user show --value -p MainPID exthostd.service); [ "$now" != 0 ] && [ "$now" != "$pid" ]; }
claim "what ran runs on as that" eventually replaced
claim "and runs an extension" result

as exthostctl elect ignore org.exthost.samples.python >/dev/null 2>&1
claim "it is removed" dpkg --remove exthost
inactive() { ! as systemctl --user is-active --quiet "$1"; }
claim "no service of it runs on" eventually inactive exthostd.service
claim "nor a socket" eventually inactive exthostd.socket
running() { pgrep -u tester -f 'exthost-init|exthostd'; }
none_runs() { ! running; }
claim "nor a process" eventually none_runs
claim "it is purged" dpkg --purge exthost
listing >/tmp/after
claim "nothing of it is left" diff /tmp/before /tmp/after
claim "what the user has stored is the user's" test -d "$applications"
exit $failed
