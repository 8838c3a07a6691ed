package ring

import "os"

// Abandon removes the files of the session, while other processes may still read its rings. Ranks that still run go on
// unrecorded. It is for a process that ends at once.
func (s *Session) Abandon() {
	s.StopRecording()
	for _, d := range []string{s.Dir, s.Fallback} {
		if d != "" {
			_ = os.RemoveAll(d)
		}
	}
}
