import { quoted } from "./drift-report";
import { toReportPage, type Paint, type Report, type Row, type Tone } from "./page";
import type { Action, Change, LostLink, Plan } from "./plan";

/** The formats of a plan. */
export const planFormats = ["text", "json", "markdown", "html", "github"] as const;
export type PlanFormat = (typeof planFormats)[number];

/** A plan with its rate limit and duration. */
export interface Planned extends Plan {
  /** Requests that the account may send in a window; undefined if the service reports no limit. */
  limit?: number;
  /** Milliseconds that the run waits for the rate limit; undefined without one. */
  wait?: number;
}

/** Maximum length of a comment on GitHub, in characters. */
const commentLength = 65_536;

const titles: Readonly<Record<Action, string>> = {
  delete: "Deleted",
  replace: "Replaced",
  conflict: "In the way",
  adopt: "Adopted",
  update: "Changed",
  create: "Created",
};
const order = Object.keys(titles) as Action[];

/** Formats a plan for people, for programs, or for a comment on a pull request. */
export function reportPlan(plan: Planned, format: PlanFormat, paint: Paint = (_tone, text) => text): string {
  if (format === "json") return JSON.stringify(plan, null, 2);
  if (format === "github") return toCommands(plan).join("\n");
  if (format === "html") return toReportPage(toReport(plan));
  return format === "markdown" ? toMarkdown(plan) : toText(plan, paint);
}

const tones: Readonly<Record<Action, Tone>> = {
  delete: "bad",
  replace: "warn",
  conflict: "bad",
  adopt: "warn",
  update: "warn",
  create: "good",
};

function toReport(plan: Planned): Report {
  const lost = lostOf(plan);
  const toRow = ({ address, newAddress, why, leadsTo, place, resource }: LostLink): Row => ({
    address,
    newAddress,
    notes: [why, ...(leadsTo === undefined ? [] : [`leads to ${leadsTo} then`])],
    fields: [],
    place: place ?? resource,
  });
  const errors = plan.errors.map((message): Row => ({ address: message, notes: [], fields: [] }));
  return {
    title: plan.stack === undefined ? "Plan of short links" : `Plan of short links: ${plan.stack}`,
    summary: [totalsOf(plan), costOf(plan)],
    groups: [
      { title: "Errors", tone: "bad", rows: errors },
      { title: "Short links that stop working", tone: "bad", rows: lost.dead.map(toRow) },
      { title: "Short links that lead elsewhere", tone: "bad", rows: lost.moved.map(toRow) },
      ...order.map((action) => ({
        title: titles[action],
        tone: tones[action],
        rows: plan.changes
          .filter((change) => change.action === action)
          .map(({ address, newAddress, url, reason, fields, place, resource }) => ({
            address,
            newAddress,
            url: action === "create" || action === "delete" ? url : undefined,
            notes: reason === undefined ? [] : [reason],
            fields,
            place: place ?? resource,
          })),
      })),
    ],
  };
}

function toText(plan: Planned, paint: Paint): string {
  const lost = lostOf(plan);
  const part = (tone: Tone, title: string, lines: string[]) =>
    lines.length === 0
      ? []
      : [[paint(tone, `${title} (${lines.length}):`), ...lines.map((line) => `  ${line}`)].join("\n")];
  return [
    totalsOf(plan),
    ...part(
      "bad",
      "Short links that stop working",
      lost.dead.map((each) => lostLine(each, String)),
    ),
    ...part(
      "bad",
      "Short links that lead elsewhere",
      lost.moved.map((each) => lostLine(each, String)),
    ),
    ...order.flatMap((action) =>
      part(
        tones[action],
        titles[action],
        plan.changes.filter((change) => change.action === action).map((change) => changeLine(change, String)),
      ),
    ),
    ...part("bad", "Errors", plan.errors),
    costOf(plan),
  ].join("\n\n");
}

/**
 * Keeps totals, errors, lost links, deletions, replacements and conflicts. If the comment would be too long, it shortens the other
 * lists, the last ones first. A comment that is still too long loses its end.
 */
