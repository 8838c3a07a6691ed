package finding

import (
	"slices"
	"strconv"
	"strings"
)

// RankList formats ranks as a short list: "0-3,7". The ranks need not be sorted.
func RankList(ranks []int) string {
	sorted := slices.Clone(ranks)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	var b strings.Builder
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(sorted[i]))
		switch {
		case j == i+1:
			b.WriteByte(',')
			b.WriteString(strconv.Itoa(sorted[j]))
		case j > i:
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(sorted[j]))
		}
		i = j + 1
	}
	return b.String()
}

// RankNames is [RankList] with a noun: "rank 3", "ranks 0-3,7".
func RankNames(ranks []int) string {
	list := RankList(ranks)
	if strings.ContainsAny(list, ",-") {
		return "ranks " + list
	}
	return "rank " + list
}

// addRanks adds ranks to an ascending list.
func addRanks(list []int, ranks ...int) []int {
	for _, r := range ranks {
		if i, ok := slices.BinarySearch(list, r); !ok {
			list = slices.Insert(list, i, r)
		}
	}
	return list
}

// SameStack reports whether two call stacks go through the same places. It ignores PCs, because they differ between
// processes.
func SameStack(a, b []Frame) bool {
	return slices.EqualFunc(a, b, func(x, y Frame) bool {
		return x.Function == y.Function && x.File == y.File && x.Line == y.Line && x.Module == y.Module &&
			(x.File != "" || x.Address == y.Address)
	})
}
