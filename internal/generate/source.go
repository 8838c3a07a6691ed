package generate

func (Number) source() string       { return "" }
func (Word) source() string         { return "" }
func (Variable) source() string     { return "" }
func (Requests) source() string     { return "" }
func (Moved) source() string        { return "" }
func (Numbers) source() string      { return "" }
func (Types) source() string        { return "" }
func (Memory) source() string       { return "" }
func (Text) source() string         { return "" }
func (Field) source() string        { return "" }
func (UserFunction) source() string { return "" }
