package track

// View returns the communicator of a handle as the process sees it, nil if it is unknown.
func (ct *commTable) View(handle uint64) *View {
	if v := ct.lastView; v != nil && v.Handle == handle {
		return v
	}
	v := ct.views[handle]
	if v == nil && ct.selfRank >= 0 && ct.self == handle {
		v = ct.makeSelf()
	}
	if v != nil {
		ct.lastView = v
	}
	return v
}
