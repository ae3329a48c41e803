#!/bin/bash
# kills: kills the installed service's daemon before and after each of its actions, and at random under load, in a
# booted systemd (Tests/Systemd/box). Then no request is lost or doubled, no process remains, and no foreign process is
# affected.
# kills.sh system|user STEP KILLS [STORY POINT…]
#
#   system|user   the daemon: root's for hosts of two users, or alice's own
#   STEP          every STEP-th point of the story is played (1: all). The points are those of the first daemon and,
#                 after a kill in the middle, of the next; of one whose extension ends by itself; and of one that is
#                 stopped while a request is open
#   KILLS         the number of kills at random under load; a restart follows each fifth
#   STORY POINT…  plays only that story (story, end, stop), with a kill at each of these points, to reproduce a finding
#
# The program of the story and the load is Tests/Fixtures/KillStory. The extension is the puppet, which is confined. The
# points are those of KillPoint.swift.
set -u
. "$(dirname "$0")/claims.sh"
mode=$1 step=$2 kills=$3
shift 3
unit=exthostd.service puppet=org.exthost.tests.puppet
here=$(cd "$(dirname "$0")" && pwd)

groupadd --force exthost
for user in alice bob; do getent passwd $user >/dev/null || useradd --create-home --groups exthost $user; done
# as USER COMMAND…: runs a command with the user's rights and groups, as after a login.
as() { as_user "$1" XDG_RUNTIME_DIR="/run/user/$(id -u "$1")" "${@:2}"; }
alice=$(id -u alice)
stage=/run/exthost-kill/$mode
mkdir -p $stage
case $mode in
    system)
        ctl() { systemctl "$@"; }
        hosts=(alice bob)
        runtime=/run/exthost
        dropins=/etc/systemd/system
        group=/sys/fs/cgroup/system.slice/$unit
        home() { echo "/var/lib/exthost/Containers/$(id -u "$1")/Data/PlugIn/$puppet"; }
        ;;
    user)
        loginctl enable-linger alice
        eventually test -S "/run/user/$alice/systemd/private"
        ctl() { as alice systemctl --user "$@"; }
        hosts=(alice)
        runtime=/run/user/$alice/exthost
        dropins=/home/alice/.config/systemd/user
        group=/sys/fs/cgroup/user.slice/user-$alice.slice/user@$alice.service/app.slice/$unit
        home() { echo "/home/alice/.local/share/exthost/Containers/Data/PlugIn/$puppet"; }
        chown alice $stage
        ;;
esac
applications=/usr/local/share/exthost/Applications
bundle=$applications/Tests.app/PlugIns/puppet.appex
if [ ! -d $bundle ]; then
    mkdir -p $bundle
    cp "$here/Puppet" $bundle/puppet
    head='<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>'
    echo "$head<key>CFBundleIdentifier</key><string>org.exthost.tests</string></dict></plist>" \
        >$applications/Tests.app/Info.plist
    cat >$bundle/Info.plist <<PLIST
$head
<key>CFBundleIdentifier</key><string>$puppet</string>
<key>CFBundleExecutable</key><string>puppet</string>
<key>CFBundleVersion</key><string>1</string>
<key>NSExtension</key><dict>
    <key>NSExtensionPointIdentifier</key><string>com.apple.share-services</string>
    <key>NSExtensionPrincipalClass</key><string>Puppet.Puppet</string>
    <key>NSExtensionAttributes</key><dict><key>NSExtensionActivationRule</key><string>TRUEPREDICATE</string></dict>
</dict>
</dict></plist>
PLIST
    chmod -R go-w /usr/local/share/exthost
fi

