import { READY_ROWS } from '../../../core/learn/traffic/cluster.ts'
import { ListSuggestionsAnswer, ListSuggestionsQuery, type Suggestion } from '../../../core/learn/wire/bridges.ts'
import { listClusters, type Cluster } from '../../../db/learn/traffic/list-clusters.ts'
import { showExamples, type ShownExample } from '../../../db/learn/traffic/read-examples.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { presentSaving } from './present-saving.ts'

/** Characters of a preview. */
const PREVIEW_CHARS = 240
const MICROS = 1e6

export const listSuggestionsRoute = defineRoute({
  method: 'get',
  path: '/v1/bridges/suggestions',
  operationId: 'listSuggestions',
  group: 'bridges',
  summary: 'List clusters of calls that a recipe could answer',
  description:
    'Clusters of at least four calls of one template, or of templates that are alike, over the last 30 days, largest first. The workflow `observe-traffic` counts them each minute. The saving of a month has its formula and every figure in it beside it, and is null where no cost is known. Discarded and forgotten captures are in no cluster.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read'],
  namespace: 'bounded',
  query: ListSuggestionsQuery,
  answers: { 200: envelope('The largest clusters', ListSuggestionsAnswer) },
  errors: ['forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
  })
  .handle(async ({ op, query: { namespace, limit } }) => {
    const clusters = await listClusters(op, { namespace, leastRows: READY_ROWS })
    const shown = clusters.slice(0, limit)
    const examples = await showExamples(op, shown)
    const suggestions = shown.map((cluster, i) => presentCluster(cluster, examples[i] ?? [], op.now()))
    return { status: 200, body: { suggestions, total: clusters.length } }
  })

function presentCluster(cluster: Cluster, examples: readonly ShownExample[], now: Date): Suggestion {
  const { figures, signature, compile } = cluster
  const { pricedCalls, costMicros, timedCalls, latencyUs } = figures
  const latencyMs = latencyUs / 1000
  return {
    template_hash: signature,
    template_hashes: [...cluster.signatures],
    namespace: cluster.namespace,
    template_preview: (examples[0]?.instructions || examples[0]?.input || '').slice(0, PREVIEW_CHARS).toWellFormed(),
    model: cluster.model,
    count: cluster.rows,
    total_cost_usd: pricedCalls === 0 ? null : costMicros / MICROS,
    total_latency_ms: timedCalls === 0 ? null : latencyMs,
    avg_latency_ms: timedCalls === 0 ? null : latencyMs / timedCalls,
    examples: examples.map(({ captureId, input, expected }) => ({ capture_id: captureId, input, expected })),
    ...presentSaving(cluster, now),
    compile: compile === null ? null : { job_id: compile.jobId, status: compile.status },
    counted_at: cluster.countedAt.toISOString(),
    synthesize_url: '/v1/bridges/auto-synthesize',
  }
}
