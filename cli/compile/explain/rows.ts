import type { RowSide } from '../../../core/compile/wire/jobs/explain/row-sides.ts'
import { RowsAnswer, type RowView } from '../../../core/compile/wire/jobs/explain/rows.ts'
import type { JobView } from '../../../core/compile/wire/jobs/job.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliContext } from '../../context.ts'
import { describeRows } from '../../terminal/rows-text.ts'

/** Options of `svc rows`. */
export interface RowsFlags {
  readonly wrong?: boolean
  readonly abstained?: boolean
  readonly side?: RowSide
  readonly limit: number
  /** Writes the rows as examples. */
  readonly examples?: boolean
}

/** `svc rows`: shows the rows of a job with their results, or writes them as examples that `svc compile --from` takes. */
export async function showRows(context: CliContext, jobId: string, flags: RowsFlags): Promise<void> {
  const client = await context.client()
  const { rows, isCut, recipeKind } = await fetchRows(client, jobId, flags)
  if (flags.examples === true) {
    if (rows.some(({ digests }) => digests !== undefined))
      throw usageError('--examples: the job keeps digests of its rows')
    if (isCut) context.output.warn('more rows follow: raise --limit')
    const lines = rows.map((row) => JSON.stringify(toExample(row)))
    if (lines.length > 0) context.output.result(rows.map(toExample), () => lines.join('\n'))
    return
  }
  context.output.result({ job_id: jobId, recipe_kind: recipeKind, rows, more: isCut }, () =>
    rows.length === 0 ? 'no such rows' : `${describeRows(rows)}${isCut ? '\nMore rows follow: raise --limit.' : ''}`,
  )
}

/** Returns a row as an example under its id; one to label has no output yet. */
function toExample({ id, side, input, expected }: RowView): object {
  if (side === 'to_label') return { id, input }
  return { id, ...(side === 'test' && { kind: 'test' }), input, output: expected }
}

/** The first rows of a job that pass the filters. */
export interface FetchedRows {
  readonly rows: readonly RowView[]
  readonly recipeKind: string | null
  /** True when more rows follow. */
  readonly isCut: boolean
}

/** Fetches rows of a job, page after page, up to a number. */
export async function fetchRows(client: ApiClient, jobId: string, flags: RowsFlags): Promise<FetchedRows> {
  const rows: RowView[] = []
  const only = flags.abstained === true ? 'abstained' : flags.wrong === true ? 'wrong' : undefined
  let cursor: string | null = null
  let recipeKind: string | null = null
  do {
    const query = new URLSearchParams({
      limit: String(Math.min(flags.limit - rows.length, 200)),
      ...(only !== undefined && { only }),
      ...(flags.side !== undefined && { side: flags.side }),
      ...(cursor !== null && { cursor }),
    })
    const path = `/v1/compile/${encodeURIComponent(jobId)}/rows?${query.toString()}`
    const answer: RowsAnswer = await client.call(path, RowsAnswer)
    rows.push(...answer.rows)
    recipeKind = answer.recipe_kind
    cursor = answer.next_cursor
  } while (cursor !== null && rows.length < flags.limit)
  return { rows, recipeKind, isCut: cursor !== null }
}

/** Wrong rows that a gated job shows. */
const SHOWN_ROWS = 10

/** Returns the first wrong rows of a gated job, for people; none for another job, or when they are no longer kept. */
export async function wrongRowsOf(
  { output }: CliContext,
  client: ApiClient,
  job: JobView,
): Promise<readonly RowView[]> {
  if (job.status !== 'gated' || output.isJson) return []
  try {
    return (await fetchRows(client, job.id, { wrong: true, limit: SHOWN_ROWS })).rows
  } catch (error) {
    if (error instanceof CliError && error.code === 'rows_expired') return []
    throw error
  }
}
