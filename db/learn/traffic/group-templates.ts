import { sql } from 'kysely'
import { sourceOf, templateText } from '../../../core/gateway/captures/template.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { ALIKE, likenessOf, sketchOf } from '../../../core/learn/traffic/sketch.ts'
import type { Operation } from '../../kernel/operation.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import { releaseMembers } from './count-templates.ts'

/** Templates that are grouped at once. */
const GROUPED = 100

/**
 * Makes the sketches of new templates and puts each into the cluster of the most alike template of its namespace, where
 * one is alike enough; otherwise it begins a cluster. Returns how many it grouped, how many of them joined another, and
 * whether there are more.
 */
export async function groupTemplates(
  op: Operation,
): Promise<{ readonly grouped: number; readonly joined: number; readonly isMore: boolean }> {
  const { tenantId } = op
  const waiting = await op.read((q) =>
    q
      .selectFrom('traffic_templates as t')
      .leftJoin('capture_contents as x', 'x.id', 't.exemplar_id')
      .select(['t.namespace', 't.signature', 'x.prompt', 'x.body'])
      .where('t.tenant_id', '=', tenantId)
      .where('t.sketch', 'is', null)
      // One whose exemplar was forgotten waits until it is counted, which finds it another.
      .where('x.id', 'is not', null)
      .orderBy('t.created_at')
      .orderBy('t.signature')
      .limit(GROUPED),
  )
  if (waiting.length === 0) return { grouped: 0, joined: 0, isMore: false }
  const leaders = await readLeaders(op, [...new Set(waiting.map(({ namespace }) => namespace))])
  const grouped = waiting.map(({ namespace, signature, prompt, body }) => {
    const sketch = sketchOf(templateText(sourceOf(prompt ?? '', body as JsonObject | null)) ?? '')
    const others = leaders.get(namespace) ?? []
    const cluster = mostAlike(sketch, others)?.signature ?? signature
    if (cluster === signature) leaders.set(namespace, [...others, { signature, sketch }])
    return { namespace, signature, sketch, cluster }
  })
  await op.write(async (tx) => {
    const rows = unnest('u', {
      namespace: list(
        'text',
        grouped.map(({ namespace }) => namespace),
      ),
      signature: list(
        'text',
        grouped.map(({ signature }) => signature),
      ),
      cluster: list(
        'text',
        grouped.map(({ cluster }) => cluster),
      ),
      sketch: list(
        'bytea',
        grouped.map(({ sketch }) => sketch),
      ),
    })
    await tx.q
      .updateTable('traffic_templates as t')
      .from(rows)
      .set((of) => ({ sketch: of.ref('u.sketch'), cluster: of.ref('u.cluster') }))
      .where('t.tenant_id', '=', tenantId)
      .whereRef('t.namespace', '=', 'u.namespace')
      .whereRef('t.signature', '=', 'u.signature')
      .execute()
    // A template that led a cluster and was sketched again may have joined another one.
    await releaseMembers(tx, tenantId)
  })
  return {
    grouped: grouped.length,
    joined: grouped.filter(({ cluster, signature }) => cluster !== signature).length,
    isMore: grouped.length === GROUPED,
  }
}

/** Keeps the templates of the largest clusters, then the newest. Returns how many it removed. */
export async function boundTemplates(op: Operation, most: number): Promise<number> {
  const { tenantId } = op
  const [count] = await op.read((q) =>
    q.selectFrom('traffic_templates').select(q.fn.countAll<number>().as('rows')).where('tenant_id', '=', tenantId),
  )
  if ((count?.rows ?? 0) <= most) return 0
  return await op.write(async (tx) => {
    const { numDeletedRows } = await tx.q
      .deleteFrom('traffic_templates')
      .where('tenant_id', '=', tenantId)
      .where((of) =>
        of(
          of.refTuple('namespace', 'signature'),
          'in',
          of
            .selectFrom('traffic_templates')
            .select(['namespace', 'signature'])
            .where('tenant_id', '=', tenantId)
            .orderBy(sql`sum(calls + fresh) over (partition by namespace, cluster)`, 'desc')
            .orderBy('last_at', 'desc')
            .orderBy('signature')
            .offset(most)
            .$asTuple('namespace', 'signature'),
        ),
      )
      .executeTakeFirst()
    await releaseMembers(tx, tenantId)
    return Number(numDeletedRows)
  })
}

interface Leader {
  readonly signature: string
  readonly sketch: Uint8Array
}

function mostAlike(sketch: Uint8Array, leaders: readonly Leader[]): Leader | undefined {
  let best = ALIKE
  let found: Leader | undefined
  for (const leader of leaders) {
    const likeness = likenessOf(sketch, leader.sketch)
    if (likeness < best || (likeness === best && found !== undefined)) continue
    best = likeness
    found = leader
  }
  return found
}

/** The templates that stand for their clusters, oldest first, by namespace. */
async function readLeaders(op: Operation, namespaces: readonly string[]): Promise<Map<string, readonly Leader[]>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('traffic_templates')
      .select(['namespace', 'signature', 'sketch'])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', 'in', [...namespaces])
      .whereRef('cluster', '=', 'signature')
      .orderBy('created_at')
      .orderBy('signature'),
  )
  const leaders = rows.flatMap(({ sketch, ...row }) => (sketch === null ? [] : [{ ...row, sketch }]))
  return Map.groupBy(leaders, ({ namespace }) => namespace)
}
