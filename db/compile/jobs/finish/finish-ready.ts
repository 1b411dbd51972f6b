import { sql } from 'kysely'
import type { Split } from '../../../../core/compile/rows/split/split-report.ts'
import type { RecipeKind } from '../../../../core/compile/rows/task.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import type { Json, JsonObject, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import { flagRevokedSources } from '../../artifacts/life/flag-revoked-sources.ts'
import { publishVersion } from '../../concepts/publish-version.ts'
import type { RowResultRecord } from '../../../../core/compile/artifacts/diagnosis/row-result.ts'
import { recordRowResults } from '../../row-results/record-row-results.ts'
import { recordSketch } from '../../sketches/record-sketch.ts'
import { writeDag, type StoredDag } from '../../evidence/write-dag.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import { rowInsert } from '../../../kernel/queries/typed.ts'
import { finishJob, type FinishedJob } from './finish.ts'

/** The signed archive and its facts. Its blob is already stored. */
export interface ReadyArtifact {
  readonly archiveSha256: Sha256
  readonly sizeBytes: number
  readonly cid: string
  /** CID of the version before it, as its archive names it; null where it names none. */
  readonly parentCid?: string | null
  readonly manifestHash: string
  readonly signature: string
  readonly recipeKind: RecipeKind
  /** The base model that the recipe runs on, `none` when it needs none. */
  readonly baseModel: string
  readonly evalSetHash: string | null
  readonly kScore: number
  readonly holdoutCount: number
  /** Method of scoring the rows. */
  readonly kSource: Split['mode']
  readonly manifest: JsonObject
  readonly receipt: JsonObject
  readonly signedAt: Date
}

/** Result of a successful compile. */
export interface FinishReadyInput {
  readonly jobId: string
  readonly limits: Limits
  readonly evaluation: Json
  /** Ids of the rows that the chosen recipe got wrong. */
  readonly failingRows: readonly string[]
  readonly artifact: ReadyArtifact
  readonly evidence: StoredDag
  /** The results of the scored rows. */
  readonly rows: readonly RowResultRecord[]
  /** The inputs that the recipe was fitted on: calls that are like them are routed to it. */
  readonly trainInputs: readonly Json[]
}

/**
 * Ends a job with its artifact: the artifact row, the version and its concept, the evidence graph, the results of its rows,
 * the flag of a revoked source, the settled quota, the last events and the audit row, all in one transaction and only once. A no-op when the job is final.
 */
export async function finishReady(op: Operation, input: FinishReadyInput): Promise<FinishedJob> {
  const { artifact } = input
  return await finishJob(op, { ...input, isSigned: true }, async (tx, job) => {
    const now = op.now()
    const versionId = newId('ver')
    const { conceptId } = await publishVersion(tx, {
      tenantId: op.tenantId,
      conceptId: job.conceptId,
      task: job.task,
      parentCid: artifact.parentCid ?? null,
      version: {
        id: versionId,
        jobId: job.id,
        recipeKind: artifact.recipeKind,
        kScore: artifact.kScore,
        sizeBytes: artifact.sizeBytes,
      },
      now,
    })
    tx.post(
      insertArtifact({
        id: job.id,
        tenant_id: op.tenantId,
        concept_id: conceptId,
        version_id: versionId,
        name: job.task.slice(0, 200),
        state: 'signed',
        recipe_kind: artifact.recipeKind,
        base_model: artifact.baseModel,
        archive_sha256: artifact.archiveSha256,
        size_bytes: artifact.sizeBytes,
        cid: artifact.cid,
        manifest_hash: artifact.manifestHash,
        signature: artifact.signature,
        eval_set_hash: artifact.evalSetHash,
        k_score: artifact.kScore,
        holdout_count: artifact.holdoutCount,
        manifest: JSON.stringify(artifact.manifest),
        receipt: JSON.stringify(artifact.receipt),
        evaluation: JSON.stringify(input.evaluation),
        created_at: now,
        signed_at: artifact.signedAt,
      }),
    )
    writeDag(tx, { tenantId: op.tenantId, artifactId: job.id }, input.evidence)
    recordSketch(tx, { tenantId: op.tenantId, artifactId: job.id, inputs: input.trainInputs, now })
    recordRowResults(tx, { tenantId: op.tenantId, artifactId: job.id, cid: artifact.cid }, input.rows)
    tx.post(
      showArtifact({
        jobId: job.id,
        kScore: artifact.kScore,
        evaluation: JSON.stringify(input.evaluation),
        failingRows: JSON.stringify(input.failingRows),
        conceptId,
        versionId,
        baseModel: artifact.baseModel,
      }),
    )
    await tx.flush()
    await flagRevokedSources(tx, op, { artifactId: job.id, now })
    const done: JsonObject = {
      job: job.id,
      slug: artifact.cid,
      artifact_url: `/v1/artifacts/${job.id}/download`,
      k_score: artifact.kScore,
      k_source: artifact.kSource,
      holdout_count: artifact.holdoutCount,
      artifact_class: artifact.recipeKind,
      concept_id: conceptId,
      version_id: versionId,
    }
    return {
      status: 'ready',
      events: [
        { kind: 'step.start', body: { step: 'ready', status: 'running' } },
        { kind: 'step.end', body: { step: 'ready', status: 'done' } },
        { kind: 'done', body: done },
      ],
      audit: {
        action: 'compile.completed',
        target: job.id,
        payload: {
          job_id: job.id,
          k_score: artifact.kScore,
          artifact_hash: artifact.archiveSha256,
          cid: artifact.cid,
          version_id: versionId,
        },
      },
    }
  })
}

const insertArtifact = rowInsert('artifacts', [
  'id',
  'tenant_id',
  'concept_id',
  'version_id',
  'name',
  'state',
  'recipe_kind',
  'base_model',
  'archive_sha256',
  'size_bytes',
  'cid',
  'manifest_hash',
  'signature',
  'eval_set_hash',
  'k_score',
  'holdout_count',
  'manifest',
  'receipt',
  'evaluation',
  'created_at',
  'signed_at',
])

/** The facts of an artifact that its job shows, as they are bound: documents as their texts. */
interface ShownArtifact {
  readonly jobId: string
  readonly kScore: number
  readonly evaluation: string
  readonly failingRows: string
  readonly conceptId: string
  readonly versionId: string
  readonly baseModel: string
}

const showArtifact = prepared((q, row: ShownArtifact) =>
  q
    .updateTable('compile_jobs')
    .set({
      stage: 'ready',
      progress: 100,
      k_score: row.kScore,
      evaluation: sql<Json>`${row.evaluation}`,
      failing_rows: sql<readonly string[]>`${row.failingRows}`,
      concept_id: row.conceptId,
      version_id: row.versionId,
      base_model: row.baseModel,
    })
    .where('id', '=', row.jobId),
)
