/** The oldest version that the HTTP library works with. */
const oldest = "22.19.0";

/** The problem with this version of Node.js, if any. */
export function nodeProblem(version: string): string | undefined {
  const [have, need] = [version, oldest].map((text) => text.split(".").map(Number));
  const [major = 0, minor = 0] = have ?? [];
  const [needMajor = 0, needMinor = 0] = need ?? [];
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return undefined;
  return `pulumi-shortlink needs Node.js ${oldest} or newer, and this is ${version}. Put a newer "node" first on PATH.`;
}
