// Package posting is the form in which the postings of an index are stored: the bytes of the rows that a block of documents has in
// "app_<application>_derived"."<index>_postings", and how they are read. A row is of one lexeme, or of what stands for one (rownames.go). It
// knows the documents of its block by their offsets, from 0 to the size of the block, and fields by their places among those that are
// searched. It knows neither SQL nor queries. What is read is checked once, when it comes (Decode, Fits), and then trusted.
package posting
