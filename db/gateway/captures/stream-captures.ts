import { sql } from 'kysely'
import type { ExportedCapture } from '../../../core/gateway/captures/export/export-row.ts'
import type { CaptureContent, CaptureFacts } from '../../../core/gateway/captures/capture.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import { conditionsOf, patternOf } from './filter.ts'
import { wholeContent } from './get-capture.ts'
import type { CaptureFilter, CaptureReader } from './read-columns.ts'

/** Captures that are read at once. */
const BATCH = 1000

/** A capture that is exported. */
export type StreamedCapture = ExportedCapture &
  Pick<CaptureContent, 'body' | 'answer'> &
  Pick<CaptureFacts, 'kind' | 'dialect' | 'outcome'> & { readonly conversationId: string | null }

/**
 * Yields the captures of the tenant that a filter selects, oldest first, batch by batch; while the caller works on one,
 * the next is read. Forgotten ones and those without a content are left out. Bodies and answers are null unless
 * `withBodies` asks for them.
 */
export async function* streamCaptures(
  op: CaptureReader,
  filter: CaptureFilter,
  options: { readonly withBodies?: boolean } = {},
): AsyncGenerator<readonly StreamedCapture[]> {
  const withBodies = options.withBodies === true
  // The filter bounds the captures alone, and their contents are bounded by this.
  const after = filter.from === undefined ? '' : firstTimedId('cap', new Date(filter.from.getTime() - 1))
  let next: ReturnType<typeof readBatch> | undefined = readBatch(op, filter, { after, withBodies })
  while (next !== undefined) {
    const rows: Awaited<typeof next> = await next
    const last = rows.at(-1)
    next = last === undefined || rows.length < BATCH ? undefined : readBatch(op, filter, { after: last.id, withBodies })
    // Awaited in the next round; a caller may stop before.
    next?.catch(() => undefined)
    if (last === undefined) break
    // A large content is yielded alone: a batch of them would not fit into memory.
    for (const part of apart(rows)) yield await whole(op, part)
  }
}

/** Rows in runs: those with a content of their own together, each with a blob alone. */
function apart<Row extends { readonly blobSha256: string | null }>(rows: readonly Row[]): readonly Row[][] {
  const parts: Row[][] = []
  for (const row of rows) {
    const last = parts.at(-1)
    if (last === undefined || row.blobSha256 !== null || last.at(-1)?.blobSha256 !== null) parts.push([row])
    else last.push(row)
  }
  return parts
}

async function readBatch(
  op: CaptureReader,
  { q: text, ...filter }: CaptureFilter,
  { after, withBodies }: { readonly after: string; readonly withBodies: boolean },
) {
  const bodyOf = (column: 'body' | 'answer') => (withBodies ? sql.ref(`x.${column}`) : sql`null::json`)
  const pattern = text === undefined ? null : patternOf(text)
  return await op.read((q) =>
    q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select(['c.id', 'c.namespace', 'c.at', 'c.kind', 'c.dialect', 'c.outcome', 'c.provider', 'c.model'])
      .select('c.conversation_id as conversationId')
      .select(['c.status', 'c.risk'])
      .select(['c.redaction_classes as redactionClasses', 'c.input_tokens as inputTokens'])
      .select(['c.output_tokens as outputTokens', 'c.latency_us as latencyUs', 'c.cost_micros as costMicros'])
      .select(['c.receipt_id as receiptId', sql<string>`encode(c.chain_hash, 'hex')`.as('chainHash')])
      .select(['x.prompt', 'x.response', 'x.fixed_output as fixedOutput'])
      .select([bodyOf('body').$castTo<JsonObject | null>().as('body'), bodyOf('answer').$castTo<Json>().as('answer')])
      .select('x.blob_sha256 as blobSha256')
      .where(conditionsOf(op.tenantId, filter))
      .where('c.id', '>', after)
      // Said of both: the planner would read the contents of all earlier batches again.
      .where('x.id', '>', after)
      .where('x.tenant_id', '=', op.tenantId)
      .where(
        pattern === null
          ? sql<boolean>`true`
          : sql<boolean>`(x.prompt ilike ${pattern} or x.response ilike ${pattern})`,
      )
      .orderBy('c.id')
      .limit(BATCH),
  )
}

/** Rows as they are read, which are many; a large content, which is alone, out of its blob. */
async function whole(
  op: CaptureReader,
  rows: Awaited<ReturnType<typeof readBatch>>,
): Promise<readonly StreamedCapture[]> {
  const [only] = rows
  if (only === undefined || only.blobSha256 === null) return rows
  const { blobSha256, ...row } = only
  return [{ ...row, ...(await wholeContent(op, only, blobSha256)) }]
}
