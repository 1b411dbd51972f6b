import { wordsOf, type Word } from './words.ts'

/** A text or a name that a tenant may use. */
export interface Allowance {
  readonly text: string
  /** Whose licence it is, for the record. */
  readonly note: string | null
}

/** Words of a part of a licensed text that is looked up. */
const GRAM = 5

/** The allowances of a tenant, made ready for look-ups. */
export interface Allowlist {
  /** Names and titles: allowances of fewer words than a part has. */
  readonly names: ReadonlySet<string>
  /** The parts of the longer ones. */
  readonly grams: ReadonlySet<string>
}

/** Makes allowances ready. */
export function readyAllowlist(allowances: readonly Allowance[]): Allowlist {
  const names = new Set<string>()
  const grams = new Set<string>()
  for (const { text } of allowances) {
    const words = wordsOf(text)
    if (words.length < GRAM) names.add(joined(words))
    for (const gram of gramsOf(words)) grams.add(gram)
  }
  return { names, grams }
}

/** Tells whether the words from `first` to before `end` are a licensed name, or stand within a licensed text. */
export function isAllowed({ names, grams }: Allowlist, words: readonly Word[], first: number, end: number): boolean {
  if (names.has(joined(words.slice(first, end)))) return true
  if (grams.size === 0) return false
  // A part that holds the whole hit, or of a longer hit every part in it.
  if (end - first > GRAM) return gramsOf(words.slice(first, end)).every((gram) => grams.has(gram))
  for (let from = Math.max(0, end - GRAM); from <= first; from++) {
    if (from + GRAM <= words.length && grams.has(joined(words.slice(from, from + GRAM)))) return true
  }
  return false
}

/** The share of a text's parts of five words that licensed texts hold; null for a text of fewer words. */
export function overlapWith({ grams }: Allowlist, words: readonly Word[]): number | null {
  const parts = gramsOf(words)
  return parts.length === 0 ? null : parts.filter((gram) => grams.has(gram)).length / parts.length
}

function gramsOf(words: readonly Word[]): readonly string[] {
  return Array.from({ length: Math.max(0, words.length - GRAM + 1) }, (_, i) => joined(words.slice(i, i + GRAM)))
}

function joined(words: readonly Word[]): string {
  return words.map(({ form }) => form).join(' ')
}
