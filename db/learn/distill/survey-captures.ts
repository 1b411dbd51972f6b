import { sql } from 'kysely'
import type { ReviewStatus } from '../../../core/gateway/captures/review.ts'
import { MOST_SURVEYED } from '../../../core/learn/wire/distill/captures.ts'
import type { Operation } from '../../kernel/operation.ts'
import { isObserved } from '../traffic/measure-templates.ts'

const SHOWN_CLUSTERS = 10
const SHOWN_MODELS = 10

/** Captures that a distillation may learn from. */
export interface CapturesAsked {
  readonly namespace: string
  readonly statuses: readonly ReviewStatus[]
}

/** A cluster of captures; one without a template has none. */
export interface CaptureCluster {
  /** The signature that stands for it; null for captures without one. */
  readonly signature: string | null
  readonly count: number
}

/** The captures of a namespace that can be distilled, in numbers. */
export interface CaptureSurvey {
  /** Captures that were read. */
  readonly total: number
  /** Largest first, at most ten. */
  readonly clusters: readonly CaptureCluster[]
  /** Models that answered, with the number of their answers, most first. */
  readonly models: readonly { readonly model: string | null; readonly count: number }[]
  /** Captures whose cost is known, and the sum of their costs in millionths of a dollar. */
  readonly priced: { readonly count: number; readonly micros: number }
}

/** Surveys the newest captures of a namespace of the last 30 days by cluster and by model. */
export async function surveyCaptures(op: Operation, asked: CapturesAsked): Promise<CaptureSurvey> {
  const [clusters, models, priced] = await op.read((q) => {
    const newest = () =>
      q
        .selectFrom('captures as c')
        .leftJoin('traffic_templates as t', (on) =>
          on
            .onRef('t.tenant_id', '=', 'c.tenant_id')
            .onRef('t.namespace', '=', 'c.namespace')
            .onRef('t.signature', '=', 'c.template'),
        )
        .select(['c.model', 'c.cost_micros', sql<string | null>`coalesce(t.cluster, c.template)`.as('signature')])
        .where(isObserved(op.tenantId, op.now()))
        .where('c.namespace', '=', asked.namespace)
        .where('c.status', 'in', asked.statuses)
        .orderBy('c.id', 'desc')
        .limit(MOST_SURVEYED)
        .as('n')
    return [
      q
        .selectFrom(newest())
        .select(['n.signature', (of) => of.fn.countAll<number>().as('count')])
        .groupBy('n.signature')
        .orderBy('count', 'desc')
        .orderBy('n.signature'),
      q
        .selectFrom(newest())
        .select(['n.model', (of) => of.fn.countAll<number>().as('count')])
        .groupBy('n.model')
        .orderBy('count', 'desc')
        .orderBy('n.model'),
      q
        .selectFrom(newest())
        .select((of) => [
          of.fn.count<number>('n.cost_micros').as('count'),
          of.fn.coalesce(of.fn.sum<number>('n.cost_micros'), of.val(0)).as('micros'),
        ]),
    ]
  })
  return {
    total: clusters.reduce((sum, { count }) => sum + count, 0),
    clusters: clusters.slice(0, SHOWN_CLUSTERS),
    models: models.slice(0, SHOWN_MODELS),
    priced: { count: Number(priced[0]?.count ?? 0), micros: Number(priced[0]?.micros ?? 0) },
  }
}

/** Lists the newest captures of a cluster, at most `most`. */
export async function listClusterCaptures(
  op: Operation,
  { namespace, statuses, signature, most }: CapturesAsked & { readonly signature: string; readonly most: number },
): Promise<readonly string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .leftJoin('traffic_templates as t', (on) =>
        on
          .onRef('t.tenant_id', '=', 'c.tenant_id')
          .onRef('t.namespace', '=', 'c.namespace')
          .onRef('t.signature', '=', 'c.template'),
      )
      .select('c.id')
      .where(isObserved(op.tenantId, op.now()))
      .where('c.namespace', '=', namespace)
      .where('c.status', 'in', statuses)
      .where(sql<boolean>`coalesce(t.cluster, c.template) = ${signature}`)
      .orderBy('c.id', 'desc')
      .limit(most),
  )
  return rows.map(({ id }) => id)
}
