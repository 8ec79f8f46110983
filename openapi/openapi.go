// Package openapi holds the OpenAPI documents of the service. They are generated from package handlers
// (go generate ./handlers), and a test there fails when they differ from it.
package openapi

import _ "embed"

// JSON is the document, OpenAPI 3.1.
//
//go:embed openapi.json
var JSON []byte

// YAML is the same document as YAML.
//
//go:embed openapi.yaml
var YAML []byte

// JSON30 is the document as OpenAPI 3.0, for tools that do not know 3.1.
//
//go:embed openapi-3.0.json
var JSON30 []byte
