import type { Flavour } from "../../src/emulator/server";

/** Variations of the emulator's answers. The provider must not mistake any of them for a change. */
export const flavours: Record<string, Flavour> = {
  "the newest version": {},
  "old names": { oldNames: true },
  "integers as texts": { integersAsText: true },
  "targets as an object": { targetsAsObject: true },
  "empty texts": { emptyAsText: true },
  "defaults as null": { defaultsAsNull: true },
  "dates with a space": { spacedDates: true },
  "hidden passwords": { passwordsHidden: true },
  "ids instead of nested records": { flatIds: true },
  "a time zone east of UTC": { timeZone: "Asia/Kolkata" },
  "a time zone with daylight saving": { timeZone: "America/New_York" },
  "lenient pixels": { lenientPixels: true },
  "titles that get lost": { titles: true },
  "other errors": { frameworkErrors: true },
  "all at once": {
    ...({
      oldNames: true,
      integersAsText: true,
      targetsAsObject: true,
      emptyAsText: true,
      defaultsAsNull: true,
    } as const),
    ...({ spacedDates: true, passwordsHidden: true, flatIds: true, timeZone: "Pacific/Auckland" } as const),
  },
};
