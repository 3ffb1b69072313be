import chromium from "@sparticuz/chromium";
import { launch, type Browser } from "puppeteer-core";

/** Opens a headless browser: the one at `CHROME_PATH`, or the npm package for Linux. */
export async function openBrowser(): Promise<Browser> {
  const installed = process.env.CHROME_PATH;
  return launch({
    args: installed === undefined ? [...chromium.args, "--no-sandbox"] : [],
    executablePath: installed ?? (await chromium.executablePath()),
    headless: installed === undefined ? "shell" : true,
  });
}
