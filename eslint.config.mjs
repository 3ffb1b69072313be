import tseslint from "typescript-eslint";

/**
 * The memory of a run belongs to an object, such as an account or a program. Module level holds constants.
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

/** A process has one of each: a connection pool with its pacing, a log, and an engine to watch. */
const ofTheProcess = [
  "src/service/http.ts",
  "src/service/client.ts",
  "src/engine/orphan.ts",
  "src/engine/log.ts",
];
/** Derived from constants. */
const ofConstants = ["src/fields/table.ts"];
/** Keyed by objects of the SDK, which offer no other place for data. */
const bySdkObject = [
  "src/program/program.ts",
  "src/program/registration.ts",
  "src/program/lazy-outputs.ts",
  "src/program/link-catalog.ts",
];

/** TypeScript 3.8 cannot read these declarations in a .d.ts. The SDK uses it for programs without a compiler. */
const newSyntax = [["ExportSpecifier[exportKind='type']", "write `export type { X }`"]];

/** @param {string[][]} rules */
const restricted = (...rules) =>
  /** @type {["error", ...{ selector: string, message: string }[]]} */ ([
    "error",
    ...rules.map(([selector = "", message = ""]) => ({ selector, message })),
  ]);

export default tseslint.config(
  { ignores: ["dist/", ".pulumi/", ".stryker/", "**/node_modules/"] },
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
    // These files load their other half on demand. A dynamic import does not work for a program under Jest.
    files: ["src/program/lookups.ts", "src/program/link-catalog.ts"],
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  { files: ["src/cli/**", "bench/**"], rules: { "no-console": "off" } },
  // The matchers of vitest have the type any, and the rule ignores casts in JSDoc.
  { files: ["bench/**", "test/**", "tools/**"], rules: { "@typescript-eslint/no-unsafe-assignment": "off" } },
  {
    files: ["tools/*.mjs", "*.mjs", "bench/*.mjs"],
    languageOptions: {
      globals: { process: "readonly", URL: "readonly", setInterval: "readonly", clearInterval: "readonly" },
    },
  },
);
