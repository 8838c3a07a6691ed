package track

// View returns what the process's communicator handle stands for, nil if that is unknown.
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
