# What the scripts of claims have in common: one line for each, and waiting for what takes its time. To be sourced.
failed=0
# claim WORDS COMMAND…: the command has to succeed; what it wrote is shown if it does not.
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
# eventually COMMAND…: within a minute it succeeds.
eventually() {
    local end=$((SECONDS + 60))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || { "$@"; return; }
        sleep 0.02
    done
}
# silent COMMAND…: it succeeds and says nothing. systemd-analyze verify ends with 0 where it only warns.
silent() {
    local output
    output=$("$@" 2>&1) && [ -z "$output" ] || { printf '%s\n' "$output"; false; }
}
# mark: what is in the journal so far is passed over by logged COMMAND…, which succeeds where something matches, and unlogged.
mark() { mark=@$EPOCHREALTIME; }
logged() { journalctl --sync; journalctl --quiet --no-pager --output=cat --since="$mark" "$@" | grep .; }
unlogged() { ! logged "$@"; }
is() { [ "$1" = "$2" ] || { echo "$1 is not $2"; false; }; }
gone() { ! kill -0 "$1" 2>/dev/null; }
differs() { [ -n "$1" ] && [ "$1" != "$2" ]; }
# refused STATUS COMMAND…: the command has to end with this exit status.
refused() {
    local wanted=$1 status
    shift
    "$@"
    status=$?
    [ $status = "$wanted" ] || { echo "exit status $status in place of $wanted"; false; }
}
