// Package highlight shows where the values of a document match a query: it marks the matched words with
// <b>, escapes everything else for HTML, and cuts long values to the fragments that say most.
//
// It is told which lexemes are looked for, says which words it needs the lexemes of (NeededWords) and is told
// them (Know), so that it knows nothing of requests, languages or PostgreSQL. What it sees as words is what
// service/analysis sees, and with it the index.
package highlight
