import { nodeProblem } from "../node-problem";

// Imported before everything else, as in a program; but an error that is thrown here Node shows with its own lines around it.
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(2);
}
