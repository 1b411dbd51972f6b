import { absPos, concat, literal, slice } from '../../search/build.ts'
import { rewriteBy, type Rewrite } from './rewrite.ts'
import { costOf } from '../../ranking/cost.ts'

const MARKS = ['...', '\u2026', '..'] as const
const ROUND = 5

/** Cuts long texts to a length and appends a mark; the rows show the limit. */
export function truncationRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  for (const mark of MARKS) {
    const cut = outputs.flatMap((output, row) => {
      const text = texts[row]
      const isCut = text !== undefined && output !== text && output.endsWith(mark)
      return isCut && text.startsWith(output.slice(0, -mark.length))
        ? [{ text, kept: output.length - mark.length }]
        : []
    })
    const kept = cut[0]?.kept
    if (kept === undefined || kept < 2 || cut.some((one) => one.kept !== kept)) continue
    const whole = outputs.filter((output, row) => output === texts[row])
    const longest = whole.reduce((most, text) => Math.max(most, text.length), 0)
    const shortest = cut.reduce((least, { text }) => Math.min(least, text.length), Infinity)
    // Either the text itself or the text with its mark has to fit; people choose round limits.
    const limits = kept % ROUND === 0 ? [kept, kept + mark.length] : [kept + mark.length, kept]
    const limit = limits.find((length) => length >= longest && length < shortest)
    if (limit === undefined) continue
    return [
      rewriteBy(costOf('truncate'), (text) => ({
        op: 'if',
        cond: { op: 'gt', left: { op: 'length', of: text }, right: literal(limit) },
        then: concat([slice(text, absPos('start', 0), absPos('start', kept)), literal(mark)]),
        else: text,
      })),
    ]
  }
  return []
}
