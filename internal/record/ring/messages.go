package ring

// Messages returns the decompressed messages of a complete record file, without Meta, for OpenMessages. It reads the
// file to its end, so Poll delivers nothing after it.
func (f *File) Messages() ([]byte, error) {
	var all []byte
	for {
		block, err := f.content()
		if err != nil {
			return nil, err
		}
		all = append(all, block...)
		for len(block) > 0 {
			var m message
			if block, err = m.cut(block); err != nil {
				return nil, f.damaged(err)
			}
			if m.kind == msgStats {
				return all, nil
			}
		}
	}
}

// OpenMessages returns a File that delivers messages. They come from File.Messages of a file with this Meta. reads is
// that of OpenFile.
func OpenMessages(name string, meta Meta, messages []byte, reads func(tableHash uint64) bool) (*File, error) {
	if err := meta.readable(name, reads); err != nil {
		return nil, err
	}
	return &File{Meta: meta, path: name, data: messages, close: func() error { return nil }}, nil
}
