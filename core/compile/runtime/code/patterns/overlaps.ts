/** True for a text whose occurrences never overlap, so that the last one is the same from either end. */
export function neverOverlaps(text: string): boolean {
  for (let length = 1; length < text.length; length++) if (text.endsWith(text.slice(0, length))) return false
  return true
}
