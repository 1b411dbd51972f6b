import { z } from 'zod'
import { ArtifactId, ConceptId, GivenArtifactId, VersionId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { EDGE_CAUSES, EDGE_TYPES, NODE_TYPES } from '../../artifacts/lineage/dependency-graph.ts'
import { LIFE_STATES } from '../../artifacts/life/states.ts'
import { CidField } from './diagnosis.ts'

/** Ids of changed things in a request. */
const MOST_CHANGED = 100
/** Characters of an id of a piece of evidence. */
const ID_CHARS = 256
/** Ancestors of an artifact in an answer. */
const MOST_ANCESTORS = 100
/** CIDs in a request. */
const MOST_CIDS = 100

/** Artifacts whose nodes a graph shows. */
export const MOST_SHOWN = 200
/** Verdicts of gates that a graph shows. */
export const MOST_VERDICTS = 200
/** Artifacts that a blast radius names. */
export const MOST_AFFECTED = 10_000

/** Body of `POST /v1/artifacts/dependency-graph`. */
export const DependencyGraphBody = z
  .object({
    artifact_id: GivenArtifactId.optional().meta({
      description: 'Show what this artifact rests on and what rests on it; without it, all artifacts',
    }),
    changed: z.array(z.string().min(1).max(ID_CHARS)).max(MOST_CHANGED).default([]).meta({
      description:
        'Artifacts (by id, version or CID), captures, forgotten ones too, distillations (`run_…`), datasets (`ds_…`, `ds_…/v3`), gates or other nodes of the graph, whose blast radius is asked for',
    }),
  })
  .meta({ id: 'DependencyGraphRequest', example: { changed: [] } })

const GraphNode = z
  .object({
    id: z.string().meta({
      description:
        'An artifact, a job, a distillation, a capture or a gate by its id; a version of a dataset as `ds_…/v3`; evidence as its compile named it',
    }),
    type: z.enum(NODE_TYPES),
    label: z.string(),
    facts: z.record(z.string(), JsonValue).meta({ description: 'Digests, counts and names; no row, no secret' }),
  })
  .meta({ id: 'DependencyNode' })

const GraphEdge = z
  .object({
    from: z.string().meta({ description: 'The dependent' }),
    to: z.string().meta({ description: 'What it rests on' }),
    type: z.enum(EDGE_TYPES),
    via: z.enum(EDGE_CAUSES).optional().meta({
      description:
        'Between artifacts: a later version, the same examples compiled again, or a distillation, which continued its student and asked its teacher. Of a gate: the side that the artifact was',
    }),
  })
  .meta({ id: 'DependencyEdge' })

/** Answer of `POST /v1/artifacts/dependency-graph`. */
export const DependencyGraphAnswer = z.object({
  spec: z.literal('svc-artifact-dependency-graph/1'),
  artifact_id: ArtifactId.nullable(),
  nodes: z.array(GraphNode),
  edges: z.array(GraphEdge),
  counts: z.object({
    nodes: z.int(),
    edges: z.int(),
    artifacts: z.int().meta({ description: 'Artifacts that are shown' }),
    all_artifacts: z.int().meta({ description: 'Artifacts of the account' }),
  }),
  truncated: z
    .boolean()
    .meta({ description: `True when there are more than the ${MOST_SHOWN} artifacts that are shown` }),
  secret_values_included: z.literal(false),
  blast_radius: z.object({
    changed: z.array(z.string()),
    affected_artifacts: z.array(ArtifactId).meta({
      description: `Artifacts whose evidence names a changed node or capture, and all that are built on them, ${MOST_AFFECTED} at most`,
    }),
    affected_nodes: z.array(z.string()).meta({
      description:
        'Evidence of the shown artifacts that rests on a changed node or capture, and gates on changed or affected artifacts',
    }),
    truncated: z.boolean(),
  }),
})

/** Body of `POST /v1/artifact/lineage`. */
export const LineageBody = z
  .object({
    cid: CidField,
    max_depth: z.int().min(1).max(MOST_ANCESTORS).default(10).meta({ description: 'Most ancestors' }),
  })
  .meta({ id: 'LineageRequest', example: { cid: `cidv1:sha256:${'0'.repeat(64)}` } })

const LineageLink = z
  .object({
    cid: z.string(),
    parent_cid: z.string().nullable().meta({ description: 'CID of the version before it; null for a first version' }),
    artifact_id: ArtifactId,
    version_id: VersionId,
    semver: z.string(),
    state: z.enum(LIFE_STATES),
    k_score: z.number(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'LineageLink' })

/** Answer of `POST /v1/artifact/lineage`. */
export const LineageAnswer = z.object({
  cid: z.string(),
  chain: z.array(LineageLink).meta({ description: 'The artifact, then the versions before it, newest first' }),
  depth: z.int().meta({ description: 'Ancestors in the chain' }),
  truncated: z.boolean().meta({ description: 'True when there are more ancestors than `max_depth`' }),
})

/** Body of `POST /v1/cid`. */
export const CidBody = z
  .object({
    hashes: JsonValue.optional().meta({ description: 'Digests of content members by name: their CID is computed' }),
    cid: CidField.optional().meta({ description: 'A CID to look up; with `hashes`, also to compare with theirs' }),
    cids: z.array(CidField).min(1).max(MOST_CIDS).optional().meta({ description: 'CIDs to look up together' }),
  })
  .refine((body) => body.hashes !== undefined || body.cid !== undefined || body.cids !== undefined, {
    path: ['cid'],
    error: 'is required: give cid, cids or hashes',
  })
  .meta({
    id: 'CidRequest',
    override: { anyOf: [{ required: ['cid'] }, { required: ['cids'] }, { required: ['hashes'] }] },
    example: { cid: `cidv1:sha256:${'0'.repeat(64)}` },
  })

const ResolvedCid = z
  .object({
    cid: z.string(),
    n: z.int(),
    artifacts: z
      .array(
        z.object({
          id: ArtifactId,
          concept_id: ConceptId,
          version_id: VersionId,
          name: z.string(),
          status: z.enum(LIFE_STATES),
          k_score: z.number(),
          signed_at: z.iso.datetime(),
        }),
      )
      .meta({ description: 'Newest first' }),
  })
  .meta({ id: 'ResolvedCid' })

/** Answer of `POST /v1/cid`. */
export const CidAnswer = z.object({
  cid: z.string().nullable().meta({ description: 'The computed CID, else the given one; null for a list' }),
  matches: z.boolean().nullable().meta({ description: 'Whether the hashes give the CID; null unless both were given' }),
  resolved: z.array(ResolvedCid).meta({ description: 'CIDs of artifacts of the account' }),
  unknown: z.array(z.string()).meta({ description: 'CIDs that no artifact of the account has' }),
})
