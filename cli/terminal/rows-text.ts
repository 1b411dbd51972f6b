import type { RowView } from '../../core/compile/wire/jobs/explain/rows.ts'
import { cellText, cutCell, markDifference } from './difference.ts'
import { paint } from './output.ts'
import { formatTable, plainText } from './table.ts'

const RESULT_WORDS = {
  right: 'right',
  wrong: 'wrong',
  abstained: 'no answer',
  recipe_failed: 'failed',
  out_of_budget: 'not finished',
  no_candidate: 'no recipe',
} as const satisfies Record<NonNullable<RowView['result']>, string>

/** Describes rows with their results as a table, the difference between expected and actual output marked. */
export function describeRows(rows: readonly RowView[]): string {
  const cells = rows.map((row) => {
    const { id, result, side, input, expected, got, digests } = row
    const [due, given] =
      digests !== undefined
        ? [shortDigest(digests.row), shortDigest(digests.got)]
        : result === 'wrong'
          ? markDifference(expected, got)
          : [cutCell(cellText(expected)), result === 'right' ? cutCell(cellText(got)) : '']
    return [
      plainText(id),
      result === null ? (side === 'learned' ? 'learned' : '') : resultWord(result),
      cutCell(cellText(input)),
      due,
      given,
      cutCell(notesOf(row)),
    ]
  })
  return formatTable(['ROW', 'RESULT', 'INPUT', 'EXPECTED', 'GOT', 'NOTE'], cells)
}

function resultWord(result: NonNullable<RowView['result']>): string {
  return paint(result === 'right' ? 'green' : 'red', RESULT_WORDS[result])
}

function shortDigest(digest: string | undefined): string {
  return digest === undefined ? '' : digest.slice(0, 'sha256:'.length + 12)
}

/** The failed checks, the wrong parts and the confidence of a row, as far as it has them. */
function notesOf({ failed_checks: checks, unlike_examples: unlike, confidence, paths, result }: RowView): string {
  const wrong = paths?.filter((one) => one.result !== null && one.result !== 'right') ?? []
  return [
    ...(result === 'right' ? [] : wrong.map(({ path }) => path || 'the output')),
    ...checks.map(({ kind, path }) => `fails ${kind.replaceAll('_', ' ')}${path === '' ? '' : ` at ${path}`}`),
    ...(unlike === true ? ['unlike the other inputs'] : []),
    ...(confidence === undefined || result === null ? [] : [`confidence ${confidence.toFixed(2)}`]),
  ]
    .map(plainText)
    .join(', ')
}
