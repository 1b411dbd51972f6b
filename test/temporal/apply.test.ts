import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { TemporalYaml } from '../../config/temporal-yaml.ts'
import { applyTemporalYaml } from '../../temporal/apply.ts'
import { createTemporalClient, pingTemporal, type TemporalClient } from '../../temporal/client.ts'
import { expectCode } from '../support/wire/expect-code.ts'
import { testStack } from '../support/stack/stack.ts'
import { TEMPORAL_YAML } from '../support/workflows/service.ts'

const TICK = {
  workflow: 'reconcile',
  queue: 'io',
  every: 3_600_000,
  timezone: 'UTC',
  overlap: 'skip',
  catchup: 10_000,
  note: 'Ticks once an hour',
} as const

describe('applying temporal.yaml', () => {
  let temporal: TemporalClient
  const file: TemporalYaml = { ...TEMPORAL_YAML, schedules: { tick: TICK, tock: { ...TICK, note: 'Tocks' } } }

  before(async () => {
    const { temporalAddress } = await testStack()
    const namespace = `test-${randomBytes(6).toString('hex')}`
    temporal = createTemporalClient({ address: temporalAddress, namespace })
  })
  after(() => temporal.close())

  it('sets everything up once, however many workers start at the same time', async () => {
    const all = await Promise.all([file, file, file].map((each) => applyTemporalYaml(temporal, each)))
    expect(all.flatMap((changes) => changes.schedulesWritten)).to.have.members(['tick', 'tock'])
    await pingTemporal(temporal, 5000)
    expect(await applyTemporalYaml(temporal, file)).to.deep.equal({
      namespace: 'unchanged',
      searchAttributes: [],
      schedulesWritten: [],
      schedulesDeleted: [],
    })
  })

  it('changes what changed, keeps a pause, and deletes what left the file', async () => {
    const tick = temporal.client.schedule.getHandle('tick')
    await tick.pause('an operator has a reason')
    await temporal.client.schedule.create({
      scheduleId: 'by-hand',
      spec: { intervals: [{ every: '1 hour' }] },
      action: { type: 'startWorkflow', workflowType: 'reconcile', taskQueue: 'io', args: [] },
    })
    const changed = {
      ...file,
      namespace: { ...file.namespace, retention: 2 * 86_400_000 },
      schedules: { tick: { ...TICK, every: 7_200_000 } },
    }
    let deleted: readonly string[] = []
    // The list of schedules follows the truth by a moment.
    const first = await applyTemporalYaml(temporal, changed)
    deleted = first.schedulesDeleted
    for (let i = 0; i < 50 && deleted.length === 0; i++)
      deleted = (await applyTemporalYaml(temporal, changed)).schedulesDeleted
    expect(first).to.include({ namespace: 'updated' })
    expect(first.schedulesWritten).to.deep.equal(['tick'])
    expect(deleted).to.deep.equal(['tock'])
    const { state, spec } = await tick.describe()
    expect(state).to.include({ paused: true, note: 'an operator has a reason' })
    expect(spec.intervals?.[0]?.every).to.equal(7_200_000)
    const byHand = await temporal.client.schedule.getHandle('by-hand').describe()
    expect(byHand.scheduleId).to.equal('by-hand')
  })

  it('refuses a search attribute that exists with another type', async () => {
    const wrong: TemporalYaml = { ...file, searchAttributes: { ...file.searchAttributes, SvcKScore: 'Keyword' } }
    await expectCode('internal', () => applyTemporalYaml(temporal, wrong))
  })

  it('says that the engine is unavailable when nothing answers', async () => {
    const nowhere = createTemporalClient({ address: '127.0.0.1:9', namespace: 'none' })
    await expectCode('workflow_engine_unavailable', () => pingTemporal(nowhere, 1000))
    await nowhere.close()
  })
})
