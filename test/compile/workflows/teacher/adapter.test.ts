import { expect } from 'chai'
import { fileURLToPath } from 'node:url'
import { unpackArchive } from '../../../../core/compile/archive/unpack.ts'
import { decodeJson } from '../../../../core/compile/archive/members/members-json.ts'
import { isJsonObject, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { getBlob } from '../../../../db/kernel/blobs/read-blob.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import { listEvents } from '../../../../db/compile/progress/events/list-events.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { stageResult } from '../../../../db/compile/jobs/stages/stages.ts'
import { tenantOf, type Operation } from '../../../../db/kernel/operation.ts'
import { givenTenant } from '../../../support/db/given.ts'
import { recordHistory } from '../../../support/workflows/histories.ts'
import { submitJob, useService } from '../../../support/workflows/service.ts'

/** Small bases with random weights: they learn nothing worth while, quickly. */
const BASES = fileURLToPath(new URL('../../../model/golden', import.meta.url))
const BASE = 'llama-tied'

/** Rows in the alphabet of the small base, whose outputs nothing in the inputs explains. */
const ROWS = ['red', 'old', 'small', 'good', 'odd', 'warm'].flatMap((first, i) =>
  ['hat', 'cup', 'desk', 'pen', 'lamp', 'rug'].map((second, j) => ({
    input: `${first} ${second} ${(i * 31 + j * 17) % 23}`,
    output: `${['ice', 'tea', 'oil', 'tar', 'ink'][(i * 7 + j * 5 + i * j) % 5] ?? ''} ${(i * 13 + j * 29) % 97}`,
  })),
)

describe('adapter of a compile', () => {
  const service = useService({ baseFolders: [BASES] })

  it('is fitted when it is asked for, judged with the other kinds, and signed with how it was trained', async () => {
    const { op } = await givenTenant(service.database.db)
    const done = await compile(op, { floor: 0, choices: { recipe_kind: 'lora', lora: { epochs: 2, rank: 4 } } })
    expect(done, done.errorMessage ?? '').to.include({ status: 'ready', baseModel: BASE })
    const evaluation = objectOf(done.evaluation)
    expect(evaluation['recipe_kind']).to.equal('lora')
    expect(objectOf(evaluation['adapter'])).to.include({ status: 'fitted', trainer: 'embedded', teacher_rows: 0 })

    const { members, build, manifest } = await archiveOf(done)
    expect(manifest).to.include({ artifact_class: 'lora', base_model: BASE })
    const training = decodeJson(members.get('training.json') ?? new Uint8Array(), 'training.json')
    expect(training).to.include({ trainer: 'embedded', objective: 'supervised', seed: 0 })
    expect(objectOf(training['base'])).to.deep.equal(build.base)
    expect(Buffer.from(members.get('training.svg') ?? []).toString()).to.match(/^<svg /)
    expect(build.stages.find(({ stage }) => stage === 'lora-fit')).to.include({ status: 'done', reason: null })

    const metrics = (await listEvents(op, { jobId: done.id, afterSeq: 0, limit: 1000 })).filter(
      ({ kind, body }) => kind === 'metric' && body['step'] === 'lora-fit',
    )
    expect(metrics[0]?.body).to.include.keys('training_step', 'training_steps', 'loss', 'tokens_per_second')
    expect(metrics.at(-1)?.body).to.include({ recipe_kind: 'lora', source: 'holdout' })
    const history = await recordHistory(service.temporal, 'compile-fitted_built', done.id)
    for (const { input } of ROWS.slice(0, 5)) expect(history).not.to.include(input)
  })

  it('is fitted once on few rows too, and judged by two that stayed out', async () => {
    const { op } = await givenTenant(service.database.db)
    const done = await compile(op, {
      floor: 0,
      rows: 6,
      choices: { recipe_kind: 'lora', lora: { epochs: 1, rank: 4 } },
    })
    expect(done, done.errorMessage ?? '').to.include({ status: 'ready' })
    expect(objectOf(done.evaluation)).to.include({ split_mode: 'holdout', train_count: 4, holdout_count: 2 })
    const { members } = await archiveOf(done)
    expect(decodeJson(members.get('training.json') ?? new Uint8Array(), 'training.json')['folds']).to.equal(0)
    const evals = decodeJson(members.get('evals.json') ?? new Uint8Array(), 'evals.json')
    expect(evals).to.include({ spec: 'svc-evals-2', mode: 'holdout', n: 2 })
  })

  it('leaves a job gated, with the reason, when nothing can be fitted that was not asked for', async () => {
    const { op } = await givenTenant(service.database.db)
    const missing = await compile(op, { floor: 0.99, baseModel: 'elsewhere' })
    expect(missing).to.include({ status: 'gated', stage: 'lora-fit' })
    expect(missing.errorMessage).to.match(/\(the base model is not installed here: elsewhere\)$/)
    const few = await compile(op, { floor: 0.99, rows: 8 })
    expect(few.errorMessage).to.match(/\(fewer than 20 different rows/)
    const untrained = await compile(op, { floor: 0.99, choices: { trainer: 'peft' } })
    expect(untrained).to.include({ status: 'gated' })
    expect(objectOf(objectOf(untrained.evaluation)['adapter'])).to.include({ code: 'no_trainer_installed' })
  })

  it('fails a job, with the code, when the requested adapter cannot be fitted', async () => {
    const { op } = await givenTenant(service.database.db)
    const untrained = await compile(op, { floor: 0, choices: { recipe_kind: 'lora', trainer: 'peft' } })
    expect(untrained).to.include({ status: 'failed', errorCode: 'no_trainer_installed' })
    const alone = await compile(op, { floor: 0, choices: { recipe_kind: 'lora', lora: { objective: 'dpo' } } })
    expect(alone).to.include({ status: 'failed', errorCode: 'too_few_preferences' })
  })

  async function compile(
    op: Operation,
    facts: {
      readonly floor: number
      readonly rows?: number
      readonly baseModel?: string
      readonly choices?: JsonObject
    },
  ): Promise<CompileJob> {
    const { rows = ROWS.length, baseModel = BASE, ...rest } = facts
    const { job } = await submitJob(op, { ...rest, baseModel, examples: ROWS.slice(0, rows) })
    await service.deps.workflows.start(job.id)
    await service.temporal.client.workflow
      .getHandle(job.id)
      .result()
      .catch(() => undefined)
    return await findJob(op, job.id)
  }

  async function archiveOf({ id: jobId, tenantId }: CompileJob) {
    const { db } = service.database
    const digest = (await stageResult(tenantOf(db, tenantId), { jobId, stage: 'sign' }))?.blobSha256
    if (digest === null || digest === undefined) throw new Error('nothing was signed')
    return await unpackArchive(await getBlob(db, digest, 2 ** 28))
  }
})

function objectOf(value: unknown): JsonObject {
  const plain = JSON.parse(JSON.stringify(value ?? null))
  return isJsonObject(plain) ? plain : {}
}
