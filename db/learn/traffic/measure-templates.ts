import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { OBSERVED_DAYS, type TrafficFigures } from '../../../core/learn/traffic/cluster.ts'
import { repeatRate } from '../../../core/learn/traffic/repeat-rate.ts'
import { firstTimedId } from '../../../core/kernel/ids.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'

/** A template of a namespace. */
export interface TemplateName {
  readonly namespace: string
  readonly signature: string
}

/** A template with the figures of its calls. */
export interface MeasuredTemplate extends TemplateName, TrafficFigures {
  /** The newest of its captures. */
  readonly newestId: string
  readonly model: string | null
}

const DAY_MS = 86_400_000
/** Newest calls of a template that are compared with one another. */
const COMPARED = 24
/** Characters of their texts: the end of the prompt, where the newest turn is, and the beginning of the answer. */
const COMPARED_CHARS = 400

/** Returns a condition on the rows `c` of `captures`: an answered conversation of the last 30 days whose content is kept. */
export function isObserved(tenantId: string, now: Date): RawBuilder<SqlBool> {
  const first = firstTimedId('cap', new Date(now.getTime() - OBSERVED_DAYS * DAY_MS))
  return sql`c.tenant_id = ${tenantId} and c.id >= ${first} and c.forgotten_at is null
    and c.kind = 'chat' and c.outcome = 'whole' and c.retention = 'kept'`
}

/** Returns a condition on the rows `c` of `captures`: no review has discarded it. */
export function isUsable(): RawBuilder<SqlBool> {
  return sql`c.status in ('pending', 'approved')`
}

/** A key of a template in maps. */
export function keyOf({ namespace, signature }: TemplateName): string {
  return `${namespace} ${signature}`
}

/** Measures templates by their captures of the last 30 days. A template without such a capture is left out. */
export async function measureTemplates(
  from: Reader,
  tenantId: string,
  names: readonly TemplateName[],
  now: Date,
): Promise<readonly MeasuredTemplate[]> {
  if (names.length === 0) return []
  const signatures = [...new Set(names.map(({ signature }) => signature))]
  const wanted = new Set(names.map((name) => keyOf(name)))
  const [counted, compared] = await from.read((q) => [
    q
      .selectFrom('captures as c')
      .select(['c.namespace', sql<string>`c.template`.as('signature')])
      .select((of) => [
        of.fn.countAll<number>().as('calls'),
        of.fn.count<number>('c.cost_micros').as('pricedCalls'),
        sql<number>`coalesce(sum(c.cost_micros), 0)::bigint`.as('costMicros'),
        sql<number>`(count(c.cost_micros) filter (where c.source <> 'gateway'))::bigint`.as('statedCalls'),
        of.fn.count<number>('c.latency_us').as('timedCalls'),
        sql<number>`coalesce(sum(c.latency_us), 0)::bigint`.as('latencyUs'),
        sql<string | null>`mode() within group (order by c.model)`.as('model'),
        sql<Date>`min(c.at)`.as('firstAt'),
        sql<Date>`max(c.at)`.as('lastAt'),
        sql<string>`max(c.id)`.as('newestId'),
      ])
      .where(isObserved(tenantId, now))
      .where(sql<boolean>`c.template = any(${signatures}::text[])`)
      .groupBy(['c.namespace', 'c.template']),
    q
      .selectFrom(
        unnest('u', {
          namespace: list(
            'text',
            names.map(({ namespace }) => namespace),
          ),
          signature: list(
            'text',
            names.map(({ signature }) => signature),
          ),
        }),
      )
      .innerJoinLateral(
        (of) =>
          of
            .selectFrom('captures as c')
            .innerJoin('capture_contents as x', 'x.id', 'c.id')
            .select([
              sql<string>`right(x.prompt, ${sql.lit(COMPARED_CHARS)})`.as('input'),
              sql<string>`left(coalesce(x.fixed_output, x.response), ${sql.lit(COMPARED_CHARS)})`.as('output'),
            ])
            .where(isObserved(tenantId, now))
            .where(isUsable())
            .whereRef('c.namespace', '=', 'u.namespace')
            .whereRef('c.template', '=', 'u.signature')
            .orderBy('c.id', 'desc')
            .limit(COMPARED)
            .as('p'),
        (on) => on.onTrue(),
      )
      .select(['u.namespace', 'u.signature', 'p.input', 'p.output']),
  ])
  const pairs = Map.groupBy(compared, (pair) => keyOf(pair))
  return counted
    .filter((row) => wanted.has(keyOf(row)))
    .map((row) => ({ ...row, ...repeatRate(pairs.get(keyOf(row)) ?? []) }))
}
