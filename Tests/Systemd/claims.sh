# claims: the functions that the scripts of claims share: print one line for each claim, and poll. Scripts source it.
failed=0
# The arguments of `busctl call` for the service's manager, and those that take the service's name on a bus.
manager=(org.exthost.ExtensionHost1 /org/exthost/ExtensionHost1 org.exthost.ExtensionHost1.Manager)
take_name=(org.freedesktop.DBus / org.freedesktop.DBus RequestName su org.exthost.ExtensionHost1 0)
# as_user USER [VARIABLE=VALUE…] COMMAND…: runs a command with the user's rights and groups, as after a login.
as_user() {
    setpriv --reuid "$1" --regid "$1" --init-groups --reset-env env PATH=/usr/local/bin:/usr/bin:/bin "${@:2}"
}
# claim WORDS COMMAND…: the command must succeed; if it fails, its output is shown.
claim() {
    local words=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "ok      $words"
    else
        echo "NOT OK  $words"
        printf '%s\n' "$output" | sed 's/^/          /'
        failed=1
    fi
}
# eventually COMMAND…: polls until the command succeeds, for at most a minute.
eventually() {
    local end=$((SECONDS + 60))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || { "$@"; return; }
        sleep 0.02
    done
}
# tells TEXT FILE: the file has the text; prints the file otherwise.
tells() { grep -q -e "$1" "$2" || { cat "$2"; false; }; }
# silent COMMAND…: the command succeeds without output. systemd-analyze verify exits with 0 if it only warns.
silent() {
    local output
    output=$("$@" 2>&1) && [ -z "$output" ] || { printf '%s\n' "$output"; false; }
}
# mark: skips the journal so far. logged COMMAND… succeeds if a later line matches, unlogged if none does.
# The journal's time of a line is when it arrived, so what was printed before must have arrived.
mark() { journalctl --sync; mark=@$EPOCHREALTIME; }
logged() { journalctl --sync; journalctl --quiet --no-pager --output=cat --since="$mark" "$@" | grep .; }
unlogged() { ! logged "$@"; }
is() { [ "$1" = "$2" ] || { echo "$1 is not $2"; false; }; }
# fails COMMAND…: the command must fail.
fails() { ! "$@"; }
# has PATTERN COMMAND…: a line of the output must match the extended expression. If none does, the output is shown.
has() {
    local output
    output=$("${@:2}")
    grep -qE -e "$1" <<<"$output" || { printf '%s\n' "$output"; false; }
}
# timers [NAME VALUE]…: prints settings with these timers.
timers() {
    printf '<plist><dict><key>Timers</key><dict>'
    printf '<key>%s</key><string>%s</string>' "$@"
    printf '</dict></dict></plist>\n'
}
# main_pid UNIT SYSTEMCTL…: prints the number of the unit's main process, or 0.
main_pid() { "${@:2}" show --value -p MainPID "$1"; }
# kill_main UNIT SYSTEMCTL…: kills the unit's main process, if one runs.
kill_main() {
    local pid
    pid=$(main_pid "$@")
    [ "${pid:-0}" = 0 ] || kill -KILL "$pid"
}
failed() { [ "$("${@:2}" is-failed "$1")" = failed ]; }
# given_up UNIT SYSTEMCTL…: kills the unit's main process as often as it starts; systemd must give the unit up.
given_up() {
    local try pid
    runs_or_failed() { failed "$@" || { pid=$(main_pid "$@") && differs "$pid" 0; }; }
    next_or_failed() { failed "$@" || differs "$(main_pid "$@")" "$pid"; }
    for try in $(seq 15); do
        # Without a process to kill, the number would be 0, which is everybody.
        eventually runs_or_failed "$@" || break
        ! failed "$@" || return 0
        kill -KILL "$pid"
        eventually next_or_failed "$@"
    done
    "${@:2}" status "$1"
    false
}
# fed UNIT SYSTEMCTL…: the unit's daemon feeds its watchdog three times more, and was not restarted.
fed() {
    local last times
    fed_again() { differs "$("${@:2}" show --value -p WatchdogTimestampMonotonic "$1")" "$last"; }
    for times in 1 2 3; do
        last=$("${@:2}" show --value -p WatchdogTimestampMonotonic "$1")
        eventually fed_again "$@" || return
    done
    is "$("${@:2}" show --value -p NRestarts "$1")" 0
}
gone() { ! kill -0 "$1" 2>/dev/null; }
differs() { [ -n "$1" ] && [ "$1" != "$2" ]; }
# refused STATUS COMMAND…: the command must exit with this status.
refused() {
    local wanted=$1 status
    shift
    "$@"
    status=$?
    [ $status = "$wanted" ] || { echo "exit status $status in place of $wanted"; false; }
}
