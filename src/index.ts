import "./node-version";

export type { Adopt } from "./adopt";
export { Domain } from "./domain";
export type { DomainArgs } from "./domain";
export { Link } from "./link";
export type { LinkArgs, Privacy, TargetArgs } from "./link";
export type { Target, TargetsType } from "./targets";
