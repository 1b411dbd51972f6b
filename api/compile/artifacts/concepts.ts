import { z } from 'zod'
import { deleteConcept } from '../../../db/compile/concepts/delete-concept.ts'
import { findConcept } from '../../../db/compile/concepts/find-concept.ts'
import { conceptLineage } from '../../../db/compile/concepts/lineage.ts'
import { listConcepts } from '../../../db/compile/concepts/list-concepts.ts'
import { conceptStats } from '../../../db/compile/invocations/concept-stats.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { measured } from '../../../core/kernel/wire/figure.ts'
import { ConceptId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import {
  DeleteConceptAnswer,
  GetConceptAnswer,
  GetLineageAnswer,
  GetStatsAnswer,
  ListConceptsAnswer,
} from '../../../core/compile/wire/concepts.ts'
import { defineRoute } from '../services.ts'

const params = z.object({ id: ConceptId })

export const listConceptsRoute = defineRoute({
  method: 'get',
  path: '/v1/concepts',
  operationId: 'listConcepts',
  group: 'concepts',
  summary: 'List the concepts of the tenant, last changed first',
  auth: 'key',
  scope: 'concepts:read',
  namespace: 'bounded',
  query: (limits) => pageOf(50)(limits).extend({ tag: z.string().max(32).optional() }),
  answers: {
    200: envelope('One page', ListConceptsAnswer),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const page = await listConcepts(op, query)
  return {
    status: 200,
    body: {
      concepts: page.items.map((concept) => ({
        id: concept.id,
        name: concept.name,
        description: concept.description,
        tags: [...concept.tags],
        visibility: concept.visibility,
        versions: concept.versions,
        head_version: concept.headVersionId,
        created_at: concept.createdAt.toISOString(),
        updated_at: concept.updatedAt.toISOString(),
      })),
      next_cursor: page.nextCursor,
    },
  }
})

export const getConceptRoute = defineRoute({
  method: 'get',
  path: '/v1/concepts/{id}',
  operationId: 'getConcept',
  group: 'concepts',
  summary: 'Show a concept with its versions',
  auth: 'key',
  scope: 'concepts:read',
  namespace: 'bounded',
  params,
  answers: { 200: envelope('Newest version first', GetConceptAnswer) },
}).handle(async ({ op, params: { id } }) => {
  const { concept, versions } = await findConcept(op, id)
  return {
    status: 200,
    body: {
      id: concept.id,
      name: concept.name,
      description: concept.description,
      tags: [...concept.tags],
      visibility: concept.visibility,
      head_version: concept.headVersionId ?? null,
      created_at: concept.createdAt.toISOString(),
      updated_at: concept.updatedAt.toISOString(),
      versions: versions.map((version) => ({
        id: version.id,
        concept_id: version.conceptId,
        version: version.number,
        semver: version.semver,
        recipe_kind: version.recipeKind,
        k_score: version.kScore,
        size_bytes: version.sizeBytes,
        job_id: version.jobId,
        artifact_id: version.jobId,
        parent_version_id: version.parentVersionId ?? null,
        created_at: version.createdAt.toISOString(),
      })),
    },
  }
})

export const deleteConceptRoute = defineRoute({
  method: 'delete',
  path: '/v1/concepts/{id}',
  operationId: 'deleteConcept',
  group: 'concepts',
  summary: 'Delete a concept and its versions',
  description:
    'The concept and its versions stop running immediately, on every process. Issued artifacts stay and can still be verified. A running compile for the concept continues and creates a new concept; cancel it to end it.',
  auth: 'key',
  scope: 'concepts:write',
  namespace: 'bounded',
  params,
  answers: { 200: envelope('How many concepts and versions it was', DeleteConceptAnswer) },
}).handle(async ({ op, params: { id } }) => {
  const { deleted } = await deleteConcept(op, { conceptId: id })
  return { status: 200, body: { deleted } }
})

export const getLineageRoute = defineRoute({
  method: 'get',
  path: '/v1/concepts/{id}/lineage',
  operationId: 'getLineage',
  group: 'concepts',
  summary: 'Show the origin and the versions of a concept',
  auth: 'key',
  scope: 'concepts:read',
  namespace: 'bounded',
  params,
  answers: {
    200: envelope('Newest version first', GetLineageAnswer),
  },
}).handle(async ({ op, params: { id } }) => {
  const lineage = await conceptLineage(op, id)
  return {
    status: 200,
    body: {
      concept_id: lineage.conceptId,
      head_version: lineage.headVersionId,
      upstream: lineage.upstream.map((link) => ({
        version_id: link.versionId,
        parent_version_id: link.parentVersionId,
        compiled_from_job: link.jobId,
        dataset_hash: link.datasetHash,
        base_model: link.baseModel,
      })),
      downstream: lineage.downstream.map((link) => ({
        version_id: link.versionId,
        artifact_id: link.artifactId,
        cid: link.cid,
        created_at: link.createdAt.toISOString(),
      })),
    },
  }
})

export const getStatsRoute = defineRoute({
  method: 'get',
  path: '/v1/concepts/{id}/stats',
  operationId: 'getStats',
  group: 'concepts',
  summary: 'Show the use of a concept',
  description:
    'Over all versions and all time. Percentiles cover calls without a cache hit. At most a few seconds old.',
  auth: 'key',
  scope: 'concepts:read',
  namespace: 'bounded',
  params,
  answers: {
    200: envelope('Counts, rates and latencies', GetStatsAnswer),
  },
}).handle(async ({ op, services, params: { id } }) => {
  // What this process counted since the last write belongs to the answer.
  await services.invocations.flush()
  const stats = await conceptStats(op, id)
  return {
    status: 200,
    body: {
      concept_id: stats.conceptId,
      name: stats.name,
      versions: stats.versions,
      invocations: stats.invocations,
      figures: {
        cache_hit_rate: measured(stats.cacheHitRate, stats.invocations, 'calls that were answered from the cache'),
        error_rate: measured(stats.errorRate, stats.invocations, 'calls that failed'),
      },
      cache_hit_rate: stats.cacheHitRate,
      error_rate: stats.errorRate,
      latency_us: {
        p50: stats.latencyUs.p50,
        p95: stats.latencyUs.p95,
        p99: stats.latencyUs.p99,
        avg: stats.latencyUs.avg,
      },
      tokens: stats.tokens && {
        prompt: stats.tokens.prompt,
        new: stats.tokens.new,
        per_second: stats.tokens.perSecond,
      },
      last_invoked_at: stats.lastInvokedAt?.toISOString() ?? null,
    },
  }
})
