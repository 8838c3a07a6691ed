// Package ticket has what an agent needs to find the head of its job, and by which both know each other. A ticket is
// made for one job. The connection is TLS 1.3. Both sides have a key that is derived from the secret of the ticket, and
// accept only the other's key.
package ticket

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// secretSize is the length of a secret in bytes.
const secretSize = 32

// Ticket is the way to the head of a job. It must be kept from other users.
type Ticket struct {
	Addresses []string // of the head, each as host:port; the first one that answers is used
	secret    []byte
}

// New returns a ticket with a new secret.
func New(addresses ...string) (*Ticket, error) {
	t := &Ticket{Addresses: addresses, secret: make([]byte, secretSize)}
	_, err := rand.Read(t.secret)
	return t, err
}

// String returns the text for Parse. It contains the secret.
func (t *Ticket) String() string {
	return base64.RawURLEncoding.EncodeToString(t.secret) + "@" + strings.Join(t.Addresses, ",")
}

// Parse is the inverse of String. Its errors do not contain the text.
func Parse(text string) (*Ticket, error) {
	key, addresses, ok := strings.Cut(strings.TrimSpace(text), "@")
	secret, err := base64.RawURLEncoding.DecodeString(key)
	if !ok || err != nil || len(secret) != secretSize || addresses == "" {
		return nil, errors.New("this is no ticket of a head")
	}
	return &Ticket{Addresses: strings.Split(addresses, ","), secret: secret}, nil
}

// The two sides of a connection.
const (
	headSide  = "mpivet head"
	agentSide = "mpivet agent"
)

// HeadConfig returns the configuration for the head's side of connections.
func (t *Ticket) HeadConfig() (*tls.Config, error) { return t.config(headSide, agentSide) }

// AgentConfig returns the configuration for the agent's side of connections.
func (t *Ticket) AgentConfig() (*tls.Config, error) { return t.config(agentSide, headSide) }

func (t *Ticket) config(me, other string) (*tls.Config, error) {
	key, err := t.key(me)
	if err != nil {
		return nil, err
	}
	peer, err := t.key(other)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Unix(0, 0), NotAfter: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), // clocks do not matter
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	expected, ok := peer.Public().(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("not an Ed25519 key")
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		Certificates:       []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:         tls.RequireAnyClientCert,
		InsecureSkipVerify: true, // VerifyConnection does it: there is no authority, only the two keys
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) != 1 {
				return errors.New("no certificate")
			}
			if k, ok := s.PeerCertificates[0].PublicKey.(ed25519.PublicKey); !ok || !k.Equal(expected) {
				return errors.New("not a process of this job")
			}
			return nil
		},
		NextProtos:             []string{"h2"},
		SessionTicketsDisabled: true,
	}, nil
}

// key returns the private key of a side: Ed25519 with a seed by HKDF-SHA256 (RFC 5869).
func (t *Ticket) key(side string) (ed25519.PrivateKey, error) {
	seed, err := hkdf.Key(sha256.New, t.secret, nil, side, ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("deriving a key: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// Where returns the addresses, for messages to the user.
func (t *Ticket) Where() string { return strings.Join(t.Addresses, ", ") }
