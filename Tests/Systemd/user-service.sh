#!/bin/bash
# user-service: checks what a user of the installed service may rely on, in a booted systemd (Tests/Systemd/box): one
# line for each claim.
set -u
. "$(dirname "$0")/claims.sh"

useradd --create-home tester
user=$(id -u tester)
as() { as_user tester XDG_RUNTIME_DIR="/run/user/$user" "$@"; }
ctl() { as systemctl --user "$@"; }
main() { ctl show --value -p MainPID exthostd.service; }
active() { ctl is-active --quiet "$1"; }
inactive() { ! active "$1"; }
service() { as busctl --user --json=short call "${manager[@]}" "$@"; }

applications=/home/tester/.local/share/exthost/Applications
install -d -o tester -g tester "$applications"
cp -r /exthost-box/bundles/* "$applications"
chown -R tester: /home/tester

# A user whose services run without a login.
loginctl enable-linger tester
eventually test -S "/run/user/$user/systemd/private"

claim "the units are sound, and nothing is said of them" \
    silent as systemd-analyze --user verify exthostd.service exthostd.socket
claim "the socket is enabled" ctl enable --now exthostd.socket
claim "it is there before its daemon" test -S "/run/user/$user/exthost/host.sock"
claim "and nobody else's" test "$(stat -c %a:%U "/run/user/$user/exthost/host.sock")" = 600:tester
claim "the daemon does not run yet" inactive exthostd.service

start=$EPOCHREALTIME
claim "the first question starts it" as exthostctl list
end=$EPOCHREALTIME
awk -v a="$start" -v b="$end" 'BEGIN { printf "        first answer from cold after %.1f ms\n", (b - a) * 1000 }'
claim "it has told systemd that it serves" active exthostd.service
status() { ctl show --value -p StatusText exthostd.service | grep -q "$1"; }
claim "systemctl status says what it does" status "Serving"

result() {
    [ "$(as exthostctl run org.exthost.samples.share --url https://example.org --expect completed --json |
        grep -c '"completed"')" -ge 1 ]
}
claim "an extension of the user's is run" result
sandbox() { as exthostctl status | grep -i sandbox | grep -q 'namespaces,landlock.*seccomp'; }
claim "confined by every layer" sandbox

claim "stopped by systemctl" ctl stop exthostd.service
claim "the socket is still there" test -S "/run/user/$user/exthost/host.sock"
claim "the bus starts it, too" service ListExtensions
claim "and it has the socket then" as exthostctl list
# A bus with a stricter policy of its own: the installed policy comes after it, and is needed.
policy=/etc/dbus-1/session.d/org.exthost.ExtensionHost1.conf
rules() { as busctl --user call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus ReloadConfig; }
printf '%s%s\n' '<busconfig><policy context="default"><deny own="org.exthost.ExtensionHost1"/>' \
    '<deny send_destination="org.exthost.ExtensionHost1"/></policy></busconfig>' >/etc/dbus-1/session.conf
ctl --quiet stop exthostd.service
mv $policy $policy.away
rules
denied() { as busctl --user call "${take_name[@]}" 2>&1 | grep -i 'denied\|not allowed\|refused'; }
claim "a bus whose policy is stricter would not give it its name" denied
mv $policy.away $policy
rules
claim "and does, by the policy that is installed, and starts it" service ListExtensions
rm /etc/dbus-1/session.conf
rules
claim "the log's level is systemctl's to set" ctl service-log-level exthostd.service debug
level() { [ "$(ctl service-log-level exthostd.service)" = debug ]; }
claim "and to read" level

# The journal has every event with its fields.
journal() { journalctl --sync; journalctl --quiet --no-pager --output=json _SYSTEMD_USER_UNIT=exthostd.service "$@"; }
request=$(as exthostctl run org.exthost.samples.share --url https://example.org --json --wait-exit |
    grep -o '"request": *"[^"]*"' | cut -d '"' -f 4)
story() {
    local events
    events=$(journal "EXTHOST_REQUEST=$request" | grep -o '"EXTHOST_EVENT":"[^"]*"' | cut -d '"' -f 4 | tr '\n' ' ')
    echo "$events"
    case $events in
        *request.created*process.spawned*process.ready*request.delivered*request.completed*process.exited*) ;;
        *) false ;;
    esac
}
claim "a request's whole story is in the journal" eventually story
# The service was alone, so all lines are its own; each line belongs to an event or a stream.
own() {
    is "$(journal "EXTHOST_REQUEST=$request" | grep -c "\"EXTHOST_REQUEST\":\"$request\".*")" \
        "$(journal "EXTHOST_REQUEST=$request" | wc -l)"
}
claim "and no line of it is another's, too" own
explained() {
    journalctl --sync
    journalctl --no-pager --catalog "EXTHOST_REQUEST=$request" | grep -q 'has sent hello'
}
journalctl --update-catalog
claim "journalctl -x explains it" explained
mark
result
claim "a line of that level is in the journal" eventually logged _SYSTEMD_USER_UNIT=exthostd.service PRIORITY=7
claim "it is set back" ctl service-log-level exthostd.service info
mark
result
claim "other lines are there after it" \
    eventually logged _SYSTEMD_USER_UNIT=exthostd.service EXTHOST_EVENT=request.completed
claim "and none of that level" unlogged _SYSTEMD_USER_UNIT=exthostd.service PRIORITY=7
as exthostctl run org.exthost.samples.hang --url https://example.org --timeout 1s >/dev/null 2>&1
printed() {
    journal EXTHOST_EXTENSION=org.exthost.samples.hang EXTHOST_STREAM=stdout EXTHOST_STREAM=stderr |
        grep -q 'never completes'
}
claim "what an extension prints is there, too" eventually printed
printf '#!/bin/sh\nseq 1500\nsleep 1\necho last\nexec sleep 60\n' >/home/tester/flood
chmod 755 /home/tester/flood
as exthostctl run /home/tester/flood --text x >/dev/null 2>&1
lines() { journal EXTHOST_EXTENSION=dev.flood EXTHOST_EVENT=output; }
bounded() {
    local count
    count=$(lines | wc -l)
    [ "$count" -ge 500 ] && [ "$count" -le 700 ] || { echo "$count lines"; false; }
}
claim "what a flooding one prints is bounded" bounded
counted() { lines | grep -q 'lines were dropped here' && lines | grep -q ': last"'; }
claim "what is left out is counted, and what comes later is there" counted

# A reload of the settings.
settings=/home/tester/.config/exthost/exthostd.plist.d
install -d -o tester $settings
timers idle 7s >$settings/50-idle.plist
pid=$(main)
claim "systemctl reload" ctl reload exthostd.service
# shown TIMER VALUE FILE: the settings in force have this timer from this file.
shown() { as exthostctl config show | grep -q "^Timers.$1  *$2  *$3"; }
# The daemon reads the settings on a thread. systemd waits for that only since Type=notify-reload, which 252 lacks.
claim "a drop-in counts after it" eventually shown idle 7s $settings/50-idle.plist
claim "in the same daemon" test "$(main)" = "$pid"
mkdir -p /usr/local/lib/exthost /etc/exthost
timers idle 5s load 5s term 5s >/usr/local/lib/exthost/exthostd.plist
timers idle 6s load 6s >/etc/exthost/exthostd.plist
timers idle soon request 45s >$settings/60-bad.plist
ctl reload exthostd.service
value() { shown "$@" || { as exthostctl config show; false; }; }
claim "the vendor's value counts where nobody else has one" \
    eventually value term 5s /usr/local/lib/exthost/exthostd.plist
claim "the system's counts over that" value load 6s /etc/exthost/exthostd.plist
claim "the user's over both, and a bad value disables itself only" \
    value idle 7s $settings/50-idle.plist
claim "not its neighbour" value request 45s $settings/60-bad.plist
named() { journalctl --sync; journalctl --no-pager _SYSTEMD_USER_UNIT=exthostd.service | grep -q '60-bad.plist'; }
claim "and is named" named
rm -r /usr/local/lib/exthost /etc/exthost $settings/60-bad.plist
ctl reload exthostd.service

# A stop in order: open requests are answered, then all processes exit.
as exthostctl run org.exthost.samples.hang --url https://example.org --json >/tmp/hang.json 2>/dev/null &
hanging=$!
identifier() { as exthostctl requests --json | grep -o '"request": *"[^"]*"' | cut -d '"' -f 4 | head -n 1; }
number() { as exthostctl requests --json | grep -o '"pid": *[0-9]*' | grep -o '[0-9]*' | head -n 1; }
# A process alone is no sign: that of the request before may rest still.
running() { [ -n "$(number)" ]; }
eventually running
extension=$(number)
request=$(identifier)
group() { has "/exthostd.service/.*/[0-9]+-org.exthost.samples.hang-${request:0:8}\$" cat "/proc/$extension/cgroup"; }
claim "its control group has its name and its request's" group
counts() { status "1 request open" && status "1 process"; }
claim "the status counts" eventually counts
claim "stopped while a request is open" ctl stop exthostd.service
wait $hanging
claim "its host was told why" tells '"daemonStopping"' /tmp/hang.json
claim "its extension is gone" eventually gone "$extension"
result_is() { [ "$(ctl show --value -p Result exthostd.service)" = success ]; }
claim "and systemd calls that a success" result_is

