import { sql } from 'kysely'
import { sumFigures, type TrafficFigures } from '../../../core/learn/traffic/cluster.ts'
import type { CompiledAccuracy } from '../../../core/learn/traffic/saving.ts'
import type { Operation } from '../../kernel/operation.ts'
import { isObserved, keyOf, measureTemplates, type TemplateName } from './measure-templates.ts'

/** A cluster of templates with the figures of its calls. */
export interface Cluster {
  readonly namespace: string
  /** The signature that stands for it. */
  readonly signature: string
  readonly signatures: readonly string[]
  /** The model that answered most of the calls. */
  readonly model: string | null
  readonly figures: TrafficFigures
  /** Calls that no review has discarded. */
  readonly rows: number
  readonly approved: number
  /** When the figures were counted; reviews and what was forgotten since are in them. */
  readonly countedAt: Date
  /** The newest compile of the cluster. */
  readonly compile: ClusterCompile | null
}

/** A compile of a cluster, and what it measured. */
export interface ClusterCompile {
  readonly jobId: string
  readonly status: string
  readonly accuracy: CompiledAccuracy | null
}

interface Template extends TemplateName {
  readonly cluster: string
  readonly model: string | null
  readonly countedAt: Date
  readonly figures: TrafficFigures
}

/** Lists the clusters of at least `leastRows` calls, largest first. */
export async function listClusters(
  op: Operation,
  { namespace, leastRows }: { readonly namespace?: string | undefined; readonly leastRows: number },
): Promise<readonly Cluster[]> {
  const templates = await readTemplates(op, namespace)
  const clusters = Map.groupBy(templates, ({ namespace: own, cluster }) =>
    keyOf({ namespace: own, signature: cluster }),
  )
  const large = [...clusters.values()].filter(
    (members) => members.reduce((sum, { figures }) => sum + figures.calls, 0) >= leastRows,
  )
  const described = await describeClusters(op, large)
  return described
    .filter(({ rows }) => rows >= leastRows)
    .toSorted((a, b) => b.rows - a.rows || (a.signature < b.signature ? -1 : 1))
}

/**
 * Returns the clusters of a template, one in each namespace that has it; measured now where the workflow has not reached
 * its captures yet.
 */
export async function findClusters(
  op: Operation,
  { signature, namespace }: { readonly signature: string; readonly namespace?: string | undefined },
): Promise<readonly Cluster[]> {
  const known = await op.read((q) =>
    q
      .selectFrom('traffic_templates as t')
      .innerJoin('traffic_templates as m', (on) =>
        on
          .onRef('m.tenant_id', '=', 't.tenant_id')
          .onRef('m.namespace', '=', 't.namespace')
          .onRef('m.cluster', '=', 't.cluster'),
      )
      .select(['m.namespace', 'm.signature', 'm.cluster', sql<number>`m.calls + m.fresh`.as('seen')])
      .where('t.tenant_id', '=', op.tenantId)
      .where('t.signature', '=', signature)
      .$if(namespace !== undefined, (all) => all.where('t.namespace', '=', namespace ?? '')),
  )
  const members = Map.groupBy(known, (row) => row.namespace)
  const places = members.size > 0 ? [...members.keys()].toSorted() : await namespacesOf(op, signature, namespace)
  const found: (readonly Template[])[] = []
  for (const place of places) {
    const own = members.get(place) ?? [{ namespace: place, signature, cluster: signature, seen: 0 }]
    const isLarge = own.reduce((sum, { seen }) => sum + seen, 0) > MEASURED_NOW
    const templates = isLarge ? await readCluster(op, place, own[0]?.cluster ?? signature) : await measureNow(op, own)
    if (templates.length > 0) found.push(templates)
  }
  return await describeClusters(op, found)
}

/** The namespaces with captures of a template that the workflow has not reached yet. */
async function namespacesOf(op: Operation, signature: string, namespace: string | undefined): Promise<string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('captures as c')
      .select('c.namespace')
      .distinct()
      .where(isObserved(op.tenantId, op.now()))
      .where('c.template', '=', signature)
      .$if(namespace !== undefined, (all) => all.where('c.namespace', '=', namespace ?? ''))
      .orderBy('c.namespace')
      .limit(NAMESPACES),
  )
  return rows.map((row) => row.namespace)
}

async function readCluster(op: Operation, namespace: string, cluster: string): Promise<readonly Template[]> {
  const templates = await readTemplates(op, namespace)
  return templates.filter((template) => template.cluster === cluster)
}

async function measureNow(
  op: Operation,
  members: readonly (TemplateName & { readonly cluster: string })[],
): Promise<readonly Template[]> {
  const measured = await measureTemplates(op, op.tenantId, members, op.now())
  return measured.map(({ namespace, signature, model, ...figures }) => {
    return { namespace, signature, cluster: members[0]?.cluster ?? signature, model, countedAt: op.now(), figures }
  })
}

/** Namespaces that a template is looked for in. */
const NAMESPACES = 20
/** A cluster of at most so many calls is measured while a caller waits; of a larger one the stored figures are read. */
const MEASURED_NOW = 500

