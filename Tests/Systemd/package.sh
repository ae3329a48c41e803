#!/bin/bash
# package: checks what a user of the Debian package may rely on, in a booted systemd (Tests/Systemd/box) without a
# toolchain: one line for each claim. /exthost-box/packages has two versions of the package.
set -u
. /exthost-box/claims.sh
export DEBIAN_FRONTEND=noninteractive
# The programs find only Debian's files, and not this machine's.
[ ! -d /opt/swift ] || mount -t tmpfs none /opt/swift
[ ! -d /root ] || mount -t tmpfs none /root
# Other processes write there during the test, which would change the listings.
mount -t tmpfs -o mode=1777 none /var/tmp
# A unit name that systemd still remembers is not a leftover. The columns are as wide as the longest name.
units() { "$@" list-units --all --no-legend --plain '*exthost*' | grep -v ' not-found ' | tr -s ' '; }
# Lists the whole state: kind, mode, owner and size of each file, the contents of those in /etc, the users and groups,
# and what systemd and the bus list.
#
# The list omits the sizes of files that grow with use, and the files of the journal, of sessions and of dpkg itself. Of
# dpkg's files it has only those of no package.
listing() {
    find / -maxdepth 1
    find /bin /boot /etc /lib /sbin /srv /usr /var /run -xdev \
        \( -path /var/log -o -path /run/log -o -path '/etc/*-' -o -path '/var/lib/dpkg/*-old' -o -path '/run/systemd' \
        -o -path '/run/user' \) -prune -o \
        \( -path '/var/*' -o -path '/run/*' \) -printf '%y %m %u:%g %p %l\n' -o \
        -type d -printf '%y %m %u:%g %p\n' -o -printf '%y %m %u:%g %s %p %l\n'
    find /etc -xdev -path '/etc/*-' -prune -o -type f -exec sha256sum {} +
    getent passwd
    getent group
    find /run/user /run/systemd /var/log -path "*exthost*"
    dpkg-query --show '*exthost*' 2>/dev/null
    systemctl list-unit-files --no-legend '*exthost*'
    units systemctl
    as systemctl --user list-unit-files --no-legend '*exthost*'
    units as systemctl --user
    busctl list --no-legend --acquired --activatable | grep exthost
    as busctl --user list --no-legend --acquired --activatable | grep exthost
}