function toMarkdown(plan: Planned): string {
  const lost = lostOf(plan);
  const dead = new Set(lost.dead.map(({ urn }) => urn));
  const show = (action: Action) => plan.changes.filter((change) => change.action === action);
  const section = (title: string, lines: string[]) =>
    lines.length === 0
      ? ""
      : `### ${title} (${lines.length})\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
  const fixed = [
    `## Short links\n\n${totalsOf(plan)} ${costOf(plan)}`,
    section(
      "Errors",
      plan.errors.map((text) => quoted(text.replace(/\s+/g, " "))),
    ),
    section(
      "Short links that stop working",
      compact(lost.dead, (each) => lostLine(each, quoted)),
    ),
    section(
      "Short links that lead elsewhere",
      lost.moved.map((each) => lostLine(each, quoted)),
    ),
    // The section above lists those that stop working.
    section(
      "Deleted",
      compact(
        show("delete").filter(({ urn }) => !dead.has(urn)),
        (each) => changeLine(each, quoted),
      ),
    ),
    section(
      "Replaced",
      compact(show("replace"), (each) => changeLine(each, quoted)),
    ),
    section(
      "In the way",
      show("conflict").map((each) => changeLine(each, quoted)),
    ),
    tableOf(plan),
  ].filter((text) => text !== "");
  let room = commentLength - fixed.reduce((sum, text) => sum + text.length + 2, 0) - 300;
  const cut: string[] = [];
  for (const action of ["update", "adopt", "create"] as const) {
    const lines = show(action).map((change) => `- ${changeLine(change, quoted)}`);
    if (lines.length === 0) continue;
    const head = `### ${titles[action]} (${lines.length})\n\n`;
    const kept: string[] = [];
    room -= head.length + 80;
    for (const line of lines) {
      if (room < line.length + 1) break;
      room -= line.length + 1;
      kept.push(line);
    }
    const left = lines.length - kept.length;
    const others = left > 0 ? `\n- and ${left} more, which \`pulumi-shortlink plan\` shows` : "";
    cut.push(`${head}${kept.join("\n")}${others}`);
  }
  const text = [...fixed, ...cut].join("\n\n");
  const rest = "\n\nA comment cannot hold all of it: `pulumi-shortlink plan` shows the rest.";
  return text.length < commentLength
    ? text
    : text.slice(0, commentLength - rest.length - 1).replace(/\s\S*$/, rest);
}

/** Shortens many lines to one per domain, with only the aliases. */
function compact<Each extends { address: string }>(
  items: readonly Each[],
  toLine: (item: Each) => string,
): string[] {
  if (items.length <= 100) return items.map(toLine);
  const byDomain = new Map<string, string[]>();
  for (const { address } of items) {
    const [domain = "", alias = ""] = address.split(/\/(.*)/);
    byDomain.set(domain, [...(byDomain.get(domain) ?? []), alias]);
  }
  return [...byDomain].map(
    ([domain, aliases]) => `${quoted(domain)}: ${aliases.length} links: ${aliases.map(quoted).join(" ")}`,
  );
}

function lostOf({ lost }: Plan): { dead: LostLink[]; moved: LostLink[] } {
  return {
    dead: lost.filter(({ leadsTo }) => leadsTo === undefined),
    moved: lost.filter(({ leadsTo }) => leadsTo !== undefined),
  };
}

function lostLine(
  { address, why, newAddress, leadsTo, place, resource }: LostLink,
  show: (text: string) => string,
): string {
  const becomes = newAddress === undefined ? why : `${why}, ${show(newAddress)}`;
  const leads = leadsTo === undefined ? "" : `; leads to ${show(leadsTo)} then`;
  return `${show(address)}: ${becomes}${leads} (${place ?? resource})`;
}