const FIGURES = [
  'namespace',
  'signature',
  'cluster',
  'model',
  'calls',
  'priced_calls as pricedCalls',
  'stated_calls as statedCalls',
  'cost_micros as costMicros',
  'timed_calls as timedCalls',
  'latency_us as latencyUs',
  'tried',
  'hits',
  'first_at as firstAt',
  'last_at as lastAt',
  'counted_at as countedAt',
] as const

/** Reads the templates of a tenant; of namespaces in which captures were forgotten since, measured now. */
async function readTemplates(op: Operation, namespace: string | undefined): Promise<readonly Template[]> {
  const [rows, forgotten] = await op.read((q) => [
    q
      .selectFrom('traffic_templates')
      .select(FIGURES)
      .where('tenant_id', '=', op.tenantId)
      .where('calls', '>', 0)
      .$if(namespace !== undefined, (all) => all.where('namespace', '=', namespace ?? ''))
      .orderBy('calls', 'desc')
      .orderBy('signature'),
    q
      .selectFrom('capture_certificates as f')
      .innerJoin('traffic_cursors as k', 'k.tenant_id', 'f.tenant_id')
      .select('f.namespace')
      .distinct()
      .where('f.tenant_id', '=', op.tenantId)
      .whereRef('f.forgotten_at', '>=', 'k.visited_at'),
  ])
  const stale = new Set(forgotten.map((row) => row.namespace))
  const templates = rows.map(({ namespace: own, signature, cluster, model, countedAt, ...figures }): Template => {
    return { namespace: own, signature, cluster, model, countedAt, figures }
  })
  const outdated = templates.filter(({ namespace: own }) => stale.has(own))
  if (outdated.length === 0) return templates
  const measured = await measureTemplates(op, op.tenantId, outdated, op.now())
  const fresh = new Map(measured.map((template) => [keyOf(template), template]))
  return templates.flatMap((template) => {
    if (!stale.has(template.namespace)) return [template]
    const figures = fresh.get(keyOf(template))
    return figures === undefined ? [] : [{ ...template, countedAt: op.now(), figures }]
  })
}

/** Adds up the templates of clusters, with what reviews and compiles say of them now. */
async function describeClusters(
  op: Operation,
  clusters: readonly (readonly Template[])[],
): Promise<readonly Cluster[]> {
  if (clusters.length === 0) return []
  const signatures = clusters.flatMap((members) => members.map(({ signature }) => signature))
  const [reviewed, compiles] = await op.read((q) => [
    q
      .selectFrom('captures as c')
      .select(['c.namespace', sql<string>`c.template`.as('signature'), 'c.status'])
      .select((of) => of.fn.countAll<number>().as('rows'))
      .where(isObserved(op.tenantId, op.now()))
      // Names the condition of the index over reviewed captures.
      .where('c.status', '<>', 'pending')
      .where(sql<boolean>`c.template = any(${signatures}::text[])`)
      .groupBy(['c.namespace', 'c.template', 'c.status']),
    q
      .selectFrom('cluster_compiles as k')
      .innerJoin('compile_jobs as j', 'j.id', 'k.job_id')
      .select(['k.namespace', 'k.signature', 'k.job_id as jobId', 'j.status'])
      .select([
        sql<number | null>`(j.evaluation -> 'k_score_envelope' -> 'accuracy' ->> 'value')::double precision`.as(
          'value',
        ),
        sql<number | null>`(j.evaluation -> 'k_score_envelope' -> 'accuracy' ->> 'n')::integer`.as('n'),
      ])
      .where('k.tenant_id', '=', op.tenantId)
      .where(sql<boolean>`k.signature = any(${signatures}::text[])`)
      .orderBy('k.created_at', 'desc')
      .orderBy('k.job_id'),
  ])
  const reviews = Map.groupBy(reviewed, (row) => keyOf(row))
  const compiled = Map.groupBy(compiles, (row) => keyOf(row))
  return clusters.flatMap((members) => {
    const [first] = members
    if (first === undefined) return []
    const counts = members.flatMap((template) => reviews.get(keyOf(template)) ?? [])
    const count = (...statuses: readonly string[]): number =>
      counts.filter(({ status }) => statuses.includes(status)).reduce((sum, { rows }) => sum + rows, 0)
    const figures = sumFigures(members.map((template) => template.figures))
    const [job] = members.flatMap((template) => compiled.get(keyOf(template)) ?? [])
    const largest = members.reduce((best, each) => (each.figures.calls > best.figures.calls ? each : best), first)
    return [
      {
        namespace: first.namespace,
        signature: first.cluster,
        signatures: members.map(({ signature }) => signature),
        model: largest.model,
        figures,
        rows: Math.max(0, figures.calls - count('rejected', 'quarantined')),
        approved: count('approved'),
        countedAt: members.reduce(
          (oldest, { countedAt }) => (countedAt < oldest ? countedAt : oldest),
          first.countedAt,
        ),
        compile: job === undefined ? null : compileOf(job),
      },
    ]
  })
}

function compileOf(job: {
  readonly jobId: string
  readonly status: string
  readonly value: number | null
  readonly n: number | null
}): ClusterCompile {
  const { jobId, status, value, n } = job
  const accuracy = value === null || n === null || n === 0 ? null : { jobId, accuracy: value, rows: n }
  return { jobId, status, accuracy }
}
