//go:build tools

// Package cli pins the modules that the Pulumi CLI is built from; see ../README.md.
package cli

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