function changeLine(
  { address, newAddress, url, fields, reason, place, resource, action }: Change,
  show: (text: string) => string,
): string {
  const value = (each: unknown) => (each === null ? "none" : show(JSON.stringify(each)));
  const details = [
    ...(newAddress === undefined ? [] : [`becomes ${show(newAddress)}`]),
    ...(reason === undefined ? [] : [reason]),
    ...fields.map(({ name, old, new: now }) => `${name} ${value(old)} becomes ${value(now)}`),
  ];
  const leads = url !== undefined && (action === "create" || action === "delete") ? ` to ${show(url)}` : "";
  return `${show(address)}${leads}${details.length > 0 ? `: ${details.join("; ")}` : ""} (${place ?? resource})`;
}

function totalsOf({ changes, unchanged, others, errors }: Plan): string {
  const words: Record<Action, string> = {
    delete: "to delete",
    replace: "to replace",
    conflict: "in the way",
    adopt: "to adopt",
    update: "to change",
    create: "to create",
  };
  const counts = order.flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count > 0 ? [`${count} ${words[action]}`] : [];
  });
  const rest = [
    `${unchanged} unchanged`,
    ...(others.length > 0 ? [`${others.length} other resources change`] : []),
  ];
  const begin = errors.length > 0 ? "Pulumi cannot plan this program. " : "";
  // An incomplete plan without changes says nothing about them.
  if (errors.length > 0 && counts.length === 0) return begin.trim();
  return `${begin}${[counts.length > 0 ? counts.join(", ") : "No changes", ...rest].join("; ")}.`;
}

function costOf({ requests, limit, wait, isRefreshing }: Planned): string {
  const refresh = isRefreshing ? " The refresh before it takes one more request per 100 links." : "";
  const count = `${requests} request${requests === 1 ? "" : "s"}`;
  if (requests === 0) return `It sends no request.${refresh}`;
  if (limit === undefined || wait === undefined)
    return `It sends ${count}; the service reports no limit.${refresh}`;
  const time = wait === 0 ? "without a wait for" : `which take about ${minutes(wait)} at`;
  return `It sends ${count}, ${time} the account's limit of ${limit}.${refresh}`;
}

function minutes(milliseconds: number): string {
  const count = Math.ceil(milliseconds / 60_000);
  return `${count} minute${count === 1 ? "" : "s"}`;
}

/** A row for each domain with changes. */
function tableOf({ changes }: Plan): string {
  const rows = new Map<string, Map<Action, number>>();
  for (const { address, newAddress, action, type } of changes) {
    if (type === "domain") continue;
    const [domain = ""] = (action === "create" ? address : (newAddress ?? address)).split("/");
    const row = rows.get(domain) ?? new Map<Action, number>();
    rows.set(domain, row.set(action, (row.get(action) ?? 0) + 1));
  }
  if (rows.size < 2) return "";
  const used = order.filter((action) => [...rows.values()].some((row) => row.has(action)));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(["domain", ...used.map((action) => titles[action].toLowerCase())]),
    line(["---", ...used.map(() => "---:")]),
    ...[...rows]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([domain, row]) => line([quoted(domain), ...used.map((action) => String(row.get(action) ?? ""))])),
  ].join("\n");
}

/** Commands that make GitHub show each change at its entry, and changes without an entry at the top. */
function toCommands(plan: Planned): string[] {
  const escape = (text: string) => text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
  const property = (text: string) => escape(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
  const command = (level: string, place: string | undefined, text: string) => {
    const [, file = "", line, column] = /^(.*):(\d+):(\d+)$/.exec(place ?? "") ?? [];
    const at = line === undefined ? "" : ` file=${property(file)},line=${line},col=${column}`;
    return `::${level}${at}::${escape(text)}`;
  };
  const lost = new Set(plan.lost.map(({ urn }) => urn));
  return [
    ...plan.errors.map((text) => command("error", undefined, text)),
    ...plan.changes.map((change) => {
      const level = change.action === "conflict" ? "error" : lost.has(change.urn) ? "warning" : "notice";
      return command(level, change.place, `${titles[change.action]}: ${changeLine(change, String)}`);
    }),
  ];
}
