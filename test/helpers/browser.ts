import chromium from "@sparticuz/chromium";
import { launch, type Browser } from "puppeteer-core";

/** A real browser without a window: that of `CHROME_PATH`, or the one that comes as a package for Linux. */
export async function openBrowser(): Promise<Browser> {
  const installed = process.env.CHROME_PATH;
  return launch({
    args: installed === undefined ? [...chromium.args, "--no-sandbox"] : [],
    executablePath: installed ?? (await chromium.executablePath()),
    headless: installed === undefined ? "shell" : true,
  });
}
