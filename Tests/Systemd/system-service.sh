#!/bin/bash
# system-service: checks what users of the system's service may rely on, in a booted systemd (Tests/Systemd/box): one
# line for each claim.
set -u
. "$(dirname "$0")/claims.sh"

systemd-sysusers /usr/local/lib/sysusers.d/exthost.conf
groupadd painters
useradd --create-home --groups exthost,painters alice
useradd --create-home --groups exthost bob
useradd --create-home carol
as() { as_user "$@"; }
ctl() { exthostctl --system "$@"; }
unit=exthostd.service
main() { systemctl show --value -p MainPID $unit; }
active() { systemctl is-active --quiet "$1"; }
inactive() { ! active "$1"; }
call() { busctl --system --json=short call "${manager[@]}" "$@"; }
# words FILE NAME: prints a line of /proc/PID/status with single spaces between its words.
words() { awk -v name="$2:" '$1 == name { $1 = ""; sub(/^ /, ""); print }' "$1"; }
member() { grep -o "\"$1\": *[^,}]*" | sed 's/^[^:]*: *//; s/"//g' | head -n 1; }

applications=/usr/local/share/exthost/Applications
mkdir -p "$applications"
cp -r /exthost-box/bundles/* "$applications"
chown -R root: "$applications"
chmod -R go-w /usr/local/share/exthost
application=$(dirname "$(dirname "$(ls -d "$applications"/*.app/PlugIns/ShareLink.appex)")")
share=org.exthost.samples.share hang=org.exthost.samples.hang

claim "the units are sound, and nothing is said of them" silent systemd-analyze verify $unit exthostd.socket
claim "the socket is enabled" systemctl enable --now exthostd.socket
claim "it is root's and its group's" test "$(stat -c %a:%U:%G /run/exthost/host.sock)" = 660:root:exthost
claim "the daemon does not run yet" inactive $unit
start=$EPOCHREALTIME
claim "a member of the group starts it by a question" as alice exthostctl --system list
end=$EPOCHREALTIME
awk -v a="$start" -v b="$end" 'BEGIN { printf "        first answer from cold after %.1f ms\n", (b - a) * 1000 }'
claim "it has told systemd that it serves" active $unit
status() { systemctl show --value -p StatusText $unit | grep -q "$1"; }
claim "systemctl status says what it does" status "Serving"
claim "who is in no group of its has no way in" refused 77 as carol exthostctl --system list

# The user and group of extensions.
result() {
    as alice exthostctl --system run $share --url https://example.org --expect completed --json | grep -q '"completed"'
}
claim "an extension is run for a member" result
as alice exthostctl --system run $hang --url https://example.org --json >/run/hang.json 2>/run/hang.error &
hanging=$!
running() { ctl ps --json | tr -d '\n' | tr '{' '\n' | grep '"busy"' | grep -q samples.hang; }
claim "another hangs for her" eventually running
identifier() { as alice exthostctl --system requests --json | member request; }
extension=$(as alice exthostctl --system requests --json | member pid)
request=$(identifier)
process=/proc/$extension/status
alice=$(id -u alice)
claim "it has her user id and no other" is "$(words "$process" Uid)" "$alice $alice $alice $alice"
claim "her group" is "$(words "$process" Gid)" "$(printf "$(id -g alice) %.0s" 1 2 3 4 | sed 's/ $//')"
claim "and her groups" is "$(words "$process" Groups | tr ' ' '\n' | sort -n | xargs)" \
    "$(id -G alice | tr ' ' '\n' | grep -vx "$(id -g alice)" | sort -n | xargs)"
claim "no capability" is "$(words "$process" CapPrm)" 0000000000000000
claim "and a filter of system calls" is "$(words "$process" Seccomp)" 2
sandbox() {
    as alice exthostctl --system status | grep -i sandbox | grep 'namespaces,landlock.*seccomp' ||
        { as alice exthostctl --system status; false; }
}
claim "it is confined by every layer" sandbox
security() { systemd-analyze security --offline=yes --no-pager --threshold="$1" /usr/local/lib/systemd/system/$unit; }
claim "the unit's exposure is at most 3.0 meanwhile" security 30
security 100 | grep 'Overall exposure' | sed 's/^[^O]*/        /'
group() { has "exthostd.service/.*/[0-9]+-$hang-${request:0:8}\$" cat "/proc/$extension/cgroup"; }
claim "its control group has its name and its request's" group
home=/var/lib/exthost/Containers/$alice
claim "its container lies below the state's folder, and is hers alone" \
    is "$(stat -c %a:%U "$home" "$home/Data/PlugIn/$hang" | xargs)" "700:alice 700:alice"
