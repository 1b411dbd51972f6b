import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { keyOf, measureTemplates, type MeasuredTemplate } from './measure-templates.ts'

/** Templates that are counted at once. */
const COUNTED = 50
/** A template is counted again once its calls have grown by a twentieth, or after an hour with new ones, or after a day. */
const GROWTH = 20
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Counts templates whose figures are out of date, and removes those without a call in 30 days. The work of a template that
 * grows is a multiple of its calls, whatever their number. Returns how many it looked at, and whether there are more.
 */
export async function countTemplates(op: Operation): Promise<{ readonly counted: number; readonly isMore: boolean }> {
  const { tenantId } = op
  const now = op.now()
  const due = await op.read((q) =>
    q
      .selectFrom('traffic_templates')
      .select(['namespace', 'signature', 'exemplar_id as exemplarId', 'fresh'])
      .where('tenant_id', '=', tenantId)
      .where(
        sql<boolean>`(counted_at < ${new Date(now.getTime() - DAY_MS)}
          or fresh > 0 and (fresh * ${sql.lit(GROWTH)} >= calls or counted_at < ${new Date(now.getTime() - HOUR_MS)}))`,
      )
      .orderBy('counted_at')
      .limit(COUNTED),
  )
  if (due.length === 0) return { counted: 0, isMore: false }
  const measured = await measureTemplates(op, tenantId, due, now)
  const live = await liveExemplars(op, due)
  const seen = new Set(measured.map((template) => keyOf(template)))
  const freshOf = new Map(due.map((template) => [keyOf(template), template]))
  const kept = measured.map((template) => {
    const { exemplarId = template.newestId, fresh = 0 } = freshOf.get(keyOf(template)) ?? {}
    return { ...template, fresh, exemplarId: live.has(exemplarId) ? exemplarId : null }
  })
  await op.write(async (tx) => {
    if (kept.length > 0) await storeFigures(tx, op, kept)
    const gone = due.filter((template) => !seen.has(keyOf(template)))
    for (const { namespace, signature } of gone) {
      await tx.q
        .deleteFrom('traffic_templates')
        .where('tenant_id', '=', tenantId)
        .where('namespace', '=', namespace)
        .where('signature', '=', signature)
        .execute()
    }
    if (gone.length > 0) await releaseMembers(tx, tenantId)
  })
  return { counted: due.length, isMore: due.length === COUNTED }
}

/** Members of a cluster whose first template was removed stand for themselves, until they are grouped again. */
export async function releaseMembers(tx: Transaction, tenantId: string): Promise<void> {
  await tx.q
    .updateTable('traffic_templates')
    .set({ cluster: sql<string>`signature`, sketch: null })
    .where('tenant_id', '=', tenantId)
    .whereRef('cluster', '<>', 'signature')
    .where((of) =>
      of.not(
        of.exists(
          of
            .selectFrom('traffic_templates as o')
            .select('o.signature')
            .whereRef('o.tenant_id', '=', 'traffic_templates.tenant_id')
            .whereRef('o.namespace', '=', 'traffic_templates.namespace')
            .whereRef('o.signature', '=', 'traffic_templates.cluster'),
        ),
      ),
    )
    .execute()
}

/** The exemplars that were not forgotten. */
async function liveExemplars(
  op: Operation,
  due: readonly { readonly exemplarId: string }[],
): Promise<ReadonlySet<string>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('capture_contents')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where(sql<boolean>`id = any(${due.map(({ exemplarId }) => exemplarId)}::text[])`),
  )
  return new Set(rows.map(({ id }) => id))
}

interface Counted extends MeasuredTemplate {
  /** Captures that were new when the count began. */
  readonly fresh: number
  /** Null for one that was forgotten. */
  readonly exemplarId: string | null
}

async function storeFigures(tx: Transaction, op: Operation, counted: readonly Counted[]): Promise<void> {
  const column = <K extends keyof Counted>(name: K) => counted.map((row) => row[name])
  const figures = unnest('u', {
    namespace: list('text', column('namespace')),
    signature: list('text', column('signature')),
    exemplar_id: list('text', column('exemplarId')),
    newest_id: list('text', column('newestId')),
    fresh: list('bigint', column('fresh')),
    calls: list('bigint', column('calls')),
    priced_calls: list('bigint', column('pricedCalls')),
    stated_calls: list('bigint', column('statedCalls')),
    cost_micros: list('bigint', column('costMicros')),
    timed_calls: list('bigint', column('timedCalls')),
    latency_us: list('bigint', column('latencyUs')),
    tried: list('integer', column('tried')),
    hits: list('integer', column('hits')),
    model: list('text', column('model')),
    first_at: list('timestamptz', column('firstAt')),
    last_at: list('timestamptz', column('lastAt')),
  })
  await tx.q
    .updateTable('traffic_templates as t')
    .from(figures)
    .set((of) => ({
      fresh: sql<number>`greatest(0, t.fresh - u.fresh)`,
      // A sketch of what was forgotten goes with it.
      exemplar_id: sql<string>`coalesce(u.exemplar_id, u.newest_id)`,
      sketch: sql<Uint8Array | null>`case when u.exemplar_id is null then null else t.sketch end`,
      calls: of.ref('u.calls'),
      priced_calls: of.ref('u.priced_calls'),
      stated_calls: of.ref('u.stated_calls'),
      cost_micros: of.ref('u.cost_micros'),
      timed_calls: of.ref('u.timed_calls'),
      latency_us: of.ref('u.latency_us'),
      tried: of.ref('u.tried'),
      hits: of.ref('u.hits'),
      model: of.ref('u.model'),
      first_at: of.ref('u.first_at'),
      last_at: of.ref('u.last_at'),
      counted_at: op.now(),
    }))
    .where('t.tenant_id', '=', op.tenantId)
    .whereRef('t.namespace', '=', 'u.namespace')
    .whereRef('t.signature', '=', 'u.signature')
    .execute()
}