# Each start takes the next line of points, and each end is logged. The rest of the unit is unchanged.
cat >$stage/take-point <<SCRIPT
#!/bin/sh
cd $stage
point=\$(head -n 1 points)
sed -i 1d points
if [ -n "\$point" ]; then echo "EXTHOST_KILL_POINT=\$point" >point; else : >point; fi
SCRIPT
mkdir -p $dropins/$unit.d
cat >$dropins/$unit.d/kills.conf <<DROPIN
[Unit]
StartLimitIntervalSec=0
[Service]
RestartSec=1ms
EnvironmentFile=-$stage/point
ExecStartPre=+/bin/sh $stage/take-point
ExecStopPost=+/bin/sh -c 'echo "\$\$EXIT_CODE \$\$EXIT_STATUS" >>$stage/ends'
DROPIN
: >$stage/points
: >$stage/ends
chown -R "$(stat -c %U $stage)" $stage
[ $mode = system ] || chown -R alice: /home/alice/.config
ctl daemon-reload
claim "the $mode's socket is there" ctl enable --now exthostd.socket
# These are processes of the same user that do not belong to the daemon, and nobody may end them. They reuse the pids of
# the daemon's processes: where pid_max belongs to the box (since Linux 6.14), only few pids exist.
if sort --check --version-sort <(echo 6.14; uname -r) 2>/dev/null; then
    mount -o remount,bind,rw /proc/sys && echo 2000 >/proc/sys/kernel/pid_max
fi
as alice sleep 10000 2>/dev/null &
bystander=$!
as alice bash -c 'while :; do
    for number in 1 2 3 4 5 6 7 8; do sleep 0.3 & done
    for job in $(jobs -p); do wait $job || echo "process $job: exit status $?"; done
done' >$stage/touched 2>&1 &
passers=$!

