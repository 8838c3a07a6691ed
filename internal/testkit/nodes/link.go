package nodes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Slow gives each node a slow link to the bridge: a packet that the node sends is delayed, and a share of the packets
// is lost (0.05: 5 %). A goroutine hands the packets on, so the kernel needs only TAP devices. Call it before a program
// is started. It returns an error if the kernel has no TAP devices.
func (ns *Nodes) Slow(delay time.Duration, loss float64) error {
	ns.t.Helper()
	if _, err := os.Stat(tun); err != nil {
		return err
	}
	for i, name := range ns.Names {
		ns.must(ns.net, fmt.Sprintf("ip link del v%d", i))
		inner, outer := ns.tap(ns.pids[name], "eth0"), ns.tap(ns.net, fmt.Sprintf("v%d", i))
		ns.must(ns.net, fmt.Sprintf("ip link set v%d master br0 up", i))
		ns.must(ns.pids[name], ns.address(i))
		go forward(inner, outer, delay, loss)
		go forward(outer, inner, 0, 0)
	}
	return nil
}

// tun is the device that makes TAP devices.
const tun = "/dev/net/tun"

// tap makes a TAP device in the network namespace of a process. The device ends with the test.
func (ns *Nodes) tap(pid int, name string) *os.File {
	ns.t.Helper()
	// The thread goes into the namespace and comes back. It must not end: its processes would be killed.
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		ns.t.Fatal(err)
	}
	defer own.Close()
	f, err := openTap(pid, name)
	if back := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); back != nil {
		ns.t.Fatalf("setns: %v", back)
	}
	runtime.UnlockOSThread()
	if err != nil {
		ns.t.Fatalf("the test needs a TAP device, and none can be made here: %v", err)
	}
	ns.t.Cleanup(func() { f.Close() })
	return f
}

// openTap moves the calling thread into the namespace.
func openTap(pid int, name string) (*os.File, error) {
	net, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return nil, err
	}
	defer net.Close()
	if err := unix.Setns(int(net.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("setns: %w", err)
	}
	fd, err := unix.Open(tun, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tun, err)
	}
	r, err := unix.NewIfreq(name)
	if err == nil {
		r.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, r)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("TUNSETIFF: %w", err)
	}
	return os.NewFile(uintptr(fd), tun), nil
}

// forward hands packets on until a device is closed.
func forward(from, to *os.File, delay time.Duration, loss float64) {
	type packet struct {
		data []byte
		due  time.Time
	}
	queue := make(chan packet, 10000)
	defer close(queue)
	go func() {
		for p := range queue {
			time.Sleep(time.Until(p.due))
			_, _ = to.Write(p.data) // the device may be down: then the packet is lost
		}
	}()
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		switch {
		case errors.Is(err, os.ErrClosed):
			return
		case err != nil: // the device is down
			time.Sleep(10 * time.Millisecond)
			continue
		case rand.Float64() < loss: //nolint:gosec // no secret
			continue
		}
		select {
		case queue <- packet{slices.Clone(b[:n]), time.Now().Add(delay)}:
		default: // lost, as in a router
		}
	}
}
