package symbol

import (
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/mpivet/mpivet/internal/lazyregexp"
)

// maxName is the length of a name above which its template arguments are omitted.
const maxName = 72

// cloneSuffix matches the suffixes that compilers append to copies of a function that they specialised or split.
var cloneSuffix = lazyregexp.New(`(\.(constprop|isra|part|cold|localalias|lto_priv|clone|llvm)(\.\d+)*|\.\d+)+$`)

// readable converts a symbol to the user's name of the function. C++ and Rust names are demangled without parameters.
// gfortran's __module_MOD_procedure becomes module::procedure. Fortran's procedure_ loses its underscore.
func readable(sym string) string {
	if sym == "" {
		return ""
	}
	if at := strings.IndexByte(sym, '@'); at > 0 { // symbol version
		sym = sym[:at]
	}
	if s, ok := demangled(sym); ok {
		return s
	}
	if s := cloneSuffix().ReplaceAllString(sym, ""); s != "" {
		sym = s
	}
	if mod, proc, ok := strings.Cut(sym, "_MOD_"); ok && strings.HasPrefix(mod, "__") && len(mod) > 2 && proc != "" {
		return mod[2:] + "::" + proc
	}
	if fortranExternal(sym) {
		return strings.TrimRight(sym, "_")
	}
	return sym
}

// fortranExternal reports whether a symbol looks like a Fortran external procedure: all lower case with an underscore
// at the end, or two if the name itself has an underscore (g77, f2c).
func fortranExternal(sym string) bool {
	name, ok := strings.CutSuffix(sym, "_")
	if !ok {
		return false
	}
	if n, ok := strings.CutSuffix(name, "_"); ok {
		if !strings.Contains(n, "_") {
			return false
		}
		name = n
	}
	if name == "" || name[0] == '_' || strings.HasSuffix(name, "_") {
		return false
	}
	for _, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// demangled returns the short readable form of a C++ or Rust name, without parameters. Template arguments are omitted
// if the name would be long.
func demangled(sym string) (string, bool) {
	if !strings.HasPrefix(sym, "_Z") && !strings.HasPrefix(sym, "_R") && !strings.HasPrefix(sym, "__Z") {
		return "", false
	}
	s, err := demangle.ToString(sym, demangle.NoParams, demangle.NoEnclosingParams, demangle.NoClones)
	if err != nil {
		return "", false
	}
	if len(s) > maxName {
		if short, err := demangle.ToString(sym, demangle.NoParams, demangle.NoEnclosingParams, demangle.NoClones,
			demangle.NoTemplateParams); err == nil {
			s = short
		}
	}
	return s, true
}
