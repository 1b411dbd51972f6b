import type { Random } from '../../../core/model/random.ts'

/** A text with its right label. */
export interface Labelled {
  readonly input: string
  readonly output: string
}

/** A captured call: the label that it was answered with, and the right one. */
export interface Call extends Labelled {
  readonly right: string
}

/** Shares of the calls. */
export interface Noise {
  readonly wrong: number
  readonly near: number
}

/** Returns the rows as calls, with near-duplicates of some and wrong labels on some, each by its share. */
export function noisyCalls(rows: readonly Labelled[], noise: Noise, random: Random): readonly Call[] {
  const labels = [...new Set(rows.map(({ output }) => output))].toSorted()
  const doubled = rows
    .filter(() => random.float() < noise.near)
    .map(({ input, output }) => ({ input: nearly(input), output }))
  return [...rows, ...doubled].map(({ input, output: right }) => {
    if (random.float() >= noise.wrong) return { input, output: right, right }
    const others = labels.filter((label) => label !== right)
    return { input, output: others[random.below(others.length)] ?? right, right }
  })
}

/** The text with another end and another first letter, which means the same. */
function nearly(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/[?.!]*$/, '')} please`
}

/** Precision, recall and their harmonic mean of what was found, beside what there is. */
export function f1Of(found: ReadonlySet<string>, real: ReadonlySet<string>) {
  const both = [...found].filter((each) => real.has(each)).length
  const precision = found.size === 0 ? 0 : both / found.size
  const recall = real.size === 0 ? 0 : both / real.size
  return { precision, recall, f1: both === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}
