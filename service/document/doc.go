// Package document reads what clients write: the bodies of documents, batches of actions, the names of
// documents, indices and applications, and lists of mappings. It finds every fault with its exact place,
// folds the actions of a batch into as few writes as possible, and never changes a digit of a number: nothing is converted to a float.
//
// It works on raw JSON and knows neither SQL, HTTP nor the use cases. What it accepts, PostgreSQL's jsonb
// accepts too.
package document
