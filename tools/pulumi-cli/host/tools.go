//go:build tools

// Package host pins the modules that the Node language host is built from; see ../README.md.
package host

import _ "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs"
