import tseslint from "typescript-eslint";

/**
 * What a run remembers belongs to an object that somebody makes: an account, a program. Module level holds constants.
 *
 * @type {[string, string][]}
 */
const moduleState = [":matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration"].flatMap(
  (top) => [
    [`${top}[kind='let']`, "a variable of a module is shared by all accounts and programs: give it an owner"],
    [
      `${top} > VariableDeclarator:not([id.typeAnnotation.typeAnnotation.typeName.name=/^Readonly/]) > ` +
        "NewExpression[callee.name=/^(?:Map|Set|WeakMap|WeakSet|Slots|Agent)$/]",
      "a collection of a module is shared by all accounts and programs: give it an owner, or a Readonly type if nothing is added",
    ],
  ],
);

/** Of one process there is one: its pool of connections, how they are paced, and whether its engine lives. */
const ofTheProcess = [
  "src/service/http.ts",
  "src/service/client.ts",
  "src/engine/orphan.ts",
  "src/engine/log.ts",
];
/** What follows from constants. */
const ofConstants = ["src/fields/table.ts"];
/** By the SDK's own objects, of which nothing else could remember anything. */
const bySdkObject = [
  "src/program/program.ts",
  "src/program/registration.ts",
  "src/program/lazy-outputs.ts",
  "src/program/link-catalog.ts",
];

/** Declarations that TypeScript 3.8, with which the SDK runs programs without a compiler, does not read in a .d.ts. */
const newSyntax = [["ExportSpecifier[exportKind='type']", "write `export type { X }`"]];

/** @param {string[][]} rules */
const restricted = (...rules) =>
  /** @type {["error", ...{ selector: string, message: string }[]]} */ ([
    "error",
    ...rules.map(([selector = "", message = ""]) => ({ selector, message })),
  ]);

export default tseslint.config(
  { ignores: ["dist/", "coverage/", ".pulumi/", ".stryker/", "**/node_modules/"] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: "./test/tsconfig.json", tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/prefer-readonly": "error",
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  { files: ["src/**"], rules: { "no-restricted-syntax": restricted(...moduleState, ...newSyntax) } },
  {
    files: [...ofTheProcess, ...ofConstants, ...bySdkObject],
    rules: { "no-restricted-syntax": restricted(...newSyntax) },
  },
  {
    // The SDK sets the outputs, which an interface beside the class declares.
    files: ["src/program/domain.ts", "src/program/link.ts"],
    rules: {
      "@typescript-eslint/no-unsafe-declaration-merging": "off",
      "@typescript-eslint/no-empty-object-type": "off",
    },
  },
  {
    // They load their other half when it is needed. A dynamic import would do so too, but not for a program under Jest.
    files: ["src/program/lookups.ts", "src/program/link-catalog.ts"],
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  { files: ["src/cli/**", "bench/**"], rules: { "no-console": "off" } },
  // The matchers of vitest are of the type any, and the rule does not see the casts of JSDoc.
  { files: ["bench/**", "test/**", "tools/**"], rules: { "@typescript-eslint/no-unsafe-assignment": "off" } },
  {
    files: ["tools/*.mjs", "*.mjs", "bench/*.mjs"],
    languageOptions: {
      globals: { process: "readonly", URL: "readonly", setInterval: "readonly", clearInterval: "readonly" },
    },
  },
);
