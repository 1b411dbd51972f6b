import type { ColumnCensus } from './cell-types.ts'
import type { RoleProblem } from './roles.ts'
import { cellText, isBlank, type Cell } from '../records.ts'

/** Longest name of a column; what follows is cut off, half a character too. */
const NAME_CHARS = 200

/**
 * Returns the names of the columns: the cells of the header, else `column_1` and so on, which columns without a name get
 * too. Reports names that stand twice.
 */
export function namesOf(
  header: readonly Cell[] | undefined,
  columns: readonly { readonly census: ColumnCensus }[],
  onProblem: RoleProblem,
): readonly string[] {
  const names = columns.map((_, i) => {
    const cell = header?.[i]
    return isBlank(cell)
      ? `column_${i + 1}`
      : cellText(cell).trim().replaceAll(/\s+/g, ' ').slice(0, NAME_CHARS).toWellFormed()
  })
  for (const [i, name] of names.entries()) {
    const before = names.indexOf(name)
    if (name === '__proto__') onProblem('header', `names column ${i + 1} __proto__, which is not allowed; rename it`)
    if (before < i)
      onProblem('header', `names the column ${name} twice (columns ${before + 1} and ${i + 1}); rename one`)
  }
  return names
}
