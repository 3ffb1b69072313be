import { checkFields, isUnknown, type Canonical, type Fields, type Problem } from "./check-fields";
import type { StateSource } from "./engine-state";
import { noteEntry } from "./entries";
import { noteSeen } from "./progress";
import { noteStateSource, settingsProblems } from "./session";

/** What a program tells beside its arguments. */
interface Private {
  __preview?: boolean;
  __state?: StateSource;
  __entry?: string;
  __urn?: string;
}

/**
 * The answer to the engine's `check`: canonical inputs, or all that is wrong with them and with the settings. What
 * takes several fields at once, or the settings, is done by `together`: it may change the fields.
 */
export function checkInputs<Schemas extends Fields>(
  schemas: Schemas,
  news: Record<string, unknown>,
  together: (fields: Canonical<Schemas>, refused: ReadonlySet<string>) => Problem[] = () => [],
): { inputs: Canonical<Schemas>; failures: Failure[]; isPreview: boolean } {
  // Names that begin so are the engine's and ours: hidden in plans, and nothing that a program sets.
  const isPrivate = ([name]: [string, unknown]) => name.startsWith("__");
  const { __private = "{}", ...others } = Object.fromEntries(Object.entries(news).filter(isPrivate));
  const { __preview, __state, __entry, ...own } = {
    ...others,
    ...(JSON.parse(__private as string) as object),
  } as Private;
  noteSeen(own.__urn);
  noteEntry(own.__urn, __entry);
  noteStateSource(__state);
  const given = Object.entries(news).filter((entry) => !isPrivate(entry));
  const { fields, problems } = checkFields(schemas, Object.fromEntries(given));
  // What a rule would say of a field that was refused by itself is no second mistake.
  problems.push(...together(fields, new Set(problems.map(({ property }) => rootOf(property)))));
  return {
    inputs: { ...fields, ...own },
    failures: [...settingsProblems().map((reason) => ({ property: "", reason })), ...problems.map(toFailure)],
    isPreview: __preview === true,
  };
}

/**
 * Takes the mark of a secret output out of a program's arguments. The provider gives it back with its inputs: the engine marks an
 * output for which an input of the same name was one.
 */
export function takeMark(
  output: string,
  news: Record<string, unknown>,
): { mark: Record<string, null>; args: Record<string, unknown> } {
  const { [output]: value, ...args } = news;
  if (value === null) return { mark: { [output]: null }, args };
  // Not known in the preview whether it is a secret, as its value is not.
  return { mark: {}, args: isUnknown(value) ? args : news };
}

function rootOf(property: string): string {
  return /^\w+/.exec(property)?.[0] ?? property;
}

/** A problem as the engine takes it. */
export interface Failure {
  property: string;
  reason: string;
}

/** The property stands in the reason, because the engine prints the value of a property that is named to it. */
export function toFailure({ property, reason }: Problem): Failure {
  return { property: "", reason: `${property} ${reason}` };
}
