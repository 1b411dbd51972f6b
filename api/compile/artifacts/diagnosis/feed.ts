import { captureExample } from '../../../../core/gateway/captures/learning/capture-example.ts'
import { GAP_BOUNDS, gapsOf, type Gap } from '../../../../core/compile/artifacts/diagnosis/gaps.ts'
import type { MatchInput } from '../../../../core/compile/artifacts/diagnosis/thread/diagnosis-task.ts'
import { FeedAnswer, FeedBody } from '../../../../core/compile/wire/artifacts/diagnosis.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { newestOfNamespace } from '../../../../db/compile/artifacts/newest-of-namespace.ts'
import { streamCaptures } from '../../../../db/gateway/captures/stream-captures.ts'
import { feedGaps } from '../../../../db/gateway/review-gaps/feed-gaps.ts'
import { hasCaptures } from '../../../../db/gateway/review-gaps/has-captures.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { requireAccess } from '../../../gateway/captures/access.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute, type CompileServices } from '../../services.ts'
import { findModes } from './find-modes.ts'

/** Artifacts of a namespace that are looked at, the newest of each concept. */
const MOST_ARTIFACTS = 5
/** Pending captures that are looked through. */
const MOST_CAPTURES = 2000
const DAY_MS = 86_400_000

type FoundGap = Gap & { readonly artifactId: string }

export const feedActiveLearningRoute = defineRoute({
  method: 'post',
  path: '/v1/failure-modes/feed-active-learning',
  operationId: 'feedActiveLearning',
  group: 'artifacts',
  summary: 'Queue captures for review where artifacts fail',
  description:
    'Ranks the failure modes of the newest artifacts of a namespace as gaps and puts them into the review queue with the pending captures of the last 30 days that lie in them (`GET /v1/captures/list?gap=`). A gap is queued once per namespace and day. Reviewing these captures, with `fixed_output` where the answer is wrong, gives the next compile the rows that the artifact lacks.',
  auth: 'key',
  scope: 'capture:write',
  namespace: 'bounded',
  stores: 'bounded',
  body: FeedBody,
  answers: { 200: envelope('The gaps', FeedAnswer) },
  errors: ['no_captures', 'forbidden', 'busy'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'capture:write', body.namespace)
    await requireAccess({ op, principal }, 'capture:read', body.namespace)
  })
  .handle(async ({ op, services, body: { namespace, top_k: most } }) => {
    const gaps = (await findGaps(op, services, namespace)).slice(0, most)
    if (gaps.length === 0 && !(await hasCaptures(op, namespace))) {
      throw COMPILE_ERRORS.no_captures('namespace: nothing was captured under this name')
    }
    const matches = await matchingCaptures(op, services, namespace, gaps)
    const queued = gaps.map((gap, i) => ({ ...gap, captureIds: (matches[i] ?? []).slice(-gap.recommended) }))
    const fresh = await feedGaps(op, namespace, queued)
    return {
      status: 200,
      body: {
        namespace,
        fed_count: fresh.size,
        attempted: gaps.length,
        gaps: queued.map((gap) => ({
          cluster_id: gap.clusterId,
          title: gap.title,
          artifact_id: gap.artifactId,
          gap_score: gap.score,
          recommended_count: gap.recommended,
          source_kscore_delta: gap.delta,
          source_sample_count: gap.samples,
          capture_ids: gap.captureIds,
          is_new: fresh.has(gap.clusterId),
        })),
        threshold: {
          min_delta: GAP_BOUNDS.minDelta,
          window_days: GAP_BOUNDS.windowDays,
          min_samples: GAP_BOUNDS.minSamples,
          top_k: most,
        },
      },
    }
  })

/** Returns the gaps of a namespace's artifacts, the largest first, each once. */
async function findGaps(op: Operation, services: CompileServices, namespace: string): Promise<readonly FoundGap[]> {
  const gaps = new Map<string, FoundGap>()
  for (const artifact of await newestOfNamespace(op, namespace, MOST_ARTIFACTS)) {
    const modes = await findModes(op, services, artifact).catch(withoutResults)
    if (modes === null) continue
    for (const gap of gapsOf(modes.found, modes.score)) {
      const known = gaps.get(gap.clusterId)
      if (known === undefined || known.score < gap.score) gaps.set(gap.clusterId, { ...gap, artifactId: artifact.id })
    }
  }
  return [...gaps.values()].toSorted((a, b) => b.score - a.score)
}

/** An artifact without results has no gaps. */
function withoutResults(error: unknown): null {
  if (error instanceof DomainError && error.code === 'no_row_results') return null
  throw error
}

/** Returns for each gap the ids of the pending captures that lie in it, oldest first. */
async function matchingCaptures(
  op: Operation,
  { diagnosis, limits }: CompileServices,
  namespace: string,
  gaps: readonly Gap[],
): Promise<readonly (readonly string[])[]> {
  if (gaps.length === 0) return []
  const bounds = { exampleBytes: limits.example_bytes, jsonDepth: limits.json_depth }
  const from = new Date(op.now().getTime() - GAP_BOUNDS.windowDays * DAY_MS)
  const pairs: MatchInput['pairs'][number][] = []
  for await (const captures of streamCaptures(op, { namespace, statuses: ['pending'], from }, { withBodies: true })) {
    for (const capture of captures) {
      const example = captureExample(capture, bounds)
      if (!('skipped' in example)) pairs.push({ id: capture.id, ...example })
    }
    if (pairs.length >= MOST_CAPTURES) break
  }
  return await diagnosis.match(op.tenantId, { conditions: gaps.map(({ conditions }) => conditions), pairs })
}
