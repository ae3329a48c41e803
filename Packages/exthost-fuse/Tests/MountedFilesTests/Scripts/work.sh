#!/bin/bash
# Works in a folder as programmers do, and prints what is the same on each file system: work.sh FOLDER
set -eu
cd "$1"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' HOME=$PWD LC_ALL=C

echo "== git"
git init -q -b main one
cd one
for number in $(seq 60); do
    mkdir -p "folder$((number % 7))"
    seq "$number" 300 >"folder$((number % 7))/file$number"
done
printf '#!/bin/sh\necho ran\n' >program
chmod +x program
ln -s folder1 link
git add .
git commit -q -m first
git status --short
git mv folder1 moved
sed -i s/100/hundred/ folder2/*
rm folder3/file3
git add -A
git commit -q -m second
git checkout -q -b other HEAD~1
echo more >>program
git commit -q -a -m third
git merge -q --no-edit main
git log --format='%h %s'
git fsck --strict 2>&1 | sort
git gc -q
git fsck --strict 2>&1 | sort
git stash list
cd ..
git clone -q one two
git -C two log --format='%h %s'
git -C two status --short
diff -r --no-dereference --exclude=.git one two
git clone -q --bare one three.git
git -C two push -q ../three.git HEAD:pushed
git -C three.git rev-parse pushed
git -C two worktree add -q ../four HEAD~1
git -C four status --short
two/program

echo "== make"
mkdir project
cd project
for number in $(seq 12); do
    printf 'int f%d(int x) { return x + %d; }\n' "$number" "$number" >"f$number.c"
done
{
    for number in $(seq 12); do echo "int f$number(int);"; done
    echo 'int printf(const char *, ...);'
    echo 'int main(void) { int x = 0;'
    for number in $(seq 12); do echo "x = f$number(x);"; done
    echo 'printf("%d\n", x); return 0; }'
} >main.c
cat >Makefile <<'MAKEFILE'
objects := $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects)
	cc -o $@ $^
	@echo linked
%.o: %.c
	@cc -c -o $@ $<
clean:
	rm -f *.o program
MAKEFILE
make -s -j4
./program
make -j4
sleep 0.01
touch f3.c
make -s -j4
make -q && echo "up to date"
make -s clean
ls

echo "== tar, rsync-like copies, sed, sort"
cd ..
tar cf one.tar one
mkdir out
tar xf one.tar -C out
diff -r --no-dereference one out/one
cp -a one copy
diff -r --no-dereference one copy
cp --sparse=always one.tar sparse.tar
cmp one.tar sparse.tar
sort -R one/folder2/* | sort -n | uniq -c | head -n 3
find one -name 'file*' | wc -l
find one -type d -name 'folder*' | sort
du -s --apparent-size one/folder2 | awk '{ print ($1 > 0) }'
dd if=/dev/zero of=zero bs=1M count=8 status=none
truncate -s 1M zero
stat -c %s zero
mv copy moved
rm -r out moved one.tar
ls
