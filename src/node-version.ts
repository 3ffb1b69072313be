import { nodeProblem } from "./node-problem";

// Imported before everything else: on an older Node the HTTP library dies while loading, with a message that does not help.
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  const error = new Error(problem);
  error.stack = problem;
  throw error;
}
