import { expect } from 'chai'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { sampleRecord } from '../../../activities/compile/compile/stages/k-sample.ts'
import { keepOutput, storedCost } from '../../../activities/compile/compile/stage-data.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import { completeStage } from '../../../db/compile/jobs/stages/record-stages.ts'
import { stageResult, type CompleteStageInput } from '../../../db/compile/jobs/stages/stages.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { WorkerDeps } from '../../../workers/deps.ts'
import { readZip } from '../../support/archives/read-zip.ts'
import { givenTenant } from '../../support/db/given.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'

const MAX_BYTES = 1_000_000
/** Times in the records of the rival attempt. */
const SAMPLED_MS = 424_242
const VERIFIED_MS = 434_343
const REASON = 'the rival attempt'

describe('two attempts at a job at once', () => {
  let job: { readonly op: Operation; readonly id: string } | undefined
  const service = useService({ change: (deps) => ({ ...deps, pool: rivalled(deps) }) })

  async function record(stage: WorkStage, record: Omit<CompleteStageInput, 'jobId' | 'stage' | 'now'>): Promise<void> {
    if (job === undefined) throw new Error('there is no job')
    await completeStage(job.op, { ...record, jobId: job.id, stage, now: new Date() })
  }

  /** The pool, where another attempt records each stage before this one does. */
  function rivalled(deps: WorkerDeps): WorkerDeps['pool'] {
    return {
      ...deps.pool,
      async joinSample(input, call) {
        const output = await deps.pool.joinSample(input, call)
        const rival = {
          ...output,
          cost: { ...output.cost, wall_ms: SAMPLED_MS },
          samples: output.samples.map((sample) => ({ ...sample, settings: { note: REASON } })),
        }
        const { result, facts, next: _next, ...rest } = await sampleRecord(deps, rival)
        await record('k-sample', { ...rest, result: JSON.parse(JSON.stringify({ ...result, ...facts })) })
        return output
      },
      async verify(input, call) {
        const output = await deps.pool.verify(input, call)
        const costs = output.costs.map((cost) => ({ ...cost, wall_ms: VERIFIED_MS }))
        const [cost] = costs
        if (cost === undefined) throw new Error('verify has no cost')
        const { passed, k_score: kScore, floor, failing_count: failingRows } = output.gate
        await record('verify', {
          outcome: 'done',
          result: { passed, kind: 'program', kScore, floor, holdoutRows: output.kScore?.n ?? 0, failingRows },
          blobSha256: await keepOutput(deps, { ...output, costs }),
          cost: storedCost(cost),
        })
        return output
      },
    }
  }

  it('signs an archive of the recorded outputs, and of no other attempt', async () => {
    const { op } = await givenTenant(service.database.db)
    const submitted = await submitJob(op, { examples: nameExamples() })
    job = { op, id: submitted.job.id }
    await service.deps.workflows.start(job.id)
    expect(await service.temporal.client.workflow.getHandle(job.id).result()).to.include({ status: 'ready' })
    const { archiveSha256 } = await findArtifact(op, job.id)
    const archive = Buffer.from(await getBlob(service.database.db, archiveSha256, MAX_BYTES))
    expect((await stageResult(op, { jobId: job.id, stage: 'sign' }))?.blobSha256).to.equal(sha256(archive))
    const build: unknown = JSON.parse((await readZip(archive)).get('build.json') ?? '')
    expect(build).to.have.nested.property('samples[0].settings.note', REASON)
    expect(build).to.have.nested.property('stages[0].wall_ms', SAMPLED_MS)
    expect(build).to.have.nested.property('stages[1].wall_ms', VERIFIED_MS)
  })
})
