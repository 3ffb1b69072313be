/** The service tells names and aliases apart without regard to case, accents and spaces at the end. */
export function collate(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trimEnd();
}