useradd --create-home tester
user=$(id -u tester)
as() { as_user tester XDG_RUNTIME_DIR="/run/user/$user" PATH=/usr/bin:/bin "$@"; }
applications=/home/tester/.local/share/exthost/Applications
install -d -o tester -g tester "$applications"
cp -r /exthost-box/bundles/* "$applications"
cp /exthost-box/teller.py "$applications"/*.app/PlugIns/Python.appex/Python.py
chown -R tester: /home/tester
loginctl enable-linger tester
eventually test -S "/run/user/$user/systemd/private"
listing | LC_ALL=C sort >/tmp/before

set -- /exthost-box/packages/*.deb
claim "it is installed" dpkg --install "$1"
claim "its programs need no toolchain" bash -c '! ldd /usr/bin/exthostd /usr/bin/exthostctl | grep -E "swift|not found"'
claim "the units are sound, and nothing is said of them" \
    silent as systemd-analyze --user verify /usr/lib/systemd/user/exthostd.service
claim "a user who is logged in has its socket" eventually test -S "/run/user/$user/exthost/host.sock"
result() { as exthostctl run org.exthost.samples.python --url https://example.org --expect completed; }
claim "and runs an extension" result
claim "a verb has its page" bash -c 'man -w exthostctl.run || test -s /usr/share/man/man1/exthostctl.run.1.gz'
for file in /usr/share/bash-completion/completions/exthostctl /usr/share/zsh/vendor-completions/_exthostctl \
    /usr/share/fish/vendor_completions.d/exthostctl.fish \
    /usr/share/doc/exthost/NOTICE /usr/share/doc/exthost/copyright; do
    claim "$file is there" test -s "$file"
done
completes() {
    bash -c '. /usr/share/bash-completion/completions/exthostctl && complete -p exthostctl' | grep exthostctl
}
claim "bash completes exthostctl" completes
claim "the licences of what is linked are named" grep -q "Runtime Library Exception" /usr/share/doc/exthost/copyright
for page in exthostd.1 exthostctl.1 exthost-bundle.5 exthostd.plist.5; do
    claim "$page is there" test -s "/usr/share/man/man${page##*.}/$page.gz"
done

# The system's service, for members of its group.
usermod --append --groups exthost tester
install -d /usr/share/exthost/Applications
cp -r "$applications"/* /usr/share/exthost/Applications
chown -R root: /usr/share/exthost
chmod -R go-w /usr/share/exthost
claim "the system's socket is enabled" systemctl enable --now exthostd.socket
claim "it is root's and its group's" is "$(stat -c %a:%U:%G /run/exthost/host.sock)" 660:root:exthost
system_result() { as exthostctl --system run org.exthost.samples.python --url https://example.org --expect completed; }
claim "the system's service runs an extension, too" system_result
claim "which systemd takes for active" systemctl is-active --quiet exthostd.service

# An upgrade while both services have open requests, which outlive it. wait_in MODE: begins a request that is not
# answered.
wait_in() {
    as exthostctl "--$1" run org.exthost.samples.python --url https://example.org/wait --json \
        >"/tmp/$1.json" 2>/dev/null &
}
is_open() { as exthostctl "--$1" requests --json | grep -q '"state": *"active"'; }
# serves MODE: prints the process of the open request.
serves() { as exthostctl "--$1" requests --json | grep -o '"pid": *[0-9]*'; }
wait_in user
wait_in system
claim "a request of the user's is open" eventually is_open user
claim "and one of the system's" eventually is_open system
served=$(serves user) system_served=$(serves system)
system_pid=$(systemctl show --value -p MainPID exthostd.service)
pid=$(as systemctl --user show --value -p MainPID exthostd.service)
claim "it is upgraded" dpkg --install "$2"
version() { [ "$(dpkg-query --show --showformat '${Version}' exthost)" = 0.1.1 ]; }
claim "to the new version" version
# replaced PID COMMAND…: a daemon other than PID runs. COMMAND is systemctl of the user or of the system.
replaced() {
    local now
    now=$("${@:2}" show --value -p MainPID exthostd.service)
    [ "$now" != 0 ] && [ "$now" != "$1" ]
}
claim "what ran runs on as that" eventually replaced "$pid" as systemctl --user
claim "the system's, too" eventually replaced "$system_pid" systemctl
claim "the user's request is open still" eventually is_open user
claim "in the same process" is "$(serves user)" "$served"
claim "so is the system's" eventually is_open system
claim "in its" is "$(serves system)" "$system_served"
request() { as exthostctl "--$1" requests --json | grep -o '"request": *"[^"]*"' | cut -d '"' -f 4; }
claim "it can be cancelled" as exthostctl --user cancel "$(request user)"
cancelled() { is "$(grep -c '"cause": *"cancelledByOperator"' "/tmp/$1.json")" 1; }
claim "which its host hears, once" eventually cancelled user
claim "and the system's" as exthostctl --system cancel "$(request system)"
claim "as does its host" eventually cancelled system
claim "and runs an extension" result

as exthostctl elect ignore org.exthost.samples.python >/dev/null 2>&1
wait_in system
eventually is_open system
claim "it is removed beside a request that is open" dpkg --remove exthost
claim "whose host is told why" eventually grep -q '"daemonStopping"' /tmp/system.json
inactive() { ! as systemctl --user is-active --quiet "$1"; }
claim "no service of it runs on" eventually inactive exthostd.service
claim "nor a socket" eventually inactive exthostd.socket
system_inactive() {
    ! systemctl is-active --quiet exthostd.service && ! systemctl is-active --quiet exthostd.socket
}
claim "nor the system's" eventually system_inactive
running() { pgrep 'exthost-init|exthostd'; }
none_runs() { ! running; }
claim "nor a process" eventually none_runs
claim "it is purged" dpkg --purge exthost
rm -r /usr/share/exthost/Applications
claim "nothing lies where it shares" rmdir /usr/share/exthost
listing | LC_ALL=C sort >/tmp/after
claim "nothing of it is left" diff /tmp/before /tmp/after
claim "what the user has stored is the user's" test -d "$applications"
exit $failed
