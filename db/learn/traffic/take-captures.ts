import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { keyOf, type TemplateName } from './measure-templates.ts'

/** Captures that are observed in one transaction. */
const TAKEN = 2000
/** A cursor's time before anything was counted. */
const NEVER = new Date(0)
const HOUR_MS = 3_600_000

interface NewTemplate extends TemplateName {
  captures: number
  exemplarId: string
}

/**
 * Notes the templates of a tenant's next captures, and which were forgotten since the last visit, so that they are counted.
 * Returns true when there are more captures. The tenant's cursor is locked meanwhile; a deleted tenant has none.
 */
export async function takeCaptures(op: Operation): Promise<boolean> {
  return await op.write(async (tx) => {
    const { tenantId } = op
    const now = op.now()
    const cursor = await lockCursor(tx, tenantId)
    if (cursor === undefined) return false
    const [head] = await tx.read((q) =>
      q.selectFrom('capture_heads').select('position').where('tenant_id', '=', tenantId),
    )
    const captures = await tx.read((q) =>
      q
        .selectFrom('captures')
        .select(['id', 'namespace', 'template', 'position', 'kind'])
        .where('tenant_id', '=', tenantId)
        .where('position', '>', cursor.position)
        .where('position', '<=', head?.position ?? 0)
        .orderBy('position')
        .limit(TAKEN),
    )
    const found = new Map<string, NewTemplate>()
    for (const { id, namespace, template: signature, kind } of captures) {
      // Embeddings, moderations and files have no answer that a recipe could give.
      if (signature === null || kind !== 'chat') continue
      const name = { namespace, signature }
      const known = found.get(keyOf(name))
      if (known === undefined) found.set(keyOf(name), { ...name, captures: 1, exemplarId: id })
      else known.captures++
    }
    if (found.size > 0) await noteTemplates(tx, tenantId, [...found.values()], now)
    await noteForgotten(tx, tenantId, cursor.visitedAt)
    const isMore = captures.length === TAKEN
    const reached = isMore ? captures.at(-1)?.position : head?.position
    await tx.q
      .updateTable('traffic_cursors')
      .set({
        position: sql<number>`greatest(position, ${reached ?? 0})`,
        visited_at: now,
        look_at: new Date(now.getTime() + HOUR_MS),
      })
      .where('tenant_id', '=', tenantId)
      .execute()
    return isMore
  })
}

/** Locks the cursor of a tenant, and makes a missing one. */
async function lockCursor(tx: Transaction, tenantId: string) {
  await tx.q
    .insertInto('traffic_cursors')
    .columns(['tenant_id', 'position', 'visited_at', 'look_at'])
    .expression((of) =>
      of
        .selectFrom('tenants')
        .select(['id', sql<number>`0`.as('position')])
        .select([sql<Date>`${NEVER}::timestamptz`.as('visited_at'), sql<Date>`${NEVER}::timestamptz`.as('look_at')])
        .where('id', '=', tenantId)
        .where('purged_at', 'is', null),
    )
    .onConflict((on) => on.doNothing())
    .execute()
  const [cursor] = await tx.q
    .selectFrom('traffic_cursors')
    .select(['position', 'visited_at as visitedAt'])
    .where('tenant_id', '=', tenantId)
    .forUpdate()
    .execute()
  return cursor
}

/** Figures that are counted later. */
const COUNTED_LATER = [
  'calls',
  'priced_calls',
  'stated_calls',
  'cost_micros',
  'timed_calls',
  'latency_us',
  'tried',
  'hits',
] as const
const TIMES = ['first_at', 'last_at', 'counted_at', 'created_at'] as const
const NEW_COLUMNS = [
  ...(['tenant_id', 'namespace', 'signature', 'cluster', 'exemplar_id', 'fresh'] as const),
  ...COUNTED_LATER,
  ...TIMES,
]

async function noteTemplates(tx: Transaction, tenantId: string, found: readonly NewTemplate[], now: Date) {
  const rows = unnest('u', {
    namespace: list(
      'text',
      found.map(({ namespace }) => namespace),
    ),
    signature: list(
      'text',
      found.map(({ signature }) => signature),
    ),
    exemplar_id: list(
      'text',
      found.map(({ exemplarId }) => exemplarId),
    ),
    fresh: list(
      'bigint',
      found.map(({ captures }) => captures),
    ),
  })
  await tx.q
    .insertInto('traffic_templates')
    .columns(NEW_COLUMNS)
    .expression((of) =>
      of
        .selectFrom(rows)
        .select([sql<string>`${tenantId}`.as('tenant_id'), 'u.namespace', 'u.signature'])
        .select(['u.signature as cluster', 'u.exemplar_id', 'u.fresh'])
        .select(COUNTED_LATER.map((column) => sql<number>`0`.as(column)))
        .select(TIMES.map((column) => sql<Date>`${column === 'counted_at' ? NEVER : now}::timestamptz`.as(column))),
    )
    .onConflict((on) =>
      on.columns(['tenant_id', 'namespace', 'signature']).doUpdateSet({
        fresh: sql<number>`traffic_templates.fresh + excluded.fresh`,
      }),
    )
    .execute()
}

/** Has the templates of the namespaces counted again in which captures were forgotten: these name their template no more. */
async function noteForgotten(tx: Transaction, tenantId: string, since: Date): Promise<void> {
  await tx.q
    .updateTable('traffic_templates')
    .set({ counted_at: NEVER })
    .where('tenant_id', '=', tenantId)
    .where('namespace', 'in', (of) =>
      of
        .selectFrom('capture_certificates')
        .select('namespace')
        .where('tenant_id', '=', tenantId)
        .where('forgotten_at', '>=', since),
    )
    .execute()
}
