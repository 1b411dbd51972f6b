import { TEMPLATES } from './catalog.ts'
import type { Template } from './template.ts'

/** Words too common to identify a task. */
const COMMON = new Set(
  'a an and are as at be by for from in into is it its of on one or out so that the their them then this to use with you your it write turn make give read get text input output'.split(
    ' ',
  ),
)

/**
 * Returns the template that a description resembles most, by the share of the description's significant words that
 * occur in the template's texts and keywords; undefined when none shares two of them, or all of a shorter description.
 * Deterministic.
 */
export function matchTemplate(description: string): Template | undefined {
  const asked = new Set(wordsOf(description))
  let best: { readonly template: Template; readonly shared: number } | undefined
  for (const template of TEMPLATES) {
    const known = new Set(wordsOf([template.name, template.description, template.task, ...template.keywords].join(' ')))
    const shared = [...asked].filter((word) => known.has(word)).length
    if (shared >= Math.min(2, asked.size) && shared > (best?.shared ?? 0)) best = { template, shared }
  }
  return best?.template
}

/** Returns lower-case words without plural endings; short and common words are left out. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]{3,}/g) ?? []
  return words.map((word) => word.replace(/(?<=[a-z]{3})s$/, '')).filter((word) => !COMMON.has(word))
}
