import { unpackContent } from '../../../../core/compile/archive/members/content.ts'
import { sealArchive } from '../../../../core/compile/archive/seal.ts'
import { compilerDigest } from '../../../../core/compile/archive/recompute/compiler-digest.ts'
import { isFinal } from '../../../../core/compile/task.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { rankingDigest } from '../../../../core/compile/synthesis/ranking/ranking-digest.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { putBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { finishReady } from '../../../../db/compile/jobs/finish/finish-ready.ts'
import type { FinishedJob } from '../../../../db/compile/jobs/finish/finish.ts'
import { beginStage, completeStage, stageResult } from '../../../../db/compile/jobs/stages/stages.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../../kernel/run-activity.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import { evaluationDocument, failingRowIds } from './evaluation.ts'
import { finalJob } from '../finish.ts'
import { readyArtifact } from './ready-artifact.ts'
import { endWhenHopeless } from '../run-stage.ts'
import type { FinalJob, JobRef, SignSummary } from '../results.ts'
import { loadSampleCost, loadStageBlob, loadVerdict, plainCost } from '../stage-data.ts'

/**
 * Signs the archive, stores it and ends the job with it. Safe to repeat: the first recorded archive is published,
 * whatever keys or Node version a later attempt has, and the job gets one artifact.
 */
export async function sign(deps: CompileDeps, ref: JobRef): Promise<FinalJob> {
  return await runActivity(
    deps.log,
    async () => {
      try {
        const { result } = await beginStage(operationOf(deps, ref), {
          jobId: ref.jobId,
          stage: 'sign',
          now: deps.now(),
        })
        const job = await findJob(operationOf(deps, ref), ref.jobId)
        if (isFinal(job.status)) return finalJob(job)
        if (result === null) await sealAndRecord(deps, ref, job)
        const finished = await publishRecorded(deps, ref)
        return finalJob(finished.job)
      } catch (error) {
        await endWhenHopeless(deps, ref, error)
        throw error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

/** Seals an archive and records it; of two concurrent attempts the first record stands. */
async function sealAndRecord(deps: CompileDeps, ref: JobRef, job: CompileJob): Promise<void> {
  const startedAt = performance.now()
  const bundled = await stageResult(operationOf(deps, ref), { jobId: job.id, stage: 'bundle' })
  if (bundled === null) throw KERNEL_ERRORS.internal('sign ran before bundle')
  const content = await unpackContent(await loadStageBlob(deps, ref, 'bundle'))
  const verdict = await loadVerdict(deps, ref)
  if (verdict.kScore === null) throw COMPILE_ERRORS.compile_failed('there is no score to sign')
  const sealed = await sealArchive({
    content,
    build: {
      jobId: job.id,
      createdAt: job.createdAt,
      task: job.task,
      training: verdict.chosen?.kind === 'lora' ? (verdict.adapter?.members ?? null) : null,
      kScoreFloor: Number(job.kScoreFloor),
      kScore: verdict.kScore,
      seedProvenance: verdict.split.provenance,
      samples: verdict.samples,
      teacher: verdict.teacher,
      stages: [await loadSampleCost(deps, ref), ...verdict.costs],
      sampling: verdict.sampling ?? null,
      toolchain: { node: process.version, ranking: rankingDigest(), compiler: compilerDigest() },
    },
    signer: deps.signer,
    macKey: await deps.receiptKey(job.tenantId),
    issuedAt: bundled.completedAt,
  })
  const { sha256, sizeBytes } = await putBlob(deps.db, sealed.archive)
  const result: SignSummary = { cid: sealed.cid, archive: sha256, sizeBytes, kid: deps.signer.kid }
  await completeStage(operationOf(deps, ref), {
    jobId: job.id,
    stage: 'sign',
    outcome: 'done',
    result,
    // Keeps the archive from being collected until the artifact refers to it.
    blobSha256: sha256,
    cost: plainCost(startedAt),
    events: [
      { kind: 'log', body: { step: 'sign', code: 'sealed', message: 'the archive is sealed', archive: sha256 } },
    ],
    now: deps.now(),
  })
}

/** Ends the job with the recorded archive: the rows beside it are read out of its own bytes. */
async function publishRecorded(deps: CompileDeps, ref: JobRef): Promise<FinishedJob> {
  const archive = await loadStageBlob(deps, ref, 'sign')
  const verdict = await loadVerdict(deps, ref)
  return await finishReady(operationOf(deps, ref), {
    jobId: ref.jobId,
    limits: deps.limits,
    evaluation: evaluationDocument(verdict),
    failingRows: failingRowIds(verdict),
    ...(await readyArtifact(archive, verdict)),
  })
}
