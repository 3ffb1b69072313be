import { expect, test } from "vitest";
import type { Saved } from "../../src/account/saved";
import {
  decodeCatalog,
  decodeInputs,
  decodeNews,
  decodeSaved,
  encodeInputs,
  encodeSaved,
  providerOf,
} from "../../src/engine/codec";

// States have had these keys since release 0.1.0. A renamed key breaks the states of all users.

const flat = {
  url: "https://example.com/",
  alias: "docs",
  shortUrl: "http://go.example/docs",
  __urn: "urn:1",
  __secrets: ["password"],
  __alias: "docs",
  __keptAlias: true,
  __import: "7",
  __origin: "https://links.example.com",
  __echo: { url: "https://example.com" },
  __doubtful: ["url"],
  __revision: "abc",
  __adoption: "old",
  __former: ["old"],
  __id: "go.example/docs",
};
const saved = {
  inputs: {
    args: { url: "https://example.com/", alias: "docs" },
    about: {
      urn: "urn:1",
      secrets: ["password"],
      derivedAlias: "docs",
      keptAlias: true,
      importKey: "7",
    },
  },
  outputs: { shortUrl: "http://go.example/docs" },
  memory: {
    origin: "https://links.example.com",
    echo: { url: "https://example.com" },
    doubtful: ["url"],
    revision: "abc",
    adoption: "old",
    former: ["old"],
  },
  readId: "go.example/docs",
} as unknown as Saved;

test("a state is read and written with the keys of release 0.1.0", () => {
  expect(decodeSaved(flat, ["shortUrl"])).toStrictEqual(saved);
  expect(encodeSaved(saved)).toStrictEqual(flat);
  expect(encodeInputs(decodeInputs(flat, ["shortUrl"]))).toStrictEqual({
    url: "https://example.com/",
    alias: "docs",
    __urn: "urn:1",
    __secrets: ["password"],
    __alias: "docs",
    __keptAlias: true,
    __import: "7",
  });
  expect(providerOf({ ...flat, __provider: "text" })).toStrictEqual({ __provider: "text" });
  expect(providerOf(flat)).toStrictEqual({});
});

test("fields missing in a state stay missing when it is read and written", () => {
  const bare = { url: "https://example.com/" };
  const read = decodeSaved(bare, ["shortUrl"]);
  expect(read).toStrictEqual({
    inputs: { args: bare, about: {} },
    outputs: {},
    memory: {},
    readId: undefined,
  });
  const empty = { ...read, memory: { echo: {}, revision: undefined } } as Saved;
  expect(encodeSaved(empty)).toStrictEqual(bare);
});

test("facts about a resource and its run are decoded from one private text", () => {
  const words = { __urn: "urn:1", __preview: true, __entry: "links/docs.yaml:12", __wishes: "{}" };
  const __private = JSON.stringify({ ...words, __state: "127.0.0.1:4000 dev 12" });
  expect(decodeNews({ alias: "docs", __private }, "shortUrl")).toStrictEqual({
    inputs: { args: { alias: "docs" }, about: { urn: "urn:1" } },
    isPreview: true,
    told: { stateSource: "127.0.0.1:4000 dev", resources: 12, wishes: "{}", entry: "links/docs.yaml:12" },
    mark: {},
  });
  const bare = { stateSource: undefined, resources: 0, wishes: undefined, entry: undefined };
  expect(decodeNews({ alias: "docs" }, "shortUrl")).toMatchObject({ isPreview: false, told: bare });
});

test("the marker of a secret output is not an argument, unlike a value under its name", () => {
  const argsOf = (shortUrl: unknown) => {
    const { inputs, mark } = decodeNews({ shortUrl }, "shortUrl");
    return [inputs.args, mark];
  };
  expect(argsOf(null)).toStrictEqual([{}, { shortUrl: null }]);
  expect(argsOf("04da6b54-80e4-46f7-96ec-b56ff0331ba9")).toStrictEqual([{}, {}]);
  expect(argsOf("http://go.example/docs")).toStrictEqual([{ shortUrl: "http://go.example/docs" }, {}]);
});

test("a catalog record is decoded with its links, former keys and maxDeletes", () => {
  const said = {
    links: { docs: 1 },
    marks: { docs: "12345678" },
    __formerly: { docs: ["doc"] },
    __moved: ["x"],
    __maxDeletes: 3,
  };
  expect(decodeCatalog(said)).toStrictEqual({
    links: { docs: 1 },
    marks: { docs: "12345678" },
    formerly: { docs: ["doc"] },
    moved: ["x"],
    maxDeletes: 3,
  });
  expect(decodeCatalog({})).toStrictEqual({
    links: {},
    marks: undefined,
    formerly: {},
    moved: [],
    maxDeletes: undefined,
  });
});
