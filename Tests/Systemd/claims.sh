# claims: the functions that the scripts of claims share: print one line for each claim, and poll. Scripts source it.
failed=0
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
# silent COMMAND…: the command succeeds without output. systemd-analyze verify exits with 0 if it only warns.
silent() {
    local output
    output=$("$@" 2>&1) && [ -z "$output" ] || { printf '%s\n' "$output"; false; }
}
# mark: skips the journal so far. logged COMMAND… succeeds if a later line matches, unlogged if none does.
mark() { mark=@$EPOCHREALTIME; }
logged() { journalctl --sync; journalctl --quiet --no-pager --output=cat --since="$mark" "$@" | grep .; }
unlogged() { ! logged "$@"; }
is() { [ "$1" = "$2" ] || { echo "$1 is not $2"; false; }; }
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
