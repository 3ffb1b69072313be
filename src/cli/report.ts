import { placeText, type Finding } from "../catalog/written";

/** The formats of findings. */
export const formats = ["text", "json", "github", "sarif"] as const;
export type Format = (typeof formats)[number];

/** Formats findings for people, programs, GitHub workflows or viewers of SARIF 2.1.0. */
export function report(findings: Finding[], format: Format, version: string): string {
  if (format === "json") {
    const told = findings.map(({ kind, file, line, column, message }) => ({
      kind,
      file,
      line,
      column,
      message,
    }));
    return JSON.stringify(told, null, 2);
  }
  if (format === "sarif") return JSON.stringify(toSarif(findings, version), null, 2);
  const lines = findings.map((finding) =>
    format === "github" ? toCommand(finding) : `${placeText(finding)} ${finding.message}`,
  );
  return lines.join("\n");
}

/** A command that makes GitHub show the finding at its line. */
function toCommand({ file, line, column, message }: Finding): string {
  const escape = (text: string) => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
  const property = (text: string) => escape(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
  return `::error file=${property(file)},line=${line},col=${column}::${escape(message)}`;
}

function toSarif(findings: Finding[], version: string): object {
  const rules = [...new Set(findings.map(({ kind }) => kind))].map((id) => ({ id }));
  const results = findings.map(({ kind, file, line, column, message }) => ({
    ruleId: kind,
    level: "error",
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/") },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      { tool: { driver: { name: "shortlink", version, rules } }, columnKind: "utf16CodeUnits", results },
    ],
  };
}
