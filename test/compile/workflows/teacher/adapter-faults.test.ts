import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { unpackArchive } from '../../../../core/compile/archive/unpack.ts'
import { decodeJson } from '../../../../core/compile/archive/members/members-json.ts'
import { isJsonObject, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { writeSafetensors } from '../../../../core/model/files/safetensors/write.ts'
import { getBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import { listEvents } from '../../../../db/compile/progress/events/list-events.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { stageResult } from '../../../../db/compile/jobs/stages/stages.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { givenTenant } from '../../../support/db/given.ts'
import { writeTinyBase } from '../../../support/archives/tiny-bases.ts'
import { noiseExamples, submitJob, useService } from '../../../support/workflows/service.ts'

const SMALL_FIT: JsonObject = { epochs: 1, rank: 4 }

/** A base whose last norm is as large as float32 holds: files that are in order, and a loss that is not a number. */
async function writeOverflowingBase(folder: string, name: string): Promise<void> {
  const { model } = await writeTinyBase(folder, name)
  const tensors = [...model.weights].map(([tensor, { shape, data }]) => ({
    name: tensor,
    dtype: 'F32' as const,
    shape,
    data: tensor === 'model.norm.weight' ? new Float32Array(data.length).fill(3e38) : Float32Array.from(data),
  }))
  await writeFile(join(folder, name, 'model.safetensors'), writeSafetensors(tensors))
}

describe('an adapter that cannot be fitted as it is', () => {
  const bases: string[] = []
  const service = useService({ baseFolders: bases })
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-fault-bases-'))
    bases.push(folder)
    await writeTinyBase(folder, 'tiny')
    await writeOverflowingBase(folder, 'overflowing')
  })
  after(async () => {
    for (const folder of bases) await rm(folder, { recursive: true })
  })

  it('leaves a job gated when the loss is no number and the adapter was not requested, with step and rows', async () => {
    const { op } = await givenTenant(service.database.db)
    const done = await compile(op, { floor: 0.99, baseModel: 'overflowing', choices: { lora: SMALL_FIT } })
    expect(done).to.include({ status: 'gated', stage: 'lora-fit' })
    expect(done.errorMessage).to.match(/the loss is no longer finite at step 1; rows of its batch: row_\d+/)
    expect(adapterOf(done)).to.include({ status: 'failed', code: 'training_diverged', steps: 0 })
    await expectDivergenceTold(op, done.id)
  })

  it('fails a job that asked for an adapter, with the code, the step and the rows', async () => {
    const { op } = await givenTenant(service.database.db)
    const choices = { recipe_kind: 'lora', lora: SMALL_FIT }
    const done = await compile(op, { floor: 0, baseModel: 'overflowing', choices })
    expect(done).to.include({ status: 'failed', errorCode: 'training_diverged' })
    expect(done.errorMessage).to.match(/at step 1; rows of its batch: row_\d+/)
    await expectDivergenceTold(op, done.id)
  })

  it('ends a job as gated when the fitted adapter misses the floor', async () => {
    const { op } = await givenTenant(service.database.db)
    const done = await compile(op, { floor: 0.99, baseModel: 'tiny', choices: { lora: SMALL_FIT } })
    expect(done).to.include({ status: 'gated', errorCode: 'k_score_below_floor' })
    expect(adapterOf(done)).to.include({ status: 'fitted' })
    const { status } = await service.temporal.client.workflow.getHandle(done.id).describe()
    expect(status.name).to.equal('COMPLETED')
  })

  it('cuts inputs that are longer than the context, and says which in the stream and the evidence', async () => {
    const { op } = await givenTenant(service.database.db)
    const examples = noiseExamples().map(({ input, output }) => ({ input: `${'odd '.repeat(300)}${input}`, output }))
    const choices = { recipe_kind: 'lora', lora: SMALL_FIT }
    const done = await compile(op, { floor: 0, baseModel: 'tiny', choices, examples })
    expect(done, done.errorMessage ?? '').to.include({ status: 'ready' })
    const [told] = await logsOf(op, done.id, 'inputs_truncated')
    const ids = told?.['row_ids']
    expect(told).to.include({ rows: 32 })
    expect(ids).to.have.length(32)
    expect(adapterOf(done)).to.include({ truncated_rows: 32 })
    const digest = (await stageResult(op, { jobId: done.id, stage: 'sign' }))?.blobSha256
    const archive = await getBlob(op.db, digest ?? 'sha256:', 2 ** 28)
    const { members } = await unpackArchive(archive)
    const training = decodeJson(members.get('training.json') ?? new Uint8Array(), 'training.json')
    const named = JSON.stringify(training)
    for (const id of Array.isArray(ids) ? ids : []) expect(named).to.include(`"${String(id)}"`)
  })

  async function expectDivergenceTold(op: Operation, jobId: string): Promise<void> {
    const [told, ...others] = await logsOf(op, jobId, 'training_diverged')
    expect(others).to.deep.equal([])
    const details = told?.['details']
    if (!isJsonObject(details)) throw new Error('the event has no details')
    expect(details).to.include({ step: 1, epoch: 1 })
    expect(details['rowIds']).to.be.an('array').with.length.greaterThan(0)
  }

  async function logsOf(op: Operation, jobId: string, code: string): Promise<readonly JsonObject[]> {
    const events = await listEvents(op, { jobId, afterSeq: 0, limit: 1000 })
    return events.filter(({ kind, body }) => kind === 'log' && body['code'] === code).map(({ body }) => body)
  }

  async function compile(
    op: Operation,
    facts: {
      readonly floor: number
      readonly baseModel: string
      readonly choices: JsonObject
      readonly examples?: ReturnType<typeof noiseExamples>
    },
  ): Promise<CompileJob> {
    const { job } = await submitJob(op, { examples: noiseExamples(), ...facts })
    await service.deps.workflows.start(job.id)
    const handle = service.temporal.client.workflow.getHandle(job.id)
    await handle.result().catch(() => undefined)
    return await findJob(op, job.id)
  }
})

function adapterOf(job: CompileJob): JsonObject {
  const plain = JSON.parse(JSON.stringify(job.evaluation ?? null))
  return isJsonObject(plain) && isJsonObject(plain['adapter']) ? plain['adapter'] : {}
}
