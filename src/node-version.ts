import { nodeProblem } from "./node-problem";

// Imported before everything else: on an older Node.js the HTTP library fails to load, with an unhelpful message.
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  const error = new Error(problem);
  error.stack = problem;
  throw error;
}
