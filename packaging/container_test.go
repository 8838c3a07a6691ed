package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// builder runs buildah with a store of its own. It needs neither a registry nor a kernel with overlays.
type builder struct {
	t    *testing.T
	args []string
}

func newBuilder(t *testing.T) *builder {
	t.Helper()
	dir := t.TempDir()
	return &builder{t, []string{
		"--root", filepath.Join(dir, "storage"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs",
	}}
}

func (b *builder) run(args ...string) string {
	b.t.Helper()
	env := []string{"BUILDAH_ISOLATION=chroot", "BUILDAH_FORMAT=docker"}
	return strings.TrimSpace(run(b.t, "..", env, "buildah", append(b.args[:len(b.args):len(b.args)], args...)...))
}

// image makes an image of an archive, with the name that it has in a registry.
func (b *builder) image(name, archive string, env ...string) {
	b.t.Helper()
	id := b.run("from", "scratch")
	b.run("add", "-q", id, archive, "/")
	for _, e := range env {
		b.run("config", "--env", e, id)
	}
	b.run("commit", "-q", "--rm", id, name)
}

// The images that the container file begins with, of a fresh Debian and of a Debian with Go.
const (
	debianImage = "docker.io/library/debian:bookworm-slim"
	goImage     = "docker.io/library/golang:1.26-bookworm"
)

// TestContainer: the container file builds. In the container, mpivet finds an error as any user, and need not compile
// its library. The test needs no registry: the images that the file begins with are made of Debian's packages and of
// this machine's Go.
func TestContainer(t *testing.T) {
	needDist(t)
	needProgram(t, "buildah", "buildah")
	b := newBuilder(t)
	b.image(debianImage, debian(t, "bookworm"))
	b.image(goImage, golang(t), "PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	source := clone(t, filepath.Join(t.TempDir(), "source"))
	downloads := filepath.Join(strings.TrimSpace(run(t, ".", nil, "go", "env", "GOMODCACHE")), "cache/download")
	build := func(target string) string {
		return b.run("build", "-q", "--pull-never", "--layers", "--network", "host", "-f",
			filepath.Join(source, "packaging/Containerfile"), "--target", target, "-v", downloads+":/downloads:ro",
			"--build-arg", "GOPROXY=file:///downloads", "--build-arg", "VERSION=v"+release, "-t", target, source)
	}
	build("binary")
	build("mpi")
	id := b.run("from", "--pull-never", "localhost/mpi")
	b.run("copy", "-q", id, "examples/deadlock/recv_recv.c", "/tmp/recv_recv.c")
	if got := b.run("run", id, "--", "mpivet", "version"); !strings.HasPrefix(got, "mpivet v"+release+", ") {
		t.Errorf("the version is %s", got)
	}
	got := b.run("run", "--user", "nobody", id, "--", "sh", "-c", `cd /tmp
mpicc.mpich -g -o recv_recv recv_recv.c
mpivet run -n 2 ./recv_recv 2>&1
echo "status $?"`)
	if !strings.Contains(got, "GLOBAL:DEADLOCK:HARD") || !strings.HasSuffix(got, "status 3") ||
		strings.Contains(got, "compil") {
		t.Errorf("mpivet run prints\n%s", got)
	}
	// Another container file takes the binary like this.
	other := b.run("from", "--pull-never", debianImage)
	b.run("copy", "-q", "--from", "localhost/binary", other, "/usr/bin/mpivet", "/usr/bin/mpivet")
	if got := b.run("run", other, "--", "mpivet", "version"); !strings.HasPrefix(got, "mpivet v"+release+", ") {
		t.Errorf("the version is %s", got)
	}
}

// golang returns an archive of a Debian with make and this machine's Go, as the image golang has them.
func golang(t *testing.T) string {
	t.Helper()
	dir := system(t, "bookworm")
	in(t, dir, "apt-get update -q; apt-get install -q -y --no-install-recommends make ca-certificates")
	goroot := strings.TrimSpace(run(t, ".", nil, "go", "env", "GOROOT"))
	if err := os.MkdirAll(filepath.Join(dir, "usr/local/go"), 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, ".", nil, "cp", "-a", goroot+"/.", filepath.Join(dir, "usr/local/go"))
	archive := filepath.Join(t.TempDir(), "golang.tar")
	run(t, ".", nil, "tar", "-C", dir, "--numeric-owner", "-cf", archive, ".")
	return archive
}
