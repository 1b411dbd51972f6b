/** A label at the start of a line: `Name:`, `port =`, `Steps to reproduce:`. */
const LABEL = /(?:^|\n)([\p{L}][\p{L}\p{N} ._/-]{0,39}?)( ?[:=])/gu
const MAX_LABELS = 40
const MAX_SCANNED = 200_000

function labelsIn(text: string): Set<string> {
  const labels = new Set<string>()
  for (const [, name = '', mark = ''] of text.slice(0, MAX_SCANNED).matchAll(LABEL)) {
    labels.add(`\n${name}${mark}`)
    if (labels.size >= MAX_LABELS * 4) break
  }
  return labels
}

/**
 * Returns the labels at the start of lines that at least two texts show, commonest first, each with the line break before it. A
 * labelled value may end at any of them, whichever labels its own text has.
 */
export function sharedLabels(texts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of texts) for (const label of labelsIn(text)) counts.set(label, (counts.get(label) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count >= Math.min(2, texts.length))
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MAX_LABELS)
    .map(([label]) => label)
}

/** The label in the line after a place. */
const NEXT_LABEL = /^\s*\n([\p{L}][\p{L}\p{N} ._/-]{0,39}?)( ?[:=])/u
const LOOK_AHEAD = 60

/** Returns the labels that follow values, each with the line break before it. */
export function nextLabels(places: readonly { readonly text: string; readonly ends: readonly number[] }[]): string[] {
  const labels = new Set<string>()
  for (const { text, ends } of places) {
    for (const end of ends) {
      const [, name, mark] = NEXT_LABEL.exec(text.slice(end, end + LOOK_AHEAD)) ?? []
      if (name !== undefined && mark !== undefined) labels.add(`\n${name}${mark}`)
    }
  }
  return [...labels].slice(0, MAX_LABELS)
}
