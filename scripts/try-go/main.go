// Checks a checkpoint, inclusion proofs and a consistency proof with golang.org/x/mod/sumdb alone.
// Reads one JSON document from standard input; prints one line a check and ends with 1 if one fails.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type input struct {
	Key         string
	Older       string
	Newer       string
	Consistency string
	Proofs      []struct{ Leaf, Proof string }
}

type head struct {
	size int64
	root tlog.Hash
}

func must(what string, err error) {
	if err != nil {
		fmt.Printf("FAILS  %s: %v\n", what, err)
		os.Exit(1)
	}
}

func toHash(line string) tlog.Hash {
	bytes, err := base64.StdEncoding.DecodeString(line)
	must("a hash", err)
	var hash tlog.Hash
	if copy(hash[:], bytes) != tlog.HashSize {
		must("a hash", fmt.Errorf("%d bytes", len(bytes)))
	}
	return hash
}

func open(checkpoint string, verifier note.Verifier) head {
	opened, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	must("note.Open", err)
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		must("the origin", fmt.Errorf("%s is not %s", lines[0], verifier.Name()))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must("the size", err)
	return head{size, toHash(lines[2])}
}

func hashes(lines []string) (path []tlog.Hash) {
	for _, line := range lines {
		if line != "" {
			path = append(path, toHash(line))
		}
	}
	return path
}

func main() {
	var given input
	must("the input", json.NewDecoder(os.Stdin).Decode(&given))
	verifier, err := note.NewVerifier(given.Key)
	must("note.NewVerifier", err)
	older, newer := open(given.Older, verifier), open(given.Newer, verifier)
	fmt.Printf("holds  note.Open: checkpoints of %d and %d entries\n", older.size, newer.size)
	path := hashes(strings.Split(given.Consistency, "\n"))
	must("tlog.CheckTree", tlog.CheckTree(path, newer.size, newer.root, older.size, older.root))
	fmt.Println("holds  tlog.CheckTree: the newer tree continues the older one")
	for _, one := range given.Proofs {
		parts := strings.SplitN(one.Proof, "\n\n", 2)
		lines := strings.Split(parts[0], "\n")
		index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
		must("the index", err)
		tree := open(parts[1], verifier)
		leaf := tlog.RecordHash([]byte(one.Leaf))
		must("tlog.CheckRecord", tlog.CheckRecord(hashes(lines[2:]), tree.size, tree.root, index, leaf))
		if tlog.CheckRecord(hashes(lines[2:]), tree.size, tree.root, index, tlog.RecordHash([]byte("other"))) == nil {
			must("tlog.CheckRecord", fmt.Errorf("another leaf passes too"))
		}
	}
	fmt.Printf("holds  tlog.CheckRecord: %d inclusion proofs, and none for another leaf\n", len(given.Proofs))
}
