package analysis

// Classes are the character classes, for a test that compares them with those of the database.
var Classes = []string{wordClass, bigramBase, bigramMark}
