/** The service ignores case, accents and trailing spaces when it compares names and aliases. */
export function collate(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trimEnd();
}
