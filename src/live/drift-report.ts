import type { Finding } from "./drift";

/** The forms of a report of drift. */
export const driftFormats = ["text", "json", "markdown"] as const;
export type DriftFormat = (typeof driftFormats)[number];

const titles: Readonly<Record<Finding["kind"], string>> = {
  missing: "Deleted on the service",
  changed: "Changed on the service",
  duplicate: "The same alias twice",
  unmanaged: "Not managed by this stack",
  expired: "Expired",
  expiring: "Expiring soon",
};

/** What was found, for people, for programs, or for a page that shows Markdown. */
export function reportDrift(findings: readonly Finding[], format: DriftFormat): string {
  if (format === "json") return JSON.stringify(findings, null, 2);
  const isMarkdown = format === "markdown";
  const kinds = (Object.keys(titles) as Finding["kind"][]).map((kind) => ({
    title: titles[kind],
    all: findings.filter((finding) => finding.kind === kind),
  }));
  const parts = kinds
    .filter(({ all }) => all.length > 0)
    .map(({ title, all }) =>
      [
        isMarkdown ? `### ${title} (${all.length})\n` : `${title} (${all.length}):`,
        ...all.map((finding) =>
          isMarkdown ? `- ${lineOf(finding, quoted)}` : `  ${lineOf(finding, String)}`,
        ),
      ].join("\n"),
    );
  if (parts.length === 0) return isMarkdown ? "No drift." : "No drift: the account is as the state says.";
  return parts.join("\n\n");
}

function lineOf(
  { address, id, resource, fields = [], end }: Finding,
  show: (text: string) => string,
): string {
  const changes = fields.map(
    ({ name, state, service }) =>
      `${name} ${show(JSON.stringify(state))} is now ${show(JSON.stringify(service))}`,
  );
  const details = [
    ...(resource === undefined ? [] : [resource]),
    ...changes,
    ...(end === undefined ? [] : [`until ${end}`]),
  ];
  return `${show(address)} (id ${id})${details.length > 0 ? `: ${details.join("; ")}` : ""}`;
}

/** As code, which no sign in it can end or turn into markup. */
export function quoted(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}
