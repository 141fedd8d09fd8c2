#!/bin/bash
# Environment modules on a cluster: `module load cuda` is what makes an nvcc known, at the login
# node and, by what sbatch passes on, in each task of grade --batch --slurm. With Debian's
# environment-modules and Slurm on this machine alone.
# timeout: 300
if [ -n "${FULL-}" ] && [ "$(id -u)" = 0 ] && [ -z "${MODULES_AT-}" ]; then
    # A mount namespace, in which the toolkit can be at another place.
    MODULES_AT=$(mktemp -d /tmp/warplab-modules.XXXXXX) && chmod 755 "$MODULES_AT" && MODULES_AT=$MODULES_AT unshare --mount --propagation private "$0"
    status=$?
    rmdir "$MODULES_AT"
    exit $status
fi
. "$(dirname "$0")/../lib.sh"
cd "$root" || exit 1
[ -n "${FULL-}" ] || { skip "environment modules (needs a Slurm of its own: FULL=1)"; finish; }
modules=/usr/share/modules/init/bash
[ -e $modules ] || { skip "environment modules (there are none; Debian: environment-modules)"; finish; }
. tests/nvcc.sh
nvcc=$(readlink -f "$nvcc")
[ -x "$nvcc" ] || { skip "environment modules (there is no nvcc to load)"; finish; }

[ "$(id -u)" = 0 ] || { skip "environment modules (moves the toolkit in a namespace: needs root)"; finish; }

# The toolkit where nobody looks for one, as clusters have it, and a module that names it.
mkdir -p "$T/modulefiles/cuda"
chmod 755 "$T"
home=$(dirname "$(dirname "$nvcc")")
mount --bind "$home" "$MODULES_AT" && mount -o remount,bind,ro "$MODULES_AT"
for d in /usr/local/cuda* .toolchain/nvidia; do [ ! -d "$d" ] || [ -L "$d" ] || mount -t tmpfs none "$d"; done
cat >"$T/modulefiles/cuda/13" <<EOM
#%Module1.0
module-whatis "NVIDIA's compiler"
conflict cuda
setenv CUDA_HOME $MODULES_AT
prepend-path PATH $MODULES_AT/bin
EOM
PATH=/usr/sbin:/usr/bin:/sbin:/bin
loaded() { run bash -c '. "$1"; module use "$2"; shift 2; module load cuda/13 && "$@"' _ $modules "$T/modulefiles" "$@"; }
run "$W" doctor --no-probe
lacks "ok    nvcc" "without the module there is no nvcc"
loaded "$W" doctor --no-probe
has "$MODULES_AT/bin/nvcc" "with the module loaded doctor knows it"
loaded bash -c 'command -v nvcc; echo $CUDA_HOME'
has "$MODULES_AT/bin/nvcc" "module load: nvcc is on PATH"

. "$root/tests/cluster.sh"
cluster_up || finish
ok "a cluster of one comes up"
mkdir -p "$T/in/ann" "$T/in/bob"
cp answers/hello.cu "$T/in/ann/"
cp labs/hello.cu "$T/in/bob/"
batch=("$W" grade --batch "$T/in" --device sim:h200 --seed 4 --quiet --out)
LIMIT=120 loaded "${batch[@]}" "$T/clustered" --slurm --tasks 2
status_is 0 "module load, then grade --batch --slurm"
LIMIT=120 loaded "${batch[@]}" "$T/plain"
status_is 0 "module load, then the same without a cluster"
diff -r "$T/clustered/records" "$T/plain/records" >"$T/diff" && ok "the same records, byte for byte" || not_ok "the same records, byte for byte ($(head -c 300 "$T/diff"))"
is "$(for f in "$T"/clustered/records/*; do json "$f" '"%s %s" % (j["student"], j["score"] == j["max_score"])'; done | sort | tr '\n' '|')" "ann True|bob False|" "the answer passes, the skeleton fails"
finish
