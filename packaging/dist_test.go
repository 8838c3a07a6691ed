package packaging

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	modules "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// The tests in this file make a release of the last commit, and install it where there is nothing of mpivet. "make
// dist-test" runs them. They need root and the network.

// release is the version of the releases that the tests make: a tag in a clone.
const release = "0.98.7"

func needDist(t *testing.T) {
	t.Helper()
	if os.Getenv("DIST_TESTS") == "" {
		t.Skip("DIST_TESTS is not set: make dist-test runs this test")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can make and enter other systems")
	}
}

func needProgram(t *testing.T, name, debian string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s: apt install %s", name, debian)
	}
}

// clone makes a clone of the checkout, whose last commit has the tag of the release.
func clone(t *testing.T, dir string) string {
	t.Helper()
	run(t, ".", nil, "git", "clone", "-q", root(t), dir)
	run(t, dir, nil, "git", "tag", "v"+release)
	return dir
}

// once makes the release for all tests.
var once struct {
	sync.Once
	dir string
}

func TestMain(m *testing.M) {
	status := m.Run()
	if once.dir != "" {
		_ = os.RemoveAll(once.dir)
	}
	os.Exit(status)
}

// made returns the folder with the files of the release.
func made(t *testing.T) string {
	t.Helper()
	once.Do(func() {
		dir, err := os.MkdirTemp("", "mpivet-dist-")
		if err != nil {
			t.Fatal(err)
		}
		once.dir = dir
		run(t, clone(t, filepath.Join(dir, "source")), nil, "scripts/dist.sh", filepath.Join(dir, "dist"))
	})
	return filepath.Join(once.dir, "dist")
}

// file returns the only file of the release that matches a pattern.
func file(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(made(t), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", pattern, found, err)
	}
	return found[0]
}

// TestGoInstall: "go install …@latest" compiles mpivet from the module as a proxy serves it, and the binary knows its
// version and its sources.
func TestGoInstall(t *testing.T) {
	needDist(t)
	source := clone(t, filepath.Join(t.TempDir(), "source"))
	proxy := t.TempDir()
	serve(t, source, proxy)
	var downloads struct{ GOMODCACHE, GOPROXY string }
	if err := json.Unmarshal([]byte(run(t, ".", nil, "go", "env", "-json")), &downloads); err != nil {
		t.Fatal(err)
	}
	cached := filepath.Join(downloads.GOMODCACHE, "cache/download")
	bin, cache := t.TempDir(), t.TempDir()
	for version, flags := range map[string]string{"latest": "", "v" + release: "-E mpivet_entry"} {
		run(t, t.TempDir(), []string{
			"GOPROXY=file://" + proxy + ",file://" + cached + "," + downloads.GOPROXY, "GONOSUMDB=" + module,
			"GOMODCACHE=" + cache, "GOFLAGS=-modcacherw", "GOBIN=" + bin,
		}, "go", "install", "-ldflags="+flags, command+"@"+version)
		mpivet := filepath.Join(bin, "mpivet")
		if got := run(t, bin, nil, mpivet, "version"); !strings.HasPrefix(got, "mpivet v"+release+", ") {
			t.Errorf("@%s: the version is %s", version, got)
		}
		if got := run(t, bin, nil, mpivet, "checks"); !strings.Contains(got, "LOCAL:MEMORY:OVERLAP ") {
			t.Errorf("@%s: mpivet checks prints %s", version, got)
		}
		if _, err := exec.LookPath("mpicc"); err == nil {
			run(t, bin, []string{"MPIVET_CACHE=" + t.TempDir()}, mpivet, "build")
		}
		if err := os.Remove(mpivet); err != nil {
			t.Fatal(err)
		}
	}
}

