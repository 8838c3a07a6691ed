package mpirun

import (
	"encoding/json"
	"fmt"
)

// Report is the part of mpivet's JSON report (schema mpivet/1) that the tests need.
type Report struct {
	Schema string `json:"schema"`
	Run    struct {
		Command     []string `json:"command"`
		Ranks       int      `json:"ranks"`
		MPI         string   `json:"mpi"`
		ExitStatus  int      `json:"exit_status"`
		Duration    float64  `json:"duration_s"`
		Calls       uint64   `json:"calls"`
		Messages    uint64   `json:"messages"`
		Collectives uint64   `json:"collectives"`
		Interrupted bool     `json:"interrupted"`
		Notes       []string `json:"notes"`
		Launcher    string   `json:"launcher"`
		Stall       float64  `json:"stall_s"`
	} `json:"run"`
	Findings []Finding      `json:"findings"`
	Summary  map[string]any `json:"summary"`
}

// Finding is one finding of the report.
type Finding struct {
	Check    string         `json:"check"`
	Severity string         `json:"severity"`
	Count    int            `json:"count"`
	Ranks    []int          `json:"ranks"`
	Message  string         `json:"message"`
	Advice   string         `json:"advice"`
	FollowUp bool           `json:"follow_up"`
	Details  map[string]any `json:"details"`
	Sites    []struct {
		Rank  int    `json:"rank"`
		Also  []int  `json:"also"`
		Role  string `json:"role"`
		Call  string `json:"call"`
		Stack []struct {
			Function string `json:"function"`
			File     string `json:"file"`
			Line     int    `json:"line"`
			Language string `json:"language"`
		} `json:"stack"`
	} `json:"sites"`
}

// ReadReport decodes a JSON report.
func ReadReport(data []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("the JSON report: %w", err)
	}
	if r.Schema != "mpivet/1" {
		return nil, fmt.Errorf("the JSON report has schema %q instead of mpivet/1", r.Schema)
	}
	return &r, nil
}
