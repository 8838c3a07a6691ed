package launch

import (
	"debug/elf"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// privileges returns the rights that an executable has and its user has not, "" if there are none. Root gets no rights
// from capabilities of files that it does not have anyway.
func privileges(path string, st os.FileInfo) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok || ignoresPrivileges(path) {
		return ""
	}
	switch {
	case st.Mode()&os.ModeSetuid != 0 && int(sys.Uid) != os.Getuid():
		return "is setuid"
	case st.Mode()&os.ModeSetgid != 0 && int(sys.Gid) != os.Getgid() && st.Mode()&0o010 != 0:
		return "is setgid"
	}
	if n, err := unix.Getxattr(path, "security.capability", nil); err == nil && n > 0 && os.Getuid() != 0 {
		return "has file capabilities"
	}
	return ""
}

// ignoresPrivileges reports whether the kernel ignores the privileges of a file: its file system is mounted nosuid, or
// this process may get no new privileges.
func ignoresPrivileges(path string) bool {
	if on, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err == nil && on == 1 {
		return true
	}
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && fs.Flags&unix.ST_NOSUID != 0
}

// foreign says that an executable is for another processor than mpivet, "" if it is not.
func foreign(o *object) string {
	native := nativeObject()
	if o.machine == native.machine && o.class == native.class {
		return ""
	}
	return fmt.Sprintf("%s is for another processor (%s, %s), so mpivet cannot observe it: use a program for %s",
		o.path, machineName(o.machine), className(o.class), machineName(native.machine))
}

func className(c elf.Class) string {
	if c == elf.ELFCLASS32 {
		return "32 bits"
	}
	return "64 bits"
}

func machineName(m elf.Machine) string {
	switch m {
	case elf.EM_X86_64:
		return "x86-64"
	case elf.EM_AARCH64:
		return "arm64"
	case elf.EM_386:
		return "x86"
	case elf.EM_ARM:
		return "arm"
	}
	return m.String()
}