main() { ctl show --value -p MainPID $unit; }
deaths() { grep -c '^killed KILL$' $stage/ends; }
active() { ctl is-active --quiet $unit; }
# wrong KIND WORDS: records a fault, which the claims at the end report.
wrong() { echo "killed at $points: $2" | cut -c 1-2000 >>"$stage/wrong-$1"; }
# none KIND: succeeds if there was no fault of this kind.
none() { [ ! -e "$stage/wrong-$1" ] || { head -n 20 "$stage/wrong-$1"; false; }; }
left() { pgrep -x exthost-init || pgrep -x puppet || { [ -d "$group" ] && find "$group"; }; }
nobody() { ! left; }
stored() { ctl show --value -p NFileDescriptorStore $unit; }
empty() { [ "$(stored)" = 0 ]; }
forget() { for user in "${hosts[@]}"; do rm -f "$(home $user)/notes"; done; }
# judge TALLY STATUS USER: checks what that user's hosts saw, and the notes of the user's puppet.
judge() {
    local notes twice
    [ "$2" = 0 ] || wrong ending "exit status $2: $1"
    notes=$(cut -d ' ' -f 1 "$(home "$3")/notes" 2>/dev/null | sort)
    twice=$(uniq -d <<<"$notes")
    [ -z "$twice" ] || wrong twice "$twice"
    # Every request that the host saw completed has begun.
    local unknown
    unknown=$(comm -23 <(grep -o '"noted":\[[^]]*' <<<"$1" | grep -oE '[0-9A-F-]{36}' | sort) <(echo "$notes"))
    [ -z "$unknown" ] || wrong unnoted "$unknown"
    [ "$2" != 0 ] || sed 's/.*"outcomes":{\([^}]*\)}.*/\1/' <<<"$1" | tr ',' '\n' >>$stage/outcomes
}
# stop: stops the service in order, when no other kill is due. stop again: connected hosts reconnect.
stop() {
    local before after
    eventually active || wrong stop "it does not run"
    before=$(deaths)
    ctl --quiet stop $unit || wrong stop "it cannot be stopped"
    after=$(deaths)
    [ "$after" = "$before" ] || stopped=$((stopped + 1))
    [ "${1-}" != again ] || return
    eventually nobody >/dev/null || wrong left "$(left | head -n 20)"
    eventually empty || wrong stored "$(stored) descriptors"
    [ "$after" != "$before" ] || [ ! -e $runtime/kept.journal ] || wrong kept "its journal is there"
    ! gone $bystander && ! gone $passers && [ ! -s $stage/touched ] ||
        wrong bystander "$(cat $stage/touched; ps -o pid,args -u alice)"
}
# play POINT…: plays one story and kills its daemons at these points. False if not all of them were reached.
play() {
    local tally status line
    points="$story $*"
    printf '%s\n' "$@" >$stage/points
    : >$stage/ends
    forget
    exec 8< <(as alice timeout 60 "$here/KillStory" $story --socket $runtime/host.sock --notes notes 2>&1)
    if [ $story = stop ]; then
        read -r line <&8
        [ "$line" = open ] || wrong ending "$line"
        # The host reconnects and thereby starts the service again.
        stop again
    fi
    tally=$(cat <&8)
    wait $!
    status=$?
    judge "$tally" $status alice
    stop
    : >$stage/points
    [ "$(deaths)" = $# ]
}
# total: prints the sum of the outcomes of requests.
total() {
    awk -F : '{ sum[$1] += $2 } END { for (name in sum) printf " %s %d", name, sum[name]; print "" }' $stage/outcomes |
        tr -d '"'
}
# verdict WORDS: makes one claim for each kind of fault.
verdict() {
    claim "$1: every request ended as it should, once, and every end of a process was heard of" none ending
    claim "none was begun twice" none twice
    claim "none was completed that was not begun" none unnoted
    claim "each daemon could be stopped" none stop
    claim "nobody outlived that" none left
    claim "its descriptor store was empty then" none stored
    claim "and its journal gone" none kept
    claim "nobody else's process was touched" none bystander
    rm -f $stage/wrong-* $stage/outcomes
}
stopped=0

if [ $# != 0 ]; then
    story=$1
    shift
    play "$@" || echo "        not all of $* were reached"
    cat $stage/outcomes $stage/ends
    verdict "killed at $*"
    ctl stop exthostd.socket
    exit $failed
fi

# exhaust STORY LEAST [FIRST…]: plays each STEP-th point in turn until a daemon survives the story. Earlier daemons are
# killed at FIRST.
exhaust() {
    local least=$2 point=1 count=0 start=$EPOCHREALTIME words
    story=$1
    shift 2
    stopped=0
    while play "$@" $point; do
        count=$((count + 1))
        point=$((point + step))
        # These findings suffice.
        [ "$(cat $stage/wrong-* 2>/dev/null | wc -l)" -lt 5 ] || break
    done
    words="killed at every point of the $story"
    [ $step = 1 ] || words="killed at one point in $step of the $story"
    [ $# = 0 ] || words="$words after a kill at $*"
    awk -v a="$start" -v b="$EPOCHREALTIME" -v words="$words, $count in all, $stopped of them as it stopped:$(total)" \
        'BEGIN { printf "        %s; %.1f s\n", words, b - a }'
    claim "these are all that there are" test $count -ge $((least / step))
    verdict "$words"
}
exhaust story 60
exhaust story 40 40
exhaust end 60
exhaust stop 30

# Kills at random under load, with two hosts of alice's and one of another user's.
points="random" RANDOM=20
forget
: >$stage/ends
start=$EPOCHREALTIME
mkfifo $stage/load
loads=()
for user in "${hosts[@]}"; do
    count=2
    [ $user = alice ] && [ ${#hosts[@]} = 2 ] || count=$((4 - ${#hosts[@]}))
    [ $user = alice ] || count=1
    as $user timeout 300 "$here/KillStory" load --socket $runtime/host.sock --notes notes --name $user --hosts $count \
        <$stage/load >$stage/tally-$user 2>&1 &
    loads+=($!)
done
exec 9>$stage/load
eventually active
next() { differs "$(main)" "$pid" && [ "$(main)" != 0 ]; }
for ((number = 0; number < kills; number++)); do
    printf -v pause '0.%03d' $((RANDOM % 300 + 50))
    sleep $pause
    pid=$(main)
    kill -KILL "$pid"
    eventually next || { wrong stop "none follows the one that was killed"; break; }
    [ $((number % 5)) = 4 ] || continue
    eventually active
    ctl restart $unit || wrong stop "it cannot be restarted"
done
exec 9>&-
for number in "${!hosts[@]}"; do
    wait "${loads[number]}"
    judge "$(cat $stage/tally-${hosts[number]})" $? ${hosts[number]}
done
stop
awk -v a="$start" -v b="$EPOCHREALTIME" -v words="killed $(deaths) times at random under load:$(total)" \
    'BEGIN { printf "        %s; %.1f s\n", words, b - a }'
claim "each was a kill" is "$(deaths)" "$kills"
verdict "killed at random"

ctl stop exthostd.socket
pkill --parent $bystander,$passers
{ wait; } 2>/dev/null
rm -r $dropins/$unit.d
ctl daemon-reload
exit $failed