// serve writes the module of a clone into a folder, as Go's proxies serve it.
func serve(t *testing.T, source, proxy string) {
	t.Helper()
	dir := filepath.Join(proxy, module, "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Create(filepath.Join(dir, "v"+release+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	version := modules.Version{Path: module, Version: "v" + release}
	if err := zip.CreateFromVCS(packed, version, source, version.Version, ""); err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": version.Version + "\n", version.Version + ".mod": string(gomod),
		version.Version + ".info": `{"Version":"` + version.Version + `","Time":"2026-01-01T00:00:00Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReproducible: another folder, time zone and umask make no difference.
func TestReproducible(t *testing.T) {
	needDist(t)
	source := clone(t, filepath.Join(t.TempDir(), "a folder with a longer name"))
	dist := filepath.Join(t.TempDir(), "dist")
	run(t, source, []string{"TZ=Asia/Tokyo", "LC_ALL=C.UTF-8", "GOFLAGS="}, "sh", "-c",
		`umask 077; exec scripts/dist.sh "$0"`, dist)
	a, b := sums(t, made(t)), sums(t, dist)
	if a != b || strings.Count(a, "\n") != 8 {
		t.Errorf("the files are\n%s\nand in another folder\n%s", a, b)
	}
}

func sums(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, "sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS")
	return string(text)
}

// TestBinaries: the binaries are static, and for their processors.
func TestBinaries(t *testing.T) {
	needDist(t)
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		f, err := elf.Open(file(t, "mpivet-"+release+"-linux-"+arch))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if f.Machine != machine {
			t.Errorf("the binary for %s is for %v", arch, f.Machine)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
				t.Errorf("the binary for %s has %v: it is not static", arch, p.Type)
			}
		}
	}
}

// TestComponents: the list of components has exactly the modules that the binary has, with their checksums.
func TestComponents(t *testing.T) {
	needDist(t)
	for _, arch := range []string{"amd64", "arm64"} {
		binary := file(t, "mpivet-"+release+"-linux-"+arch)
		text, err := os.ReadFile(binary + ".cdx.json")
		if err != nil {
			t.Fatal(err)
		}
		type component struct {
			Name, Version, Purl string
			Hashes              []struct{ Alg, Content string }
		}
		var bom struct {
			BomFormat, SpecVersion string
			Metadata               struct{ Component component }
			Components             []component
		}
		if err := json.Unmarshal(text, &bom); err != nil {
			t.Fatal(err)
		}
		if bom.BomFormat != "CycloneDX" || bom.SpecVersion != "1.6" {
			t.Errorf("the format is %s %s", bom.BomFormat, bom.SpecVersion)
		}
		if c := bom.Metadata.Component; c.Name != module || c.Version != "v"+release {
			t.Errorf("the list is of %s %s", c.Name, c.Version)
		}
		info, err := buildinfo.ReadFile(binary)
		if err != nil {
			t.Fatal(err)
		}
		want, got := []string{"std " + info.GoVersion}, []string{}
		for _, d := range info.Deps {
			want = append(want, d.Path+" "+d.Version)
		}
		for _, c := range bom.Components {
			got = append(got, c.Name+" "+c.Version)
			if c.Name != "std" && (len(c.Hashes) == 0 || !strings.HasPrefix(c.Purl, "pkg:golang/"+c.Name+"@")) {
				t.Errorf("%s has no checksum or no name of a package: %+v", c.Name, c)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("the components for %s are\n%q, but the binary has\n%q", arch, got, want)
		}
	}
}

// TestSpackInstall: the recipe compiles and installs mpivet, with a stand-in for Spack's build system for Go. Spack
// itself is not tested.
func TestSpackInstall(t *testing.T) {
	needDist(t)
	prefix := t.TempDir()
	source := clone(t, filepath.Join(t.TempDir(), "source"))
	try := []string{"testdata/spack/try.py", "spack/package.py", release, source, prefix}
	run(t, ".", []string{"CGO_ENABLED=0"}, "python3", try...)
	got := run(t, prefix, nil, "bin/mpivet", "version")
	if !strings.HasPrefix(got, "mpivet v"+release+", ") {
		t.Errorf("the version is %s", got)
	}
	for _, name := range []string{"man/man1/mpivet-run.1.gz", "bash-completion/completions/mpivet"} {
		if _, err := os.Stat(filepath.Join(prefix, "share", name)); err != nil {
			t.Error(err)
		}
	}
	script, err := os.ReadFile(filepath.Join(prefix, "share/mpivet/gdb/mpivet_gdb.py"))
	if err != nil || !strings.Contains(string(script), filepath.Join(prefix, "bin/mpivet")) {
		t.Errorf("the extension for gdb does not name the installed mpivet: %v", err)
	}
}

// system unpacks a fresh Debian and returns its root. The archive of it is kept for later runs of the tests.
func system(t *testing.T, suite string) string {
	t.Helper()
	archive := debian(t, suite)
	dir := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, ".", nil, "tar", "-C", dir, "--numeric-owner", "-xf", archive)
	for _, name := range []string{"etc/resolv.conf", "etc/hosts"} {
		if text, err := os.ReadFile("/" + name); err == nil {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// store returns the folder in which systems are kept.
func store() string { return cmp.Or(os.Getenv("MPIVET_SYSTEMS"), "/var/tmp/mpivet-systems") }

// debian returns an archive of the root of a minimal Debian.
func debian(t *testing.T, suite string) string {
	t.Helper()
	store := store()
	archive := filepath.Join(store, "dist-"+suite+".tar")
	if _, err := os.Stat(archive); err == nil {
		return archive
	}
	needProgram(t, "mmdebstrap", "mmdebstrap")
	if err := os.MkdirAll(store, 0o755); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(store, fmt.Sprintf(".%d.dist-%s.tar", os.Getpid(), suite))
	defer os.Remove(part)
	run(t, ".", nil, "mmdebstrap", "--variant=minbase", `--aptopt=Acquire::Check-Valid-Until "false"`,
		"--keyring=/usr/share/keyrings/debian-archive-keyring.gpg", suite, part,
		"deb http://deb.debian.org/debian "+suite+" main")
	if err := os.Rename(part, archive); err != nil {
		t.Fatal(err)
	}
	return archive
}

// enter is a script that runs another one in a root. The mounts are gone when it ends, as it has its own namespace.
const enter = `
mkdir -p "$0/proc" "$0/dev/shm" "$0/dev/pts"
mount -t proc proc "$0/proc"
mount -t devpts -o newinstance,ptmxmode=0666 pts "$0/dev/pts"
mount -t tmpfs -o mode=1777 shm "$0/dev/shm"
exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
	DEBIAN_FRONTEND=noninteractive http_proxy="$http_proxy" sh -euc "$1"
`

// in runs a shell script in a root.
func in(t *testing.T, root, script string) string {
	t.Helper()
	env := []string{"http_proxy=" + os.Getenv("http_proxy")}
	return run(t, root, env, "unshare", "--mount", "sh", "-euc", enter, root, script)
}

func install(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// everything lists the files of a root, without what package managers note.
const everything = `find / -xdev \( -path /proc -o -path /dev -o -path /var/lib/dpkg -o -path /var/log \) -prune ` +
	`-o -print | sort`

// TestDebian: the package installs in a fresh Debian, works, and leaves nothing behind.
func TestDebian(t *testing.T) {
	needDist(t)
	root := system(t, "bookworm")
	install(t, file(t, "mpivet_"+release+"_amd64.deb"), filepath.Join(root, "mpivet.deb"))
	before := in(t, root, everything)
	in(t, root, `dpkg -i /mpivet.deb`)
	if got := in(t, root, `mpivet version`); !strings.HasPrefix(got, "mpivet v"+release+", ") {
		t.Errorf("the version is %s", got)
	}
	in(t, root, `
for page in mpivet mpivet-run mpivet-explain; do gzip -dc /usr/share/man/man1/$page.1.gz | grep -q '^.TH "MPIVET'; done
test -s /usr/share/zsh/vendor-completions/_mpivet
test -s /usr/share/fish/vendor_completions.d/mpivet.fish
test -s /usr/share/mpivet/gdb/mpivet_gdb.py
grep -q 'spf13/cobra' /usr/share/doc/mpivet/copyright
test -s /usr/share/doc/mpivet/README.md -a -s /usr/share/doc/mpivet/CHANGELOG.md
bash -c '. /usr/share/bash-completion/completions/mpivet; complete -p mpivet'
dpkg --verify mpivet`)
	got := in(t, root, `MPIVET_CACHE=/tmp/cache mpivet doctor && exit 1; echo "status $?"; rm -rf /tmp/cache`)
	if !strings.Contains(got, "MISSING  MPI             none found on this machine: put its mpicc into PATH") ||
		!strings.HasSuffix(got, "status 1\n") {
		t.Errorf("mpivet doctor prints\n%s", got)
	}
	in(t, root, `dpkg --purge mpivet`)
	if after := in(t, root, everything); after != before {
		t.Errorf("the package has changed what it does not own:\n%s", difference(before, after))
	}
}

// TestNoCompiler: in systems with an MPI and without a compiler, the binary of the release finds an error, with a
// ready-made library. The programs are compiled elsewhere.
func TestNoCompiler(t *testing.T) {
	needDist(t)
	needProgram(t, "mpicc.mpich", "libmpich-dev")
	needProgram(t, "mpicc.openmpi", "libopenmpi-dev")
	binary := file(t, "mpivet-"+release+"-linux-amd64")
	programs := t.TempDir()
	compile := func(name, cc string, flags ...string) {
		args := []string{"-g", "-o", filepath.Join(programs, name), "../examples/deadlock/recv_recv.c"}
		run(t, ".", nil, cc, append(args, flags...)...)
	}
	compile("mpich", "mpicc.mpich")
	compile("openmpi", "mpicc.openmpi")
	lib := filepath.Join(store(), "mpi-forky/usr/lib/x86_64-linux-gnu")
	compile("abi", "cc", "-I"+lib+"/mpi_abi_mpich/include", lib+"/libmpi_abi_mpich.so.1.0.0",
		"-Wl,--allow-shlib-undefined")
	for suite, names := range map[string][]string{
		"bookworm": {"mpich", "openmpi"}, "trixie": {"mpich", "openmpi"}, "forky": {"mpich", "openmpi", "abi"},
	} {
		root := system(t, suite)
		in(t, root, `apt-get update -q
apt-get install -q -y --no-install-recommends mpich openmpi-bin openssh-client
! command -v gcc`)
		run(t, ".", nil, "cp", binary, filepath.Join(root, "usr/bin/mpivet"))
		for _, name := range names {
			run(t, ".", nil, "cp", filepath.Join(programs, name), filepath.Join(root, "root/prog"))
			got := in(t, root, `cd /root
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
mpivet run -n 2 ./prog 2>&1 || echo "status $?"
ls .cache/mpivet`)
			if !strings.Contains(got, "GLOBAL:DEADLOCK:HARD") || !strings.Contains(got, "status 3\n") ||
				!strings.Contains(got, "recv_recv.c:13") ||
				!strings.Contains(got, "libmpivet-ready-"+name+"-") {
				t.Errorf("%s in %s: mpivet run prints\n%s", name, suite, got)
			}
		}
	}
}

// difference returns the lines that only one of two texts has.
func difference(a, b string) string {
	var out []string
	for _, x := range []struct{ sign, of, other string }{{"-", a, b}, {"+", b, a}} {
		other := strings.Split(x.other, "\n")
		for _, line := range strings.Split(x.of, "\n") {
			if !slices.Contains(other, line) {
				out = append(out, x.sign+line)
			}
		}
	}
	return strings.Join(out, "\n")
}

// complete is a script for bash that prints the completions of the words in its arguments.
const complete = `
. /usr/share/bash-completion/bash_completion
. /usr/share/bash-completion/completions/mpivet
try() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
	COMP_POINT=${#COMP_LINE}
	__start_mpivet
	echo "$*: ${COMPREPLY[*]}"
}
compopt() { :; }
cd /tmp && touch a.out
try mpivet run --fail-on ""
try mpivet run --fail-on e
try mpivet vers
# Bash itself completes files. The keys are Tab, Ctrl-A, and Enter.
printf 'mpivet run -n 2 a.o\t\001echo \nexit\n' |
	script -qec 'bash --rcfile /usr/share/bash-completion/bash_completion -i' /dev/null
`

// TestDebianWithMPI: with apt and an MPI, the installed mpivet finds an error; manual pages, completions and the
// extension for gdb work.
func TestDebianWithMPI(t *testing.T) {
	needDist(t)
	system := system(t, "bookworm")
	install(t, file(t, "mpivet_"+release+"_amd64.deb"), filepath.Join(system, "mpivet.deb"))
	install(t, "../examples/deadlock/recv_recv.c", filepath.Join(system, "root/recv_recv.c"))
	install(t, writeTemp(t, complete), filepath.Join(system, "root/complete"))
	in(t, system, `apt-get update -q
apt-get install -q -y /mpivet.deb
apt-get install -q -y --no-install-recommends mpich libmpich-dev gdb man-db bash-completion libc6-dev`)
	in(t, system, `command -v gcc`) // it is recommended
	got := in(t, system, `cd /root
mpicc -g recv_recv.c -o recv_recv
mpivet run -n 2 ./recv_recv 2>&1 || echo "status $?"`)
	if !strings.Contains(got, "GLOBAL:DEADLOCK:HARD") || !strings.HasSuffix(got, "status 3\n") {
		t.Errorf("mpivet run prints\n%s", got)
	}
	in(t, system, `man -w mpivet mpivet-run; man -f mpivet-run; mpivet doctor`)
	got = in(t, system, `bash /root/complete`)
	for _, want := range []string{
		"--fail-on : fatal error warning never\n", "--fail-on e: error\n", "vers: version\n",
		"mpivet run -n 2 a.out\r\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("bash does not complete %q:\n%s", want, got)
		}
	}
	got = in(t, system, `gdb -batch -ex 'source /usr/share/mpivet/gdb/mpivet_gdb.py' -ex 'help mpivet' 2>&1`)
	if !strings.Contains(got, "mpivet type") {
		t.Errorf("gdb says\n%s", got)
	}
	in(t, system, `apt-get purge -q -y mpivet; test ! -e /usr/share/mpivet -a ! -e /usr/bin/mpivet`)
}

func writeTemp(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRPM: the package installs in an empty root, works without any other file, and leaves nothing behind.
func TestRPM(t *testing.T) {
	needDist(t)
	needProgram(t, "rpm", "rpm")
	root := t.TempDir()
	rpm := func(args ...string) string {
		t.Helper()
		return run(t, ".", nil, "rpm", append([]string{"--root", root, "--dbpath", "/var/lib/rpm"}, args...)...)
	}
	install(t, file(t, "mpivet-"+release+"-1.x86_64.rpm"), filepath.Join(root, "mpivet.rpm"))
	rpm("--initdb")
	rpm("--force-debian", "-i", filepath.Join(root, "mpivet.rpm"))
	got := run(t, ".", nil, "chroot", root, "/usr/bin/mpivet", "version")
	if !strings.HasPrefix(got, "mpivet v"+release+", ") {
		t.Errorf("the version is %s", got)
	}
	rpm("-V", "mpivet")
	got = rpm("-q", "--qf", "%{VERSION} %{LICENSE} %{BUILDHOST}", "mpivet")
	if got != release+" Apache-2.0 localhost" {
		t.Errorf("the package is %s", got)
	}
	for _, name := range []string{
		"usr/share/man/man1/mpivet-run.1.gz", "usr/share/bash-completion/completions/mpivet",
		"usr/share/zsh/site-functions/_mpivet", "usr/share/fish/vendor_completions.d/mpivet.fish",
		"usr/share/mpivet/gdb/mpivet_gdb.py", "usr/share/licenses/mpivet/copyright", "usr/share/doc/mpivet/README.md",
	} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	rpm("--force-debian", "-e", "mpivet")
	left := run(t, ".", nil, "find", filepath.Join(root, "usr"), "-not", "-type", "d", "-o", "-name", "mpivet")
	if left != "" {
		t.Errorf("these files are left:\n%s", left)
	}
}