claim "another user cannot look into it" refused 2 as bob ls "$home"

# The view of other users.
claim "root sees whose it is" bash -c "exthostctl --system requests --json | grep -q '\"host\": *\"$alice/'"
nothing() { is "$("$@")" "[]"; }
claim "another user sees no process" nothing as bob exthostctl --system ps --json
claim "no request" nothing as bob exthostctl --system requests --json
claim "no host but its own" nothing as bob exthostctl --system hosts --json
unseen() { ! as bob exthostctl --system watch --json --since 0 --no-follow | grep -e "$request" -e "\"$alice/"; }
claim "no event" unseen
claim "may not cancel it" refused 66 as bob exthostctl --system cancel "$request"
claim "nor kill it" refused 66 as bob exthostctl --system kill $hang
claim "nor read what it prints" refused 66 as bob exthostctl --system logs "$request"
claim "and elects nothing" refused 77 as bob exthostctl --system elect ignore $share
claim "registers nothing" refused 77 as bob exthostctl --system add "$application"
claim "counts nothing" refused 77 as bob exthostctl --system stats
claim "root does" bash -c "exthostctl --system stats --openmetrics | grep -q '^exthost_processes{'"
claim "its own user cancels it" as alice exthostctl --system cancel "$request"
wait $hanging
claim "and its host is told" tells '"cancelledByOperator"' /run/hang.json
claim "root has no extension run here" has notPermitted ctl run $share --url https://example.org --json --expect refused
chmod o+w "$application"
doubted() { ctl list -A -D --json | grep -q 'other users can write'; }
claim "what others could change is run for nobody" \
    refused 13 as alice exthostctl --system run $share --url https://example.org
touch "$application"
claim "and says so in the list" eventually doubted
chmod o-w "$application"
touch "$application"
claim "until they could not" eventually result

# The bus.
bob_calls() { setpriv --reuid bob --regid bob --init-groups busctl --system call "$@"; }
claim "another user cannot take its name" fails bob_calls "${take_name[@]}"
denied() { bob_calls "${manager[@]}" CancelRequest s "$request" 2>&1 | grep -qi denied; }
claim "nor stop a request by it" denied
claim "root may ask" call ListRequests
claim "stopped by systemctl" systemctl stop $unit
claim "the socket is still there" test -S /run/exthost/host.sock
claim "the bus starts it for any user" as carol busctl --system call "${manager[@]}" ListExtensions
claim "and it has the socket then" as alice exthostctl --system list
claim "the log's level is systemctl's to set" systemctl service-log-level $unit debug
claim "and to read" is "$(systemctl service-log-level $unit)" debug
mark
result
claim "a line of that level is in the journal" eventually logged _SYSTEMD_UNIT=$unit PRIORITY=7
claim "it is set back" systemctl service-log-level $unit info
mark
result
claim "other lines are there after it" eventually logged _SYSTEMD_UNIT=$unit EXTHOST_EVENT=request.completed
claim "and none of that level" unlogged _SYSTEMD_UNIT=$unit PRIORITY=7

