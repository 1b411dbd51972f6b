import { randomBytes, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common'
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client'
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker'
import { expect } from 'chai'
import { readAdapter } from '../../../core/model/files/adapter-files.ts'
import { openBaseModel, type BaseModel } from '../../../core/model/files/base-model.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { createDataConverter } from '../../../temporal/data-converter.ts'
import { temporalLogger } from '../../../workers/runtime.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'
import { useService } from '../../support/workflows/service.ts'
import { startTrainer, type TrainerProcess } from './trainer-process.ts'
import type { fitOnTrainer, TrainerResult } from './trainer-workflow.ts'

const GOLDEN = fileURLToPath(new URL('../../model/golden', import.meta.url))
const PYTHON = process.env['SVC_TRAINER_PYTHON']

const describeWhereInstalled = PYTHON === undefined ? describe.skip : describe

/**
 * The Python worker against a real Postgres and Temporal, everything encrypted. It runs where `SVC_TRAINER_PYTHON` names
 * an interpreter that workers/trainer/requirements.lock was installed for; elsewhere the suite is pending.
 */
describeWhereInstalled('peft trainer', function () {
  this.timeout(180_000)

  const codecKey = randomBytes(32)
  const service = useService({ codecKey, withWorkers: false })
  const trainers: TrainerProcess[] = []
  let base: BaseModel
  let stopWorkflows: () => Promise<void> = async () => {}

  before(async () => {
    base = (await openBaseModel(`${GOLDEN}/llama-tied`)).model
    stopWorkflows = await runWorkflows()
  })
  after(async () => {
    for (const trainer of trainers) await trainer.end('SIGKILL')
    await stopWorkflows()
  })

  async function runWorkflows(): Promise<() => Promise<void>> {
    const connection = await NativeConnection.connect({ address: service.temporalAddress })
    const dataConverter = createDataConverter(codecKey)
    const worker = await Worker.create({
      connection,
      namespace: service.temporal.namespace,
      taskQueue: 'trainer-test',
      dataConverter,
      workflowBundle: await bundleWorkflowCode({
        workflowsPath: fileURLToPath(new URL('trainer-workflow.ts', import.meta.url)),
        logger: temporalLogger(testLog()),
        ...(dataConverter.failureConverterPath === undefined
          ? {}
          : { failureConverterPath: dataConverter.failureConverterPath }),
      }),
    })
    const ended = worker.run()
    return async () => {
      worker.shutdown()
      await ended
      await connection.close()
    }
  }

  async function startTrainerHere(): Promise<TrainerProcess> {
    const trainer = startTrainer(PYTHON ?? '', {
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_CODEC_KEY: codecKey.toString('hex'),
      SVC_BASES_DIR: GOLDEN,
      SVC_TRAINER_CHECKPOINT_SECONDS: '0.5',
    })
    trainers.push(trainer)
    await trainer.ready
    return trainer
  }

  async function startFit(document: object): Promise<WorkflowHandle<typeof fitOnTrainer>> {
    const { sha256 } = await putBlob(service.database.db, Buffer.from(JSON.stringify(document)))
    return await service.temporal.client.workflow.start<typeof fitOnTrainer>('fitOnTrainer', {
      taskQueue: 'trainer-test',
      workflowId: `fit-${randomUUID()}`,
      args: [sha256],
    })
  }

  async function blob(sha256: string): Promise<Uint8Array> {
    return await getBlob(service.database.db, sha256 as Sha256, 1 << 24)
  }

  /** Waits for a heartbeat that names a checkpoint. */
  async function checkpointed(handle: WorkflowHandle<typeof fitOnTrainer>): Promise<void> {
    for (;;) {
      const { raw } = await handle.describe()
      const text = Buffer.from(raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data ?? []).length
      // Encrypted details cannot be looked into from here; with a digest in them they are longer.
      if (text > 300) return
      await sleep(100)
    }
  }

  it('fits an adapter that the service can read', async () => {
    const trainer = await startTrainerHere()
    const handle = await startFit(documentOf(base, { epochs: 6 }))
    const result = await handle.result()
    const files = new Map([
      ['adapter_config.json', await blob(result.adapterConfigSha256)],
      ['adapter_model.safetensors', await blob(result.adapterModelSha256)],
    ])
    const adapter = readAdapter(files, base.config)
    expect(adapter.config).to.deep.include({ rank: 4, alpha: 8 })
    expect(adapter.tensors).to.have.length(2 * 7)
    const training: unknown = JSON.parse(Buffer.from(await blob(result.trainingSha256)).toString())
    expect(training).to.deep.include({ trainer: 'peft', steps: result.steps, rows: { train: 12, validation: 2 } })
    expect(training).to.have.nested.property('versions.peft')
    expect(training).to.have.nested.property('history.validation').with.length(6)
    expect(training).to.have.nested.property('history.steps').with.length(result.steps)
    await trainer.end('SIGTERM')
  })

  it('ends with the same adapter when it is killed on the way', async () => {
    const document = documentOf(base, { epochs: 150 })
    const first = await startTrainerHere()
    const whole: TrainerResult = await (await startFit(document)).result()
    const handle = await startFit(document)
    await checkpointed(handle)
    await first.end('SIGKILL')
    const second = await startTrainerHere()
    const resumed: TrainerResult = await handle.result()
    expect(second.output()).to.contain('goes on from step')
    expect(resumed.adapterModelSha256).to.equal(whole.adapterModelSha256)
    await second.end('SIGTERM')
  })

  it('hands a fit over on a stop signal', async () => {
    const document = documentOf(base, { epochs: 150, seed: 9 })
    const first = await startTrainerHere()
    const handle = await startFit(document)
    await checkpointed(handle)
    await first.end('SIGTERM')
    const second = await startTrainerHere()
    expect((await handle.result()).steps).to.equal(300)
    expect(second.output()).to.contain('goes on from step')
    await second.end('SIGTERM')
  })

  it('stops at a cancellation and refuses another base', async () => {
    const trainer = await startTrainerHere()
    const handle = await startFit(documentOf(base, { epochs: 5000 }))
    await checkpointed(handle)
    await handle.cancel()
    expect(await causeOf(handle)).to.be.instanceOf(CancelledFailure)

    const other = documentOf({ ...base, weightsHash: `sha256:${'0'.repeat(64)}` }, {})
    const refused = await causeOf(await startFit(other))
    if (!(refused instanceof ActivityFailure)) throw new Error('the activity failed in another way')
    expect(refused.cause).to.be.instanceOf(ApplicationFailure)
    expect(refused.cause).to.deep.include({ type: 'base_mismatch', nonRetryable: true })
    await trainer.end('SIGTERM')
  })
})

async function causeOf(handle: WorkflowHandle<typeof fitOnTrainer>): Promise<unknown> {
  const error: unknown = await handle.result().catch((thrown: unknown) => thrown)
  return error instanceof WorkflowFailedError ? error.cause : error
}

/** A fit whose answers repeat the last token of their prompt. */
function documentOf(base: Pick<BaseModel, 'weightsHash'>, changes: object): object {
  const rows = Array.from({ length: 14 }, (_, index) => {
    const prompt = Array.from({ length: 3 + (index % 5) }, (__, place) => 4 + ((index * 31 + place * 17) % 120))
    const last = prompt.at(-1) ?? 4
    return { id: `r${index}`, prompt, answer: [last, last, 1], weight: 1 }
  })
  return {
    format: 'svc-fit/1',
    base: { name: 'llama-tied', weightsHash: base.weightsHash },
    hyperparameters: {
      objective: { kind: 'supervised' },
      rank: 4,
      alpha: 8,
      targetModules: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
      epochs: 4,
      batchTokens: 48,
      accumulation: 1,
      learningRate: 0.01,
      warmupRatio: 0.1,
      finalLearningRateShare: 0.1,
      weightDecay: 0.01,
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      gradClip: 1,
      maxLength: 64,
      seed: 3,
      validationShare: 0.1,
      evaluationsPerEpoch: 1,
      patience: 0,
      ...changes,
    },
    rows: rows.slice(0, 12),
    validation: rows.slice(12),
  }
}
