import type { Json } from '../../../../kernel/json/json.ts'
import { keyText } from '../facts/condition.ts'
import { noteFacts, type FactKey, type FactValue } from '../facts/facts-of.ts'
import type { JudgedRow } from '../judged-row.ts'

/** One fact over all rows: the rows that have it, with its values. */
export interface Column {
  readonly key: FactKey
  readonly values: Map<number, FactValue>
}

/** The facts of rows, column by column. Rows whose content is not kept have few. */
export function columnsOf(rows: readonly JudgedRow[]): readonly Column[] {
  const columns = new Map<string, Column>()
  for (const [place, { content, unlike }] of rows.entries()) {
    const note = (key: FactKey, value: FactValue): void => {
      const text = keyText(key)
      let column = columns.get(text)
      if (column === undefined) columns.set(text, (column = { key, values: new Map() }))
      column.values.set(place, value)
    }
    if (unlike === true) note({ side: 'row', path: '', name: 'unlike' }, true)
    if (content === null) continue
    noteFacts('input', content.input, note)
    noteFacts('expected', content.expected, note)
  }
  return [...columns.values()]
}

/** Returns the facts of one input and its output, by the text of their keys, for conditions to be tried on. */
export function factsOfPair({
  input,
  output,
}: {
  readonly input: Json
  readonly output: Json
}): ReadonlyMap<string, FactValue> {
  const facts = new Map<string, FactValue>()
  const note = (key: FactKey, value: FactValue): void => void facts.set(keyText(key), value)
  noteFacts('input', input, note)
  noteFacts('expected', output, note)
  return facts
}
