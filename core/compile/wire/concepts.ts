import { z } from 'zod'
import { Figure } from '../../kernel/wire/figure.ts'
import { ConceptId, JobId, VersionId } from '../../kernel/wire/ids.ts'
import { RECIPE_KINDS } from '../rows/task.ts'
import { NextCursor } from '../../kernel/wire/page.ts'

const Visibility = z.enum(['tenant', 'team', 'public'])

const ConceptView = z
  .object({
    id: ConceptId,
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    visibility: Visibility,
    head_version: VersionId.nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Concept' })

const VersionView = z
  .object({
    id: VersionId,
    concept_id: ConceptId,
    version: z.int(),
    semver: z.string(),
    recipe_kind: z.enum(RECIPE_KINDS),
    k_score: z.number(),
    size_bytes: z.int(),
    job_id: JobId,
    artifact_id: JobId,
    parent_version_id: VersionId.nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Version' })

/** Answer of `GET /v1/concepts`. */
export const ListConceptsAnswer = z.object({
  concepts: z.array(ConceptView.extend({ versions: z.int() })),
  next_cursor: NextCursor,
})

/** Answer of `GET /v1/concepts/{id}`. */
export const GetConceptAnswer = ConceptView.extend({ versions: z.array(VersionView) })

/** Answer of `DELETE /v1/concepts/{id}`. */
export const DeleteConceptAnswer = z.object({ deleted: z.int() })

/** Answer of `GET /v1/concepts/{id}/lineage`. */
export const GetLineageAnswer = z.object({
  concept_id: ConceptId,
  head_version: VersionId.nullable(),
  upstream: z.array(
    z.object({
      version_id: VersionId,
      parent_version_id: VersionId.nullable(),
      compiled_from_job: JobId,
      dataset_hash: z.string(),
      base_model: z.string(),
    }),
  ),
  downstream: z.array(
    z.object({ version_id: VersionId, artifact_id: JobId, cid: z.string(), created_at: z.iso.datetime() }),
  ),
})

const Microseconds = z.number().nullable().meta({ description: 'Microseconds; null without measured calls' })

/** Answer of `GET /v1/concepts/{id}/stats`. */
export const GetStatsAnswer = z.object({
  concept_id: ConceptId,
  name: z.string(),
  versions: z.int(),
  invocations: z.int(),
  cache_hit_rate: z.number(),
  error_rate: z.number(),
  latency_us: z.object({ p50: Microseconds, p95: Microseconds, p99: Microseconds, avg: Microseconds }),
  tokens: z
    .object({
      prompt: z.int(),
      new: z.int(),
      per_second: z.number().meta({ description: "New tokens per second of the answers' own time" }),
    })
    .nullable()
    .meta({ description: 'Token use of its adapters; null without generated answers' }),
  last_invoked_at: z.iso.datetime().nullable(),
  figures: z
    .object({ cache_hit_rate: Figure, error_rate: Figure })
    .optional()
    .meta({ description: 'On how many calls the rates were measured; without calls they were not, and are 0' }),
})