# A reload of the settings.
mkdir -p /etc/exthost/exthostd.plist.d
timers idle 7s >/etc/exthost/exthostd.plist.d/50-idle.plist
pid=$(main)
claim "systemctl reload" systemctl reload $unit
setting() {
    exthostctl config show --system | grep -q '^Timers.idle  *7s  */etc/exthost/exthostd.plist.d/50-idle.plist'
}
# The daemon reads the settings on a thread. systemd waits for that only since Type=notify-reload, which 252 lacks.
claim "a drop-in counts after it" eventually setting
claim "in the same daemon" is "$(main)" "$pid"
# The next checks wait for processes to exit.
rm -r /etc/exthost
systemctl reload $unit

# Many requests at once, of two users. The log of each request is complete and separate. Each has its own process, as
# its point requires.
journal() { journalctl --sync; journalctl --quiet --no-pager --output=json _SYSTEMD_UNIT=$unit "$@"; }
# teller IDENTIFIER POINT: creates an extension of that point that prints its input.
teller() {
    local bundle=$applications/$1.app
    mkdir -p "$bundle/PlugIns"
    cp "$application/Info.plist" "$bundle"
    cp -r "$application/PlugIns/Python.appex" "$bundle/PlugIns"
    cp "$(dirname "$0")/teller.py" "$bundle/PlugIns/Python.appex/Python.py"
    sed -i -e "s/org\.exthost\.samples\.python/$1/" -e "s/com\.apple\.share-services/$2/" \
        "$bundle/PlugIns/Python.appex/Info.plist"
    sed -i "/<key>CFBundleIdentifier</{n;s|<string>.*</string>|<string>${1%.*}</string>|}" "$bundle/Info.plist"
}
teller org.exthost.single.teller com.apple.app.non-ui-extension
teller org.exthost.shared.teller com.apple.share-services
there() { ctl list --json | grep -q org.exthost.single.teller && ctl list --json | grep -q org.exthost.shared.teller; }
claim "two extensions are added that tell what they were given" eventually there
crowd=()
for number in $(seq 32); do
    user=alice
    [ $((number % 2)) = 0 ] || user=bob
    as $user exthostctl --system run org.exthost.single.teller --url "https://example.org/$number" --wait-exit --json \
        >"/run/crowd-$number.json" 2>"/run/crowd-$number.error" &
    crowd+=($!)
done
wait "${crowd[@]}"
completed() { is "$(cat /run/crowd-*.json | grep -c '"outcome": *"completed"')" 32; }
claim "32 requests at once are completed" completed
stories() {
    journal >/run/journal.json
    python3 "$(dirname "$0")/stories.py" /run/journal.json /run 32
}
claim "each is whole in the journal, with what its extension printed, and nothing else" eventually stories
one=$(member request </run/crowd-1.json)
asked() {
    is "$(journal "EXTHOST_REQUEST=$one" | wc -l)" "$(grep -c "\"EXTHOST_REQUEST\":\"$one\"" /run/journal.json)"
}
claim "journalctl finds it by its number" asked

# With two requests in one process, a line could belong to either.
as alice exthostctl --system run org.exthost.shared.teller --url https://example.org/wait --json \
    >/run/first.json 2>/dev/null &
first=$!
shared() { journal EXTHOST_EXTENSION=org.exthost.shared.teller EXTHOST_EVENT=output; }
waits() { shared | grep -q '"MESSAGE":"[^"]*was given https://example.org/wait"'; }
claim "one is open in a process that others may share" eventually waits
as alice exthostctl --system run org.exthost.shared.teller --url https://example.org/second --json \
    >/run/second.json 2>/dev/null
