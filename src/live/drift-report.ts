import type { Finding } from "./drift";
import { toReportPage, type Paint, type Report, type Tone } from "./page";

/** The formats of a drift report. */
export const driftFormats = ["text", "json", "markdown", "html"] as const;
export type DriftFormat = (typeof driftFormats)[number];

const nothing = "No drift: the account is as the state says.";

const titles: Readonly<Record<Finding["kind"], string>> = {
  missing: "Deleted on the service",
  changed: "Changed on the service",
  duplicate: "Duplicate alias",
  unmanaged: "Not managed by this stack",
  unreachable: "Destination does not answer",
  expired: "Expired",
  expiring: "Expiring soon",
};

/** Formats findings for people, for programs, or for a page that shows Markdown. */
export function reportDrift(
  findings: readonly Finding[],
  format: DriftFormat,
  paint: Paint = (_tone, text) => text,
): string {
  if (format === "json") return JSON.stringify(findings, null, 2);
  if (format === "html") return toReportPage(toReport(findings));
  const isMarkdown = format === "markdown";
  const kinds = (Object.keys(titles) as Finding["kind"][]).map((kind) => ({
    title: titles[kind],
    tone: tones[kind],
    all: findings.filter((finding) => finding.kind === kind),
  }));
  const parts = kinds
    .filter(({ all }) => all.length > 0)
    .map(({ title, tone, all }) =>
      [
        isMarkdown ? `### ${title} (${all.length})\n` : paint(tone, `${title} (${all.length}):`),
        ...all.map((finding) =>
          isMarkdown ? `- ${lineOf(finding, quoted)}` : `  ${lineOf(finding, String)}`,
        ),
      ].join("\n"),
    );
  if (parts.length === 0) return isMarkdown ? "No drift." : nothing;
  return parts.join("\n\n");
}

function lineOf(
  { address, id, resource, fields = [], end, destination = "", why }: Finding,
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
    ...(why === undefined ? [] : [`${show(destination)}: ${why}`]),
  ];
  return `${show(address)} (id ${id})${details.length > 0 ? `: ${details.join("; ")}` : ""}`;
}

/** The text as Markdown code. No character in it can end the code or become markup. */
export function quoted(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}

const tones: Readonly<Record<Finding["kind"], Tone>> = {
  missing: "bad",
  changed: "warn",
  duplicate: "bad",
  unmanaged: "warn",
  unreachable: "bad",
  expired: "bad",
  expiring: "warn",
};

function toReport(findings: readonly Finding[]): Report {
  const kinds = Object.keys(titles) as Finding["kind"][];
  return {
    title: "Drift of short links",
    summary: findings.length === 0 ? [nothing] : [],
    groups: kinds.map((kind) => ({
      title: titles[kind],
      tone: tones[kind],
      rows: findings
        .filter((finding) => finding.kind === kind)
        .map(({ address, id, resource, fields = [], end, destination, why }) => ({
          address,
          url: destination,
          notes: [
            `id ${id}`,
            ...(end === undefined ? [] : [`until ${end}`]),
            ...(why === undefined ? [] : [why]),
          ],
          fields: fields.map(({ name, state, service }) => ({ name, old: state, new: service })),
          place: resource,
        })),
    })),
  };
}
