import { sql } from 'kysely'
import { exampleValue, type ExampleBounds } from '../../../core/gateway/captures/learning/capture-example.ts'
import { canonicalJson, type Json, type Sha256 } from '../../../core/kernel/json/json.ts'
import { wholeContent } from '../../gateway/captures/get-capture.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Corrections of a namespace that one run reads at most, the newest. */
export const MOST_CORRECTIONS = 10_000

/** Lists the captures of a namespace whose answer a reviewer corrected, newest first. Forgotten captures are none of them. */
export async function listCorrected(op: Operation, namespace: string): Promise<readonly string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select('c.id')
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.namespace', '=', namespace)
      .where('c.status', '=', 'approved')
      .where('c.forgotten_at', 'is', null)
      .where('x.fixed_output', 'is not', null)
      .where(sql<boolean>`x.response <> x.fixed_output`)
      .orderBy('c.id', 'desc')
      .limit(MOST_CORRECTIONS),
  )
  return rows.map(({ id }) => id)
}

/**
 * Returns what a corrected capture had answered, as a value of an example; null where it was forgotten, where its correction says the
 * same, or where the answer is too large to learn from.
 * @param corrected the correction as a value of an example
 */
export async function readRejected(
  op: Operation,
  { id, corrected, bounds }: { readonly id: string; readonly corrected: Json; readonly bounds: ExampleBounds },
): Promise<Json> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .innerJoin('capture_contents as x', 'x.id', 'c.id')
      .select(['x.prompt', 'x.response', sql<Sha256 | null>`x.blob_sha256`.as('blob')])
      .where('c.tenant_id', '=', op.tenantId)
      .where('c.id', '=', id)
      .where('c.status', '=', 'approved')
      .where('c.forgotten_at', 'is', null)
      .where('x.fixed_output', 'is not', null),
  )
  if (row === undefined) return null
  const { prompt, response, blob } = row
  const { response: answered } = await wholeContent(op, { prompt, response, body: null, answer: null }, blob)
  const value = exampleValue(answered, bounds)
  if (answered.trim() === '' || canonicalJson(value) === canonicalJson(corrected)) return null
  return Buffer.byteLength(JSON.stringify(value)) > bounds.exampleBytes ? null : value
}
