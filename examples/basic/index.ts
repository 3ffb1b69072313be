import * as shortlink from "pulumi-shortlink";

const go = new shortlink.Domain("go", {
  name: "go.example",
  homepageUrl: "https://www.pulumi.com/",
});

const docs = new shortlink.Link("docs", {
  domainId: go.id,
  alias: "docs",
  url: "https://www.pulumi.com/docs/",
});

export const docsUrl = docs.shortUrl;
