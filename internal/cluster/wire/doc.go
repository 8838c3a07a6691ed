// Package wire has the messages between the agents of a job's nodes and its head. The Go code is generated from
// wire.proto.
package wire

//go:generate sh generate.sh
