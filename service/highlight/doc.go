// Package highlight shows where the values of a document match a query: it marks the matched words with
// <b>, escapes everything else for HTML, and cuts long values to the fragments that say most.
//
// Its callers tell it which lexemes to look for, ask it which words it needs the lexemes of (NeededWords) and pass these (Know), so that
// it knows nothing of requests, languages or PostgreSQL. It splits text into words as service/analysis does, and so as the index does.
package highlight
