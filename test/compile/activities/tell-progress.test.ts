import { expect } from 'chai'
import { createProgressTeller } from '../../../activities/compile/compile/adapter/tell-progress.ts'
import { beginStage } from '../../../db/compile/jobs/stages/record-stages.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { createTemporalClient, type TemporalClient } from '../../../temporal/client.ts'
import { givenJob, givenTenant } from '../../support/db/given.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { testStack } from '../../support/stack/stack.ts'

const FITS = 10

describe('progress of a fit', () => {
  const database = useDatabase()
  let temporal: TemporalClient
  before(async () => {
    const { temporalAddress } = await testStack()
    temporal = createTemporalClient({ address: temporalAddress, namespace: 'default', codecKey: undefined })
  })
  after(() => temporal.close())

  it('has its events in the order of its steps, also where they come at once', async () => {
    const { op } = await givenTenant(database.db)
    const stepsOf = async (): Promise<readonly unknown[]> => {
      const { job } = await givenJob(op)
      await beginStage(op, { jobId: job.id, stage: 'lora-fit', now: new Date() })
      const deps = { db: database.db, temporal, now: () => new Date() }
      const teller = createProgressTeller(deps, { jobId: job.id, tenantId: op.tenantId }, () => undefined)
      const common = {
        steps: 2,
        epoch: 1,
        loss: 1,
        validationLoss: null,
        learningRate: 1,
        tokensPerSecond: 9,
        etaSeconds: 0,
      }
      for (const step of [1, 2]) teller.tell({ ...common, step })
      await teller.settle()
      const events = await listEvents(op, { jobId: job.id, afterSeq: 0, limit: 100 })
      return events.flatMap(({ kind, body }) => (kind === 'metric' ? [body['training_step']] : []))
    }
    for (let fit = 0; fit < FITS; fit++) expect(await stepsOf()).to.deep.equal([1, 2])
  })

  it('names each measurement on the validation rows once, with its step and however soon it comes', async () => {
    const { op } = await givenTenant(database.db)
    const { job } = await givenJob(op)
    await beginStage(op, { jobId: job.id, stage: 'lora-fit', now: new Date() })
    const deps = { db: database.db, temporal, now: () => new Date() }
    const teller = createProgressTeller(deps, { jobId: job.id, tenantId: op.tenantId }, () => undefined)
    const common = { steps: 9, epoch: 1, loss: 1, learningRate: 1, tokensPerSecond: 9, etaSeconds: 9 }
    const looks = [3, 6].map((step) => ({ step, loss: 1 / step, risk: 0.25, accuracy: 0.75 }))
    for (let step = 1; step <= 7; step++) {
      const validations = looks.filter((look) => look.step <= step)
      teller.tell({ ...common, step, validationLoss: validations.at(-1)?.loss ?? null, validations })
    }
    await teller.settle()
    const events = await listEvents(op, { jobId: job.id, afterSeq: 0, limit: 100 })
    const told = events.flatMap(({ kind, body }) =>
      kind === 'metric' ? [[body['training_step'], body['checkpoints'] ?? null]] : [],
    )
    expect(told).to.deep.equal([
      [1, null],
      [3, [{ step: 3, validation_loss: 1 / 3, risk: 0.25, accuracy: 0.75 }]],
      [6, [{ step: 6, validation_loss: 1 / 6, risk: 0.25, accuracy: 0.75 }]],
    ])
  })
})