# systemd ends and restarts a hanging daemon.
dropins=/home/tester/.config/systemd/user/exthostd.service.d
install -d -o tester $dropins
printf '[Service]\nWatchdogSec=3s\nTimeoutAbortSec=1s\n' >$dropins/watchdog.conf
chown -R tester: /home/tester/.config
ctl daemon-reload
# The stopped daemon may have restarted already: its host, which waited for an outcome, has reconnected.
ctl restart exthostd.service
claim "a daemon that rests feeds its watchdog" fed exthostd.service ctl
pid=$(main)
mark
kill -STOP "$pid"
restarted() {
    differs "$(main)" "$pid" && [ "$(main)" != 0 ] && active exthostd.service && return
    ctl show --property MainPID,ActiveState,SubState,NRestarts,WatchdogUSec,Result exthostd.service
    false
}
claim "one that hangs is ended and started again" eventually restarted
claim "by the watchdog" eventually logged USER_UNIT=exthostd.service UNIT_RESULT=watchdog
claim "and serves" as exthostctl list
kill_main exthostd.service ctl
claim "so is one that is killed" eventually as exthostctl list
rm $dropins/watchdog.conf
ctl daemon-reload
ctl restart exthostd.service

# Extensions outlive the daemon.
same() { [ "$(identifier)" = "$request" ] && [ "$(number)" = "$extension" ]; }
begin() {
    as exthostctl run org.exthost.samples.hang --url https://example.org --json >/tmp/kept.json 2>/dev/null &
    hanging=$!
    eventually running
    request=$(identifier)
    extension=$(number)
}
ctl reset-failed exthostd.service
begin
pid=$(main)
kill -KILL "$pid"
next() { differs "$(main)" "$pid" && [ "$(main)" != 0 ] && active exthostd.service; }
claim "a daemon that is killed is followed by another" eventually next
claim "with the same request in the same process" eventually same
pid=$(main)
claim "systemctl restart" ctl restart exthostd.service
claim "has another daemon" next
claim "keeps it, too" eventually same
kept() { as exthostctl status | grep -q 'Kept: 1 of 1 processes'; }
claim "and says so" eventually kept
claim "it can be ended there" as exthostctl cancel "$request"
wait $hanging
claim "by an outcome that its host hears" tells '"cancelledByOperator"' /tmp/kept.json
begin
pid=$(main)
claim "stopped in order after all that" ctl stop exthostd.service
wait $hanging
claim "its host is told that" tells '"daemonStopping"' /tmp/kept.json
claim "its extension ends" eventually gone "$extension"
begin
claim "one that is killed again and again is given up" given_up exthostd.service ctl
claim "and what was kept ends without anybody" eventually gone "$extension"
kill $hanging 2>/dev/null
ctl reset-failed exthostd.service exthostd.socket
ctl start exthostd.socket
claim "once more from the beginning" as exthostctl list

claim "the other user has no way in" fails setpriv --reuid nobody --regid nogroup --clear-groups \
    exthostctl --socket "/run/user/$user/exthost/host.sock" list
ctl stop exthostd.socket exthostd.service
exit $failed
