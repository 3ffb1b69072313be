import * as pulumi from "@pulumi/pulumi";
import type { DomainResult, GetDomainsArgs, GetLinksArgs, LinkResult } from "./results";

/** Loaded on demand: a program without lookups does not wait for its libraries. */
const calls = () => require("./lookup-calls") as typeof import("./lookup-calls");

/**
 * Finds a domain of the account by id or name. Fails if there is none.
 *
 * Runs with the program, in the preview too, and uses the settings of the stack.
 */
export async function getDomain(key: string): Promise<DomainResult> {
  return calls().domain(key);
}

/** {@link getDomain} for a key that is an output. */
export function getDomainOutput(key: pulumi.Input<string>): pulumi.Output<DomainResult> {
  return pulumi.output(key).apply(getDomain);
}

/** Finds all matching domains of the account, in the order of their ids; 100 per request. */
export async function getDomains(args: GetDomainsArgs = {}): Promise<DomainResult[]> {
  return calls().domains(args);
}

/** {@link getDomains} for arguments that are outputs. */
export function getDomainsOutput(args: pulumi.Input<GetDomainsArgs> = {}): pulumi.Output<DomainResult[]> {
  return pulumi.output(args).apply((known) => getDomains(known));
}

/**
 * Finds a link of the account by id, or by domain and alias as in `go.example.com/docs`. Fails if there is none.
 *
 * Runs with the program, in the preview too, and uses the settings of the stack.
 */
export async function getLink(key: string): Promise<LinkResult> {
  return calls().link(key);
}

/** {@link getLink} for a key that is an output. */
export function getLinkOutput(key: pulumi.Input<string>): pulumi.Output<LinkResult> {
  return pulumi.output(key).apply(getLink);
}

/** Finds all matching links of the account, in the order of their ids; 100 per request. */
export async function getLinks(args: GetLinksArgs = {}): Promise<LinkResult[]> {
  return calls().links(args);
}

/** {@link getLinks} for arguments that are outputs. */
export function getLinksOutput(args: pulumi.Input<GetLinksArgs> = {}): pulumi.Output<LinkResult[]> {
  return pulumi.output(args).apply((known) => getLinks(known));
}
