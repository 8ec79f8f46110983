// Package openapi holds the OpenAPI documents of the service. They are generated from package handlers (go
// generate ./handlers); a test there fails if they are out of date.
package openapi

import _ "embed"

// JSON is the OpenAPI 3.1 document as JSON.
//
//go:embed openapi.json
var JSON []byte

// YAML is the same document as YAML.
//
//go:embed openapi.yaml
var YAML []byte

// JSON30 is the same document in OpenAPI 3.0 as JSON, for tools that do not know 3.1.
//
//go:embed openapi-3.0.json
var JSON30 []byte
