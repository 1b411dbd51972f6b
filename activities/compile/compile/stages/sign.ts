import { usedDatasetOf } from '../../../../core/compile/wire/jobs/dataset.ts'
import { sealArchive } from '../../../../core/compile/archive/seal.ts'
import { compilerDigest } from '../../../../core/compile/archive/recompute/compiler-digest.ts'
import type { Acceptance } from '../../../../core/compile/archive/schemas/acceptance.ts'
import { isFinal } from '../../../../core/compile/rows/task.ts'
import type { Selection } from '../../../../core/compile/rows/intake/example.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { listedUnlabelled } from '../../../../core/compile/stages/judge/verdict.ts'
import { rankingDigest } from '../../../../core/compile/synthesis/ranking/ranking-digest.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { prepareBlob } from '../../../../db/kernel/blobs/put-blob.ts'
import { findAcceptance } from '../../../../db/compile/progress/acceptances/find-acceptance.ts'
import { findHeadCid } from '../../../../db/compile/concepts/head-cid.ts'
import { finishReady } from '../../../../db/compile/jobs/finish/finish-ready.ts'
import { scoredRows } from '../../../../db/compile/row-results/scored-rows.ts'
import type { FinishedJob } from '../../../../db/compile/jobs/finish/finish.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import { evaluationDocument, failingRowIds } from './evaluation.ts'
import { finalJob } from '../finish.ts'
import { capturesOf } from './captures.ts'
import { readyArtifact } from './ready-artifact.ts'
import { doStage, runStages, type StageWork } from '../run-stage.ts'
import { SignSummary, type FinalJob, type JobRef } from '../results.ts'
import { plainCost, sampleCostOf } from '../stage-data.ts'

/** The stage `sign` as an activity of its own, for runs that began before `buildArtifact` existed. */
export async function sign(deps: CompileDeps, ref: JobRef): Promise<FinalJob> {
  return await runStages(deps, ref, signStage)
}

/**
 * Signs the archive, stores it and ends the job with it. Safe to repeat: the first recorded archive is published,
 * whatever keys or Node version a later attempt has, and the job gets one artifact.
 */
export async function signStage(work: StageWork): Promise<FinalJob> {
  await sealAndRecord(work)
  const finished = await publishRecorded(work)
  return finalJob(finished.job)
}

/** Seals an archive and records it; of two concurrent attempts the first record stands. */
async function sealAndRecord(work: StageWork): Promise<void> {
  const { deps, data } = work
  await doStage(work, 'sign', SignSummary, async (job) => {
    const startedAt = performance.now()
    const bundled = await data.record('bundle')
    if (bundled === null) throw KERNEL_ERRORS.internal('sign ran before bundle')
    const content = await data.content()
    const verdict = await data.verdict()
    const accepted = isFinal(job.status) ? await acceptedFacts(work) : null
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
        accepted,
        seedProvenance: verdict.split.provenance,
        parentCid: await findHeadCid(operationOf(deps, work.ref), job.conceptId ?? null),
        captures: await capturesOf(operationOf(deps, work.ref), job),
        dataset: usedDatasetOf(job.spec),
        undecided: verdict.undecided,
        unlabelledInputs: listedUnlabelled(verdict),
        samples: verdict.samples,
        teacher: verdict.teacher,
        stages: [sampleCostOf(await data.record('k-sample')), ...verdict.costs],
        sampling: verdict.sampling ?? null,
        toolchain: { node: process.version, ranking: rankingDigest(), compiler: compilerDigest() },
      },
      signer: deps.signer,
      macKey: await deps.receiptKey(job.tenantId),
      issuedAt: signingTime(bundled.completedAt, accepted),
    })
    const archive = await prepareBlob(deps.db, sealed.archive)
    const { sha256, sizeBytes } = archive
    const { archive: unpacked, content: read } = sealed.opened
    data.keepOutput('sign', sha256, { ...unpacked, bytes: sealed.archive, evals: read.evals })
    return {
      outcome: 'done',
      result: { cid: sealed.cid, archive: sha256, sizeBytes, kid: deps.signer.kid },
      // Keeps the archive from being collected until the artifact refers to it.
      blobSha256: sha256,
      blobs: [archive],
      cost: plainCost(startedAt),
      events: [
        { kind: 'log', body: { step: 'sign', code: 'sealed', message: 'the archive is sealed', archive: sha256 } },
      ],
    }
  })
}

/** Returns the acceptance of a job below its floor, as the archive states it; null for a job that reaches it. */
async function acceptedFacts({ deps, ref }: StageWork): Promise<Acceptance | null> {
  const accepted = await findAcceptance(operationOf(deps, ref), ref.jobId)
  if (accepted === null) return null
  const { acceptedBy: by, acceptedAt: at, kScore, kScoreFloor } = accepted
  return { by, at: at.toISOString(), k_score: kScore, k_score_floor: kScoreFloor }
}

/** Returns the later of two times: the clock of the API, which accepted, may be ahead of the worker's. */
function signingTime(bundledAt: Date, accepted: Acceptance | null): Date {
  return new Date(Math.max(bundledAt.getTime(), accepted === null ? 0 : Date.parse(accepted.at)))
}

/** Ends the job with the recorded archive: the rows beside it are read out of its own bytes. */
async function publishRecorded(work: StageWork): Promise<FinishedJob> {
  const { deps, ref, data } = work
  const job = await data.job()
  const verdict = await data.verdict()
  const { accepted, evals, ...ready } = readyArtifact(await data.archive(), verdict)
  const op = operationOf(deps, ref)
  return await finishReady(op, {
    jobId: ref.jobId,
    limits: deps.limits,
    evaluation: evaluationDocument(verdict, accepted),
    failingRows: failingRowIds(verdict),
    rows: await scoredRows(op, { job, evals, report: await data.rowReport() }),
    trainInputs: trainInputsOf(await data.rows()),
    ...ready,
  })
}

/** The inputs that the recipe was fitted on: rows that the caller set aside to score with are no part of them. */
function trainInputsOf({ rows }: Selection): readonly Json[] {
  return rows.filter(({ kind }) => kind !== 'test').map(({ input }) => input)
}