second=$(member request </run/second.json)
open=$(identifier)
both() { for request in "$open" "$second"; do is "$(shared | grep -c "OPEN_REQUEST.*$request")" 2 || return; done; }
claim "what it prints while it has two names both" eventually both
as alice exthostctl --system cancel "$open"
wait $first
is_shared() {
    local line
    line=$(shared | grep "was given https://example.org/$1")
    echo "$line"
    case $line in
        "") false ;;
        *"\"EXTHOST_REQUEST\":\"$open\""*) [ "$1" = wait ] && ! grep -q OPEN_REQUEST <<<"$line" ;;
        *EXTHOST_REQUEST*) false ;;
        *) [ "$1" = second ] ;;
    esac
}
claim "what it prints while it has no other is in its story" is_shared wait
claim "what it prints while it has two is in neither" is_shared second
as alice exthostctl --system kill org.exthost.shared.teller
ended() {
    for request in "$open" "$second"; do
        is "$(journal "EXTHOST_REQUEST=$request" EXTHOST_EVENT=process.exited | wc -l)" 1 || return
    done
}
claim "the end of their process is in the story of each" eventually ended

# systemd ends and restarts a hanging daemon.
dropins=/etc/systemd/system/$unit.d
mkdir -p $dropins
printf '[Service]\nWatchdogSec=3s\nTimeoutAbortSec=1s\n' >$dropins/watchdog.conf
systemctl daemon-reload
systemctl restart $unit
claim "a daemon that rests feeds its watchdog" fed $unit systemctl
pid=$(main)
mark
kill -STOP "$pid"
restarted() {
    differs "$(main)" "$pid" && [ "$(main)" != 0 ] && active $unit && return
    systemctl show --property MainPID,ActiveState,SubState,NRestarts,WatchdogUSec,Result $unit
    false
}
claim "one that hangs is ended and started again" eventually restarted
claim "by the watchdog" eventually logged UNIT=$unit UNIT_RESULT=watchdog
claim "and serves" result

# A stop in order: open requests are answered, then all processes exit.
as bob exthostctl --system run $hang --url https://example.org --json >/run/hang.json 2>/dev/null &
hanging=$!
eventually running
extension=$(ctl requests --json | member pid)
claim "stopped while a request is open" systemctl stop $unit
wait $hanging
claim "its host was told why" tells '"daemonStopping"' /run/hang.json
claim "its extension is gone" eventually gone "$extension"

# Extensions outlive the daemon, with their user's rights and in their group.
rm -r $dropins
systemctl daemon-reload
systemctl reset-failed $unit
systemctl start exthostd.socket
begin() {
    as alice exthostctl --system run $hang --url https://example.org --json >/run/kept.json 2>/run/kept.error &
    hanging=$!
    eventually running
    request=$(identifier)
    extension=$(as alice exthostctl --system requests --json | member pid)
    held=$(grep -o '/[^/]*$' "/proc/$extension/cgroup" | tail -n 1)
}
number() { as alice exthostctl --system ps --json | member pid; }
same() { is "$(identifier) $(number)" "$request $extension"; }
next() { differs "$(main)" "$pid" && [ "$(main)" != 0 ] && active $unit; }
begin
pid=$(main)
kill -KILL "$pid"
claim "a daemon that is killed is followed by another" eventually next
claim "with her request in the same process" eventually same
claim "which is hers still" is "$(words "/proc/$extension/status" Uid)" "$alice $alice $alice $alice"
group() { has "exthostd.service/exthost-kept-trees-.*$held\$" cat "/proc/$extension/cgroup"; }
claim "in the group that it was in" group
claim "another user sees nothing of it" nothing as bob exthostctl --system requests --json
pid=$(main)
claim "systemctl restart" systemctl restart $unit
claim "has another daemon" next
claim "keeps it, too" eventually same
claim "and says so" eventually has 'Kept: 1 of 1 processes' ctl status
claim "it is ended there" as alice exthostctl --system cancel "$request"
wait $hanging
claim "by the one outcome that its host hears" is "$(grep -c '"cancelledByOperator"' /run/kept.json)" 1
once() { is "$(journal "EXTHOST_REQUEST=$request" EXTHOST_EVENT=request.cancelled | wc -l)" 1; }
claim "and the journal tells" eventually once
unused() {
    [ -z "$(find /sys/fs/cgroup/system.slice/$unit -mindepth 2 -type d)" ] ||
        { find /sys/fs/cgroup/system.slice/$unit -type d; false; }
}
claim "its process and its group go when they are used no more" eventually unused
begin
pid=$(main)
kill -KILL "$pid"
eventually next
eventually same
claim "stopped in order after a restart" systemctl stop $unit
wait $hanging
claim "its host is told that" tells '"daemonStopping"' /run/kept.json
claim "its extension ends" eventually gone "$extension"
begin
claim "one that is killed again and again is given up" given_up $unit systemctl
claim "and what was kept ends without anybody" eventually gone "$extension"
left() { ! pgrep -x exthost-init && [ ! -d /sys/fs/cgroup/system.slice/$unit ]; }
claim "nothing of it is left, process or group" eventually left
kill $hanging 2>/dev/null
systemctl reset-failed $unit exthostd.socket
systemctl start exthostd.socket
claim "once more from the beginning" result


