import { nodeProblem } from "../node-problem";

// Imported before everything else, as in a program. Node would add its own lines to an error, so the command exits instead.
const problem = nodeProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(2);
}
