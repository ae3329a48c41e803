#!/bin/bash
# restarts: checks that running extensions outlive any number of restarts of the user's service, in a booted systemd
# (Tests/Systemd/box): restarts.sh
set -u
. "$(dirname "$0")/claims.sh"
unit=exthostd.service hang=org.exthost.samples.hang

useradd --create-home keeper
user=$(id -u keeper)
as() { as_user keeper XDG_RUNTIME_DIR="/run/user/$user" "$@"; }
ctl() { as systemctl --user "$@"; }
main() { ctl show --value -p MainPID $unit; }
is_in() { [ "$(ctl show --value -p ActiveState $unit)" = "$1" ]; }
dropins=/home/keeper/.config/systemd/user/$unit.d
# drop_in NAME LINE…: adds lines of [Service]. Without arguments it removes them.
drop_in() {
    rm -rf $dropins
    if [ $# != 0 ]; then
        install -d -o keeper -g keeper /home/keeper/.config/systemd /home/keeper/.config/systemd/user $dropins
        printf '%s\n' '[Service]' "$@" >$dropins/claims.conf
    fi
    ctl daemon-reload
}

applications=/home/keeper/.local/share/exthost/Applications
install -d -o keeper -g keeper "$applications"
cp -r /exthost-box/bundles/* "$applications"
chown -R keeper: /home/keeper
loginctl enable-linger keeper
eventually test -S "/run/user/$user/systemd/private"
claim "the socket is enabled" ctl enable --now exthostd.socket

# open: prints the number of each request and of its process, sorted.
open() { as exthostctl requests --json | grep -oE '"(request|pid)": *"?[^",}]*' | sed 's/.*: *"*//' | sort; }
are_open() { is "$(open | wc -l)" $((2 * $1)); }
hosts=()
# begin COUNT [EXTENSION]: begins as many requests whose extension does not answer, each with its own host.
begin() {
    local number
    hosts=()
    rm -f /tmp/open-*.json
    for number in $(seq "$1"); do
        as exthostctl run "${2-$hang}" --url https://example.org --json >"/tmp/open-$number.json" 2>/dev/null &
        hosts+=($!)
    done
    eventually are_open "$1"
    before=$(open)
}
same() { is "$(open)" "$before"; }
# finish: ends the requests and checks that their hosts are notified.
finish() {
    for request in $(grep -- - <<<"$before"); do as exthostctl cancel "$request"; done
    wait "${hosts[@]}"
}
kept() { has "Kept: $1" as exthostctl status; }

# Restarts while the service still starts.
begin 10
claim "ten requests are open" are_open 10
met=0
for round in $(seq 10); do
    ctl reset-failed $unit
    ctl restart --no-block $unit
    for look in $(seq 50); do is_in activating && break; done
    ! is_in activating || met=$((met + 1))
    ctl restart $unit
done
claim "some of ten restarts met the service as it started" test $met -ge 1
claim "the same requests are open after them" eventually same

# Restarts more often than the start limit, which is ten.
for round in $(seq 25); do ctl restart $unit || break; done
claim "25 restarts within the start limit's time are no failure" is "$round $(ctl is-active $unit)" "25 active"
claim "and end nothing" eventually same
finish
claim "each host heard how its request ended" is "$(cat /tmp/open-*.json | grep -c '"cancelledByOperator"')" 10

# The message bus stops and starts again.
call() { as busctl --user --timeout=9 call "${manager[@]}" ListHosts; }
level() { is "$(ctl service-log-level $unit)" info; }
claim "the bus answers for the daemon" call
pid=$(main)
claim "the bus is restarted" ctl restart dbus.service
claim "the daemon answers on the new one" call
claim "so does its log's level" level
claim "it is the same daemon" is "$(main)" "$pid"
ctl stop dbus.socket dbus.service
claim "it is restarted where there is no bus" ctl restart $unit
claim "and serves" as exthostctl list
claim "the bus comes" ctl start dbus.socket
claim "the daemon answers there" call
claim "and its log's level" level

# A store that is too small for all descriptors.
single=org.exthost.single.hang
mkdir -p "$applications/Single.app/PlugIns"
cp "$(dirname "$(dirname "$(ls -d "$applications"/*.app/PlugIns/Hang.appex)")")/Info.plist" "$applications/Single.app"
cp -r "$applications"/*.app/PlugIns/Hang.appex "$applications/Single.app/PlugIns"
sed -i "/<key>CFBundleIdentifier</{n;s|<string>.*</string>|<string>org.exthost.single</string>|}" \
    "$applications/Single.app/Info.plist"
sed -i -e "s/$hang/$single/" -e 's/com\.apple\.share-services/com.apple.app.non-ui-extension/' \
    "$applications/Single.app/PlugIns/Hang.appex/Info.plist"
chown -R keeper: "$applications"
there() { as exthostctl list --json | grep -q $single; }
claim "an extension is added that has a process for each request" eventually there
drop_in FileDescriptorStoreMax=20
ctl --quiet stop $unit
begin 6 $single
claim "of six processes four have a place in a store of 20" eventually kept '4 of 6 processes'
ctl restart $unit
claim "they outlive a restart" eventually kept '4 of 4 processes'
ended() { is "$(cat /tmp/open-*.json | grep -c '"cause": *"daemonRestarted"')" "$1"; }
claim "the others end, and their hosts are told why" eventually ended 2
before=$(open)
finish
drop_in FileDescriptorStoreMax=0
ctl restart $unit
begin 1 $single
claim "without a store nothing is kept" eventually kept none
drop_in
ctl restart $unit
wait "${hosts[@]}"
claim "and what is open ends" ended 1

# systemd still gives up a failing daemon; the instructions of docs/service.md restart it.
begin 1
extension=$(grep -v -- - <<<"$before")
claim "one that is killed again and again is given up" given_up $unit ctl
claim "what was kept ends" eventually gone "$extension"
kill "${hosts[@]}" 2>/dev/null
wait "${hosts[@]}" 2>/dev/null
claim "the count is begun anew" ctl reset-failed $unit
claim "the socket is started" ctl start exthostd.socket
claim "it serves again" as exthostctl list

exit $failed
