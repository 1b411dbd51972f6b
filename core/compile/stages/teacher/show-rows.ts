import type { Json } from '../../../kernel/json/json.ts'
import type { Row } from '../../rows/task.ts'

/** Rows that one prompt shows at most. */
export const MAX_SHOWN = 40
/** Characters of JSON that the rows of a prompt may take, all of them and each. */
const MAX_SHOWN_CHARS = 12_000
const MAX_ROW_CHARS = 4_000

function rowText({ input, output }: { readonly input: Json; readonly output: Json }): string {
  return `${JSON.stringify(input)} -> ${JSON.stringify(output)}`
}

/** Rows as a prompt shows them, one a line: `input -> output`, both as JSON. */
export function rowLines(rows: readonly Row[]): string {
  return rows.map(rowText).join('\n')
}

/**
 * Returns, of places in a list of rows, the first that fit into a prompt; rows that are too long by themselves are
 * skipped.
 */
export function fitPrompt(places: readonly number[], rows: readonly Row[], most = MAX_SHOWN): readonly number[] {
  const shown: number[] = []
  let chars = 0
  for (const place of places) {
    const row = rows[place]
    if (row === undefined) continue
    const size = rowText(row).length + 1
    if (size > MAX_ROW_CHARS || chars + size > MAX_SHOWN_CHARS) continue
    shown.push(place)
    chars += size
    if (shown.length === most) break
  }
  return shown
}

/** Returns the rows at these places. Throws for a place outside the list, which is a bug of the caller. */
export function rowsAt(rows: readonly Row[], places: readonly number[]): readonly Row[] {
  return places.map((place) => {
    const row = rows[place]
    if (row === undefined) throw new RangeError(`there is no row at ${place}`)
    return row
  })
}
