#!/bin/bash
# The images of docs/autograders/image/Containerfile, built by buildah (no daemon) from an empty
# Debian that mmdebstrap made, and started in a namespace without a network: the skeleton fails, the
# answer passes, as each image's users start it.
# timeout: 1500
. "$(dirname "$0")/../lib.sh"
. "$root/tests/install/roots.sh"
cd "$root" || exit 1
roots_ready "images" || finish
for p in buildah dpkg-shlibdeps; do command -v $p >/dev/null || { skip "images (there is no $p)"; finish; }; done
b=(buildah --root "$T/images" --runroot "$T/run")
trap '"${b[@]}" umount --all >/dev/null 2>&1; umount -R "$T"/images/overlay 2>/dev/null; rm -rf "$T"' EXIT

# What FROM names: there is no registry here.
roots_make slim ca-certificates || finish
empty=$("${b[@]}" from scratch)
"${b[@]}" copy -q "$empty" "$R" / >/dev/null && "${b[@]}" commit -q "$empty" warplab-base >/dev/null 2>"$T/err" && ok "an empty Debian as an image" || not_ok "an empty Debian as an image ($(tail -n 1 "$T/err"))"
"${b[@]}" rm "$empty" >/dev/null
rm -rf "$R"

# The context is a folder of its own, so that nothing but git's files and the package can be in it.
mkdir -p "$T/context/build"
git ls-files -z | tar --null -T - -cf - | tar -C "$T/context" -xf -
LIMIT=120 run env B="$B" setup/pack.sh deb . "$T/context/build"
status_is 0 "make deb"

image() { # TARGET: builds it; a container of it in $R, its environment in $environment
    local begin
    begin=$(date +%s)
    LIMIT=1200 run "${b[@]}" build --isolation=chroot --layers -q --build-arg BASE=localhost/warplab-base --target "$1" -t "warplab-$1" -f docs/autograders/image/Containerfile "$T/context"
    status_is 0 "$1: built"
    [ "$status" = 0 ] || return 1
    container=$("${b[@]}" from "localhost/warplab-$1")
    R=$("${b[@]}" mount "$container")
    mkdir -p "$R/old" "$R/ccache" "$R$root"
    environment=$("${b[@]}" inspect --type image --format '{{range .OCIv1.Config.Env}}{{.}} {{end}}' "localhost/warplab-$1")
    echo "# $1: $(($(date +%s) - begin)) s, $(du -smx "$R" | cut -f1) MB"
}
in_image() { roots_run root off "env $environment bash -c '$*'"; }

if image warplab; then
    run "${b[@]}" run --isolation=chroot "$container" -- warplab --version
    has "warplab $(cat VERSION)" "warplab: buildah runs it"
    in_image 'ls /sys/class/net; warplab doctor --no-probe'
    lacks "eth" "warplab: no network"
    in_image 'warplab grade hello /usr/share/warplab/labs/hello.cu --device sim:h200'
    status_is 1 "warplab: the skeleton fails"
    in_image 'warplab grade hello /usr/share/warplab/answers/hello.cu --device sim:h200'
    status_is 0 "warplab: the answer passes, in the sandbox"
fi
if image gradescope; then
    cp answers/vector-add.cu "$R/autograder/submission/"
    in_image /autograder/run_autograder
    is "$(json "$R/autograder/results/results.json" 'j["score"]')" 10 "gradescope: the answer passes, in the sandbox"
    cp labs/vector-add.cu "$R/autograder/submission/"
    in_image /autograder/run_autograder
    is "$(json "$R/autograder/results/results.json" 'j["score"] < 10')" True "gradescope: the skeleton fails"
fi
if image prairielearn; then
    mkdir -p "$R/grade/student"
    cp answers/vector-add.cu "$R/grade/student/"
    in_image 'LAB=vector-add /opt/run.sh'
    is "$(json "$R/grade/results/results.json" 'j["score"]')" 1 "prairielearn: the answer passes, in the sandbox"
    cp labs/vector-add.cu "$R/grade/student/"
    in_image 'LAB=vector-add /opt/run.sh'
    is "$(json "$R/grade/results/results.json" 'j["score"] < 1')" True "prairielearn: the skeleton fails"
fi
if image dev; then
    # An editor binds the project's folder; the commands are the dev container's own.
    git ls-files -z | tar --null -T - -cf - | tar -C "$R$root" -xf -
    command=$(json .devcontainer/devcontainer.json 'j["postCreateCommand"]')
    roots_run root off "env $environment bash -c '$command'"
    status_is 0 "dev: what an editor runs first"
    in_image 'clangd --version; ~/.local/bin/warplab --version'
    has "clangd version" "dev: clangd is in it"
    has "warplab $(cat VERSION)" "dev: warplab is on the way"
    in_image 'build/warplab grade hello labs/hello.cu --device sim:h200'
    status_is 1 "dev: the skeleton fails"
    in_image 'build/warplab grade hello answers/hello.cu --device sim:h200'
    status_is 0 "dev: the answer passes, in the sandbox"
fi
finish
