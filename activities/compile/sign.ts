import { unpackContent } from '../../core/compiler/archive/content.ts'
import { toJsonObject } from '../../core/compiler/archive/members-json.ts'
import { sealArchive } from '../../core/compiler/archive/seal.ts'
import type { StageCost } from '../../core/compiler/stages/stage-types.ts'
import { isFinal } from '../../core/compiler/task.ts'
import { DomainError } from '../../core/errors.ts'
import { putBlob } from '../../db/blobs/put-blob.ts'
import type { CompileJob } from '../../db/jobs/compile-job.ts'
import { findJobForWork } from '../../db/jobs/find-job.ts'
import { finishReady, type ReadyArtifact } from '../../db/jobs/finish-ready.ts'
import type { FinishedJob } from '../../db/jobs/finish.ts'
import { beginStage, completeStage, stageResult } from '../../db/jobs/stages.ts'
import { runActivity } from '../run-activity.ts'
import { startAdmitted } from '../start-job.ts'
import { operationOf, type CompileDeps } from './deps.ts'
import { evaluationDocument, failingRowIds } from './evaluation.ts'
import { finalJob } from './finish.ts'
import { endWhenHopeless } from './run-stage.ts'
import type { FinalJob, JobRef, SignSummary } from './results.ts'
import { loadSample, loadStageBlob, loadVerdict, plainCost } from './stage-data.ts'

/**
 * Signs the archive, stores it and ends the job with it. Safe to repeat: what is signed and when comes from the
 * recorded stages, so another attempt makes the same bytes, and the job takes its artifact once.
 */
export async function sign(deps: CompileDeps, ref: JobRef): Promise<FinalJob> {
  return await runActivity(deps.log, async () => {
    try {
      await beginStage(deps.db, { jobId: ref.jobId, stage: 'sign', now: deps.now() })
      const job = await findJobForWork(deps.db, ref.jobId)
      if (isFinal(job.status)) return finalJob(job)
      const finished = await sealAndPublish(deps, ref, job)
      await startAdmitted(deps, finished.admitted)
      return finalJob(finished.job)
    } catch (error) {
      await endWhenHopeless(deps, ref, error)
      throw error
    }
  })
}

async function sealAndPublish(deps: CompileDeps, ref: JobRef, job: CompileJob): Promise<FinishedJob> {
  const startedAt = performance.now()
  const bundled = await stageResult(deps.db, { jobId: ref.jobId, stage: 'bundle' })
  if (bundled === null) throw new DomainError('internal', 'sign ran before bundle')
  const content = await unpackContent(await loadStageBlob(deps, ref.jobId, 'bundle'))
  const sample = await loadSample(deps, ref.jobId)
  const verdict = await loadVerdict(deps, ref.jobId)
  const { kScore } = verdict
  if (kScore === null) throw new DomainError('compile_failed', 'there is no score to sign')
  const stages: readonly StageCost[] = [sample.cost, ...verdict.costs]
  const sealed = await sealArchive({
    content,
    build: {
      jobId: job.id,
      createdAt: job.createdAt,
      task: job.task,
      baseModel: job.baseModel,
      kScoreFloor: Number(job.kScoreFloor),
      kScore,
      seedProvenance: verdict.split.provenance,
      samples: verdict.samples,
      stages,
      toolchain: { node: process.version },
    },
    signer: deps.signer,
    macKey: await deps.receiptKey(job.tenantId),
    issuedAt: bundled.completedAt,
  })
  const { sha256, sizeBytes } = await putBlob(deps.db, sealed.archive)
  const summary: SignSummary = { cid: sealed.cid, archive: sha256, sizeBytes, kid: deps.signer.kid }
  await completeStage(deps.db, {
    jobId: job.id,
    stage: 'sign',
    outcome: 'done',
    result: summary,
    cost: plainCost(startedAt),
    now: deps.now(),
  })
  const artifact: ReadyArtifact = {
    archiveSha256: sha256,
    sizeBytes,
    cid: sealed.cid,
    manifestHash: sealed.manifestHash,
    signature: sealed.signature,
    recipeKind: content.recipe.kind,
    evalSetHash: sealed.evalSetHash,
    kScore: kScore.composite,
    holdoutCount: kScore.n,
    kSource: verdict.split.mode,
    manifest: toJsonObject(sealed.manifest),
    receipt: toJsonObject(sealed.receipt),
    signedAt: bundled.completedAt,
  }
  return await finishReady(operationOf(deps, ref), {
    jobId: job.id,
    limits: deps.limits,
    evaluation: evaluationDocument(verdict),
    failingRows: failingRowIds(verdict),
    artifact,
    evidence: sealed.evidence,
  })
}
