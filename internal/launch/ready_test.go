package launch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readyMade compiles a library for an ABI that defines functions.
func readyMade(t *testing.T, abi, version string, functions ...string) ReadyMade {
	t.Helper()
	var source strings.Builder
	source.WriteString("#include <unistd.h>\nint here(void) { return getpid(); }\n")
	for _, f := range functions {
		fmt.Fprintf(&source, "int %s(void) { return 0; }\n", f)
	}
	out := filepath.Join(t.TempDir(), "lib.so")
	cmd := exec.Command("cc", "-shared", "-fPIC", "-o", out, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source.String())
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return ReadyMade{ABI: abi, Version: version, WriterTo: bytes.NewBuffer(data)}
}

// fakeMPI makes an MPI library with a name and functions. It has no compiler wrapper.
func fakeMPI(t *testing.T, soname string, functions ...string) *MPI {
	t.Helper()
	path := filepath.Join(t.TempDir(), soname)
	var source strings.Builder
	for _, f := range append(functions, "PMPI_Init", "MPIR_Err_create_code") {
		fmt.Fprintf(&source, "int %s(void) { return 0; }\n", f)
	}
	cmd := exec.Command("cc", "-shared", "-fPIC", "-Wl,-soname,"+soname, "-o", path, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source.String())
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	m, err := openMPI(path, "made by the test")
	if err != nil {
		t.Fatal(err)
	}
	m.wrapper = "/nonexistent/mpicc"
	return m
}

// TestRelativesOfMPICH: Intel MPI, MVAPICH and Cray MPICH are recognized by the text of MPI_Get_library_version, or by
// the names of their libraries. Their launchers are found in PATH. The libraries are imitations.
func TestRelativesOfMPICH(t *testing.T) {
	bin := t.TempDir()
	for name, version := range map[string]string{
		"srun": "slurm 23.11.4", "mpiexec.hydra": "Intel(R) MPI Library for Linux* OS, Version 2021.9",
	} {
		script := "#!/bin/sh\necho '" + version + "'\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, test := range []struct{ soname, text, want, launcher string }{
		{"libmpi.so.12", "Intel(R) MPI Library 2021.9 for Linux* OS\n", "Intel MPI 2021.9", "mpiexec.hydra"},
		{"libmpi.so.12", "MVAPICH2 Version      :\t2.3.7\n", "MVAPICH 2.3.7", "mpiexec.hydra"},
		{"libmpi.so.12", "MVAPICH Version      :\t%s\n", "MVAPICH", "mpiexec.hydra"},
		{"libmpi_gnu_91.so.12", "CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)", "Cray MPICH 8.1.25.17", "srun"},
		{"libmpi_cray.so.12", "nothing", "Cray MPICH", "srun"},
		{"libmpi.so.12", "nothing", "MPICH", ""},
	} {
		path := filepath.Join(t.TempDir(), test.soname)
		cmd := exec.Command("cc", "-shared", "-fPIC", "-Wl,-soname,"+test.soname, "-o", path, "-x", "c", "-")
		cmd.Stdin = strings.NewReader(fmt.Sprintf("int PMPI_Init(void) { return 0; }\nconst char text[] = %q;\n",
			test.text))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		m, err := openMPI(path, "made by the test")
		if err != nil {
			t.Fatal(err)
		}
		if m.String() != test.want || m.ABI() != "mpich" {
			t.Errorf("%s with %q: %s, ABI %s", test.soname, test.text, m, m.ABI())
		}
		launcher, err := m.Launcher()
		if test.launcher != "" && (err != nil || filepath.Base(launcher) != test.launcher) {
			t.Errorf("%s: launcher %s, %v", m, launcher, err)
		}
	}
}

// TestReadyMade: without a compiler, the ready-made library of the newest mpi.h is used whose functions the MPI has.
func TestReadyMade(t *testing.T) {
	const send, fresh, newer = "PMPI_Send", "PMPI_Session_init", "PMPI_Abi_get_version"
	for _, test := range []struct {
		soname    string
		functions []string
		want      string // a function of the expected library; "" if there is none
	}{
		{"libmpich.so.12", []string{send, fresh}, fresh},
		{"libmpi.so.12", []string{send}, send},              // Intel MPI, MVAPICH
		{"libmpi_cray.so.12", []string{send, fresh}, fresh}, // Cray MPICH
		{"libmpi_gnu_123.so.12", []string{send, fresh, newer}, newer},
		{"libmpi.so.12", []string{}, send},
		{"libmpi.so.1", []string{send}, ""},
	} {
		m := fakeMPI(t, test.soname, test.functions...)
		b := testBuilder(t, "")
		b.ReadyMade = []ReadyMade{
			readyMade(t, "mpich", "4.0.2", send), readyMade(t, "mpich", "10.0", send, fresh, newer),
			readyMade(t, "mpich", "4.2", send, fresh), readyMade(t, "openmpi", "4.1", send),
		}
		path, err := b.Library(m)
		if test.want == "" {
			if err == nil || !strings.Contains(err.Error(), ": the ABI of "+test.soname) {
				t.Errorf("%s: %s, %v", test.soname, path, err)
			}
			continue
		}
		if err != nil || !IsReadyMade(path) {
			t.Errorf("%s: %s, %v", test.soname, path, err)
			continue
		}
		names, err := exports(path)
		if err != nil || !names[test.want] || names[newer] != (test.want == newer) ||
			names[fresh] != (test.want != send) {
			t.Errorf("%s with %s: the library has %v, %v", test.soname, test.functions, names, err)
		}
	}
}

// TestReadyMadeDoesNotSuit: a library that cannot be loaded here is not used. The error says why, and what is wrong
// with the compiler.
func TestReadyMadeDoesNotSuit(t *testing.T) {
	m := fakeMPI(t, "libmpi.so.12", "PMPI_Send")
	suits := readyMade(t, "mpich", "4.0", "PMPI_Send").WriterTo.(*bytes.Buffer).Bytes()
	needs := filepath.Join(t.TempDir(), "needs.so")
	cmd := exec.Command("sh", "-c", `cd $(dirname $1)
echo 'int future(void) { return 0; }' >libc_of_tomorrow.c
echo 'GLIBC_9.9 { global: future; local: *; };' >map
cc -shared -fPIC -Wl,-soname,libc.so.6,--version-script,map -o libc_of_tomorrow.so libc_of_tomorrow.c
echo 'int future(void); int PMPI_Send(void) { return future(); }' >needs.c
cc -shared -fPIC -nostdlib -o $1 needs.c ./libc_of_tomorrow.so`, "sh", needs)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	newer, err := os.ReadFile(needs)
	if err != nil {
		t.Fatal(err)
	}
	for want, data := range map[string][]byte{
		"it needs GLIBC_9.9 of libc.so.6, and the system is older": newer,
		"it is damaged": suits[:len(suits)/2],
	} {
		b := testBuilder(t, "")
		b.ReadyMade = []ReadyMade{{ABI: "mpich", Version: "4.0", WriterTo: bytes.NewBuffer(data)}}
		path, err := b.Library(m)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "/nonexistent/mpicc") {
			t.Errorf("%s: %s, %v", want, path, err)
		}
	}
}

// TestCompilerWrapperWithoutCompiler: a wrapper whose compiler is missing is said to be of no use.
func TestCompilerWrapperWithoutCompiler(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "mpicc")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\necho no-such-compiler -lmpi\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := fakeMPI(t, "libmpi.so.12")
	m.wrapper = wrapper
	if _, _, err := m.Compiler(); err == nil ||
		err.Error() != wrapper+" needs no-such-compiler, which is not installed" {
		t.Error(err)
	}
}
