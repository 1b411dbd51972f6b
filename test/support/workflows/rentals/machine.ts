import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { decodeFitDocument } from '../../../../core/compile/stages/lora/fit/fit-document.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { openBaseModel } from '../../../../core/model/files/base-model.ts'
import { findBase } from '../../../../core/model/files/find-base.ts'
import { writeAdapter } from '../../../../core/model/files/adapter-files.ts'
import { fitAdapter } from '../../../../core/model/training/fit-adapter.ts'
import type { FittedAdapter } from '../../../../core/model/training/fit/fit-types.ts'

// What runs on a rented machine of the tests, and on one of a pool: the trainer of this program, behind the door that
// `workers/trainer` uses. It fits for real.
const url = process.env['SVC_TRAINER_URL'] ?? ''
const token = process.env['SVC_TRAINER_TOKEN'] ?? ''
const poolToken = process.env['SVC_POOL_TOKEN'] ?? ''
const bases = process.env['MACHINE_BASES'] ?? ''
const checkpointS = Number(process.env['MACHINE_CHECKPOINT_S'] ?? '0.1')
const statedSpeed = process.env['MACHINE_STATED_SPEED']
const secret = randomBytes(32).toString('hex')
const stop = new AbortController()

const Lease = z.object({ checkpoint: z.object({ step: z.int() }).nullable() })
const PoolAnswer = z.object({ lease: Lease.nullable() })

/** Opens the lease of a rented machine, or asks as a worker of a pool until a fit waits. */
async function openLease(): Promise<z.output<typeof Lease>> {
  if (poolToken === '') return Lease.parse(await send('lease', { secret }, token))
  for (;;) {
    const { lease } = PoolAnswer.parse(await send('pool', { secret, worker: 'worker-of-the-tests' }, poolToken))
    if (lease !== null) return lease
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function send(path: string, body: object, bearer = secret): Promise<unknown> {
  return await attempt(async () => {
    const response = await fetch(`${url}/v1/trainer/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return await answered(response).json()
  })
}

async function read(path: string): Promise<Uint8Array> {
  return await attempt(async () => {
    const response = await fetch(`${url}/v1/trainer/${path}`, { headers: { authorization: `Bearer ${secret}` } })
    return new Uint8Array(await answered(response).arrayBuffer())
  })
}

async function upload(name: string, bytes: Uint8Array<ArrayBuffer>, step = 0): Promise<void> {
  await attempt(async () => {
    const form = new FormData()
    form.set('file', new Blob([bytes]), name)
    const response = await fetch(`${url}/v1/trainer/files?name=${name}&step=${step}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: form,
    })
    return answered(response)
  })
}

/** Ends this machine where the door refuses it; throws for what may be tried again. */
function answered(response: Response): Response {
  if (response.ok) return response
  if (response.status >= 500 || response.status === 429) throw new Error(`answered ${response.status}`)
  process.exit(3)
}

/** The API may be down for a moment. */
async function attempt<T>(call: () => Promise<T>): Promise<T> {
  for (let left = 120; ; left--) {
    try {
      return await call()
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}

async function main(): Promise<void> {
  const lease = await openLease()
  const document = decodeFitDocument(await read('document'))
  const checkpoint = lease.checkpoint === null ? undefined : await read('checkpoint')
  const { model: base } = await openBaseModel(await findBase(document.base.name, [bases]))
  let uploads = Promise.resolve()
  let latest = { step: lease.checkpoint?.step ?? 0, steps: 0, epoch: 0, loss: 0, tokens_per_second: 0, eta_seconds: 0 }
  const pulse = setInterval(() => {
    void send('progress', latest).then((answer) => {
      if (z.object({ state: z.literal('stop') }).safeParse(answer).success) stop.abort()
    })
  }, 250)
  const startedAt = performance.now()
  let fitted: FittedAdapter
  try {
    fitted = await fitAdapter(
      {
        base,
        rows: document.rows,
        validation: document.validation,
        hyperparameters: document.hyperparameters,
        memoryBudgetBytes: 2 ** 31,
        threads: 1,
        checkpointEverySeconds: checkpointS,
        ...(checkpoint !== undefined && { checkpoint }),
      },
      {
        signal: stop.signal,
        onStep: ({ step, steps, epoch, loss, tokensPerSecond, etaSeconds }) => {
          latest = { step, steps, epoch, loss, tokens_per_second: tokensPerSecond, eta_seconds: etaSeconds }
        },
        onCheckpoint: (bytes, step) => {
          uploads = uploads.then(async () => await upload('checkpoint', bytes, step))
        },
      },
    )
  } finally {
    clearInterval(pulse)
    await uploads
  }
  const files = writeAdapter(fitted.adapter, { baseName: document.base.name })
  for (const [name, file] of [
    ['adapter_config', 'adapter_config.json'],
    ['adapter_model', 'adapter_model.safetensors'],
  ] as const) {
    const bytes = files.get(file)
    if (bytes !== undefined) await upload(name, bytes)
  }
  const { steps, validations } = fitted.history
  const report = {
    trainer: 'embedded',
    objective: document.hyperparameters.objective.kind,
    history: { steps, validation: validations },
    rows: { train: document.rows.length, validation: document.validation.length },
    tokensPerSecond: fitted.tokensPerSecond,
    usefulTokens: fitted.usefulTokens,
    seconds: (performance.now() - startedAt) / 1000,
    device: 'a rented machine of the tests',
    versions: { node: process.versions.node },
  }
  await upload('training', new TextEncoder().encode(JSON.stringify(report)))
  await send('finish', {
    steps: fitted.steps,
    best_step: fitted.bestStep,
    stopped_early: fitted.stoppedEarly,
    loss: steps.at(-1)?.loss ?? 0,
    validation_loss: validations.at(-1)?.loss ?? null,
    tokens_per_second: statedSpeed === undefined ? fitted.tokensPerSecond : Number(statedSpeed),
  })
}

try {
  await main()
} catch (error) {
  if (!stop.signal.aborted) await send('failure', { code: error instanceof DomainError ? error.code : 'internal' })
}
process.exit(0)
