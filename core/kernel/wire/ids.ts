import { z } from 'zod'
import type { IdPrefix } from '../ids.ts'

const BODY = '[0-9a-hjkmnp-tv-z]{26}'

/** An id of one kind. In a path anything else is an unknown id, and answers 404 as one. */
export function idOf(prefix: IdPrefix, description: string) {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_${BODY}$`), { error: `is not an id of the form ${prefix}_…` })
    .meta({
      description,
      example: `${prefix}_0123456789abcdefghjkmnpqrs`,
    })
}

/** The id of something of the caller's that a body names: one that cannot exist is as unknown as one that does not. */
function knownId(prefix: IdPrefix, what: string) {
  const form = new RegExp(`^${prefix}_${BODY}$`)
  return z
    .string()
    .refine((text) => form.test(text), { error: `no such ${what}`, params: { code: 'not_found' } })
    .meta({ override: { type: 'string', pattern: form.source }, example: `${prefix}_0123456789abcdefghjkmnpqrs` })
}

export const GivenConceptId = knownId('cpt', 'concept')
export const GivenVersionId = knownId('ver', 'version')
export const GivenArtifactId = knownId('cmp', 'artifact')
export const ExportId = idOf('exp', 'Id of an export')
export const DocumentId = idOf('doc', 'Id of a document')
export const DocumentIndexId = idOf('idx', 'Id of a call that indexes documents')
export const EvaluationId = idOf('evl', 'Id of an evaluation')
export const GivenEvaluationId = knownId('evl', 'evaluation')
export const BenchPackId = idOf('bpk', 'Id of a pack of a benchmark')
export const GivenBenchPackId = knownId('bpk', 'pack')
export const GateId = idOf('gat', 'Id of a gate')
export const PoolId = idOf('pol', 'Id of a pool')
export const CloudJobId = idOf('cdj', 'Id of a cloud job')
export const BakeoffId = idOf('bko', 'Id of a bake-off')
export const BatchId = idOf('bat', 'Id of a batch of runs')
export const GivenBatchId = knownId('bat', 'batch')
export const DatasetId = idOf('ds', 'Id of a dataset')
export const GivenDatasetId = knownId('ds', 'dataset')
export const JobId = idOf('cmp', 'Id of a compile job')
export const ConceptId = idOf('cpt', 'Id of a concept')
export const VersionId = idOf('ver', 'Id of a version of a concept')
export const ArtifactId = idOf('cmp', "Id of an artifact, which is its job's id")
export const TenantId = idOf('ten', 'Id of a tenant, which is an organisation')
/** The id of a team. */
export const TeamId = idOf('team', 'Id of a team')
export const MemberId = idOf('mbr', 'Id of a member of the organisation')
export const InvitationId = idOf('ivt', 'Id of an invitation')