# An init that is killed reports nothing. Its parent is systemd now, and since Linux 6.15 the kernel gives its status to
# others than the parent.
begin
pid=$(main)
kill -KILL "$pid"
eventually next
eventually same
claim "what was kept is killed by an order" as alice exthostctl --system kill $hang
wait $hanging
claim "its host is told that, too" tells '"terminatedByOperator"' /run/kept.json
signal() {
    is "$(as alice exthostctl --system exits --json | tr -d '\n' | tr '{' '\n' |
        grep '"terminatedByOperator"' | member signal)" 9
}
sort --check --version-sort <(echo 6.15; uname -r) 2>/dev/null &&
    claim "and the certificate has its signal" eventually signal

# The service of background transfers runs with its user's rights. After the end of the daemon and of its program, the
# first host of that user brings it back.
transfers() { ctl ps --json | tr -d '\n' | tr '{' '\n' | grep '"org.exthost.transfers"' | member pid; }
claim "a tool asks for her transfers" as alice exthostctl --system transfers list
service=$(transfers)
claim "their service has her user id and no other" \
    is "$(words "/proc/$service/status" Uid)" "$alice $alice $alice $alice"
pid=$(main)
kill -KILL "$pid" "$service"
claim "the daemon is back after both were killed" eventually next
claim "and the service is not, before a host of hers" is "$(transfers)" ""
result
back() { differs "$(transfers)" "$service"; }
claim "her first host brings it back" eventually back
hers() { is "$(words "/proc/$(transfers)/status" Uid)" "$alice $alice $alice $alice"; }
claim "with her user id" eventually hers

# Under a guardian, when namespaces are disabled: the extension runs as the user, and does not outlive the daemon.
mkdir -p $dropins
printf '[Service]\nExecStart=\nExecStart=exthostd --system --keep --tree-kill guardian\n' >$dropins/guardian.conf
systemctl daemon-reload
systemctl restart $unit
means() { ctl status | grep -qi 'tree kill.*guardian' || { ctl status; false; }; }
claim "extensions are held by a guardian where that is asked for" means
begin
claim "it has her user id and no other there" is "$(words "/proc/$extension/status" Uid)" "$alice $alice $alice $alice"
claim "and no capability" is "$(words "/proc/$extension/status" CapPrm)" 0000000000000000
pid=$(main)
kill -KILL "$pid"
wait $hanging
claim "it ends with its daemon, and its host hears that from the next" tells '"daemonRestarted"' /run/kept.json
claim "nobody of it is left" eventually gone "$extension"
rm $dropins/guardian.conf

# The drop-in of docs/service.md that grants extensions the network.
printf '[Service]\nPrivateNetwork=no\nIPAddressDeny=\nRestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK\n' \
    >$dropins/network.conf
systemctl daemon-reload
systemctl restart $unit
claim "with the network given to extensions the unit's exposure is at most 4.0" \
    systemd-analyze security --no-pager --threshold=40 $unit
systemd-analyze security --no-pager $unit | grep 'Overall exposure' | sed 's/^[^O]*/        /'
claim "and an extension runs" result
rm $dropins/network.conf
systemctl daemon-reload

systemctl stop exthostd.socket $unit
exit $failed
