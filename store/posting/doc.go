// Package posting defines the form in which the postings of an index are stored: the contents of the rows that a block of documents has in
// "app_<application>_derived"."<index>_postings", and how they are read. A row belongs to a lexeme, or to what stands in its place (rownames.go). It
// identifies the documents of its block by their offsets, from 0 up to the size of the block, and fields by their indices among the searched fields.
// The package knows neither SQL nor queries. Data is checked once, when it is read (Decode, Fits), and then trusted.
package posting
