import { hostname } from 'node:os'
import { NativeConnection, Worker } from '@temporalio/worker'
import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { useService } from '../../support/workflows/service.ts'

const LIBRARIES = 'torch/2.15.0 transformers/5.23.0 peft/0.21.2 trl/1.16.0'
const OBJECTIVES = 'supervised,distillation,dpo,simpo,orpo,kto'

describe('the doctors of trainers, the broker and the readiness', () => {
  const service = useService({ withWorkers: false })
  let now = new Date()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    now: () => now,
    limits: { cloud_probes_per_ip_minute: 100 },
  })
  const workers: { readonly worker: Worker; readonly run: Promise<void> }[] = []
  const connections: NativeConnection[] = []
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  after(async () => {
    for (const { worker } of workers) worker.shutdown()
    await Promise.all(workers.map(({ run }) => run))
    for (const connection of connections) await connection.close()
  })
  /** A worker that polls a queue and states an identity; nothing is ever scheduled for it. */
  const listen = async (taskQueue: string, identity: string) => {
    // Two workers of one queue need a connection each.
    const connection = await NativeConnection.connect({ address: service.temporalAddress })
    connections.push(connection)
    const worker = await Worker.create({
      connection,
      namespace: service.temporal.namespace,
      taskQueue,
      identity,
      activities: { fitAdapter: async () => undefined },
    })
    workers.push({ worker, run: worker.run() })
  }
  const broker = async (body: object) => (await api.call('POST', '/v1/cloud/broker', { key: tenant.key, body })).body
  const readiness = async (method: 'GET' | 'POST') =>
    (await api.call(method, '/v1/cloud/readiness', { key: tenant.key, ...(method === 'POST' && { body: {} }) })).body
  const slotOf = (body: { cloud: { providers: { id: string }[] } }, id: string) =>
    body.cloud.providers.find((slot) => slot.id === id)
  const doctor = async (kind: string, isReady: (body: { ready: boolean; trainers: object[] }) => boolean) => {
    let { body } = await api.call('GET', `/v1/distill/${kind}/doctor`)
    await eventually(async () => {
      body = (await api.call('GET', `/v1/distill/${kind}/doctor`)).body
      expect(isReady(body), JSON.stringify(body)).to.equal(true)
    })
    return body
  }

  it('find nothing before a worker listens', async () => {
    const { body } = await api.call('GET', '/v1/distill/preference/doctor')
    expect(body).to.deep.include({ ok: false, ready: false, trainer: null, error: 'no_trainer_installed' })
    expect(body.missing.map(({ id }: { id: string }) => id)).to.include.members(['embedded_trainer', 'peft_trainer'])
    const plan = await broker({ workload: 'compile' })
    expect(plan).to.deep.include({ ok: false })
    expect(plan.recommendation).to.include({ state: 'needs_configuration', run_command: null })
    const fresh = await readiness('GET')
    expect(fresh).to.include({ readiness: 'needs_configuration' })
    expect(slotOf(fresh, 'service_store')).to.include({ state: 'never_probed', last_probe: null })
  })

  it('say what the trainers that listen announce', async () => {
    await listen('fit', 'worker@here')
    await listen('lora-fit-gpu', `trainer@gpu-1:7 ${LIBRARIES} device/cuda objectives/${OBJECTIVES}`)
    const body = await doctor('preference', ({ trainers }) => trainers.length === 2)
    expect(body).to.deep.include({ ok: true, ready: true, trainer: 'embedded, peft', missing: [] })
    expect(body.objectives).to.deep.equal(['dpo', 'simpo', 'orpo', 'kto'])
    const peft = body.trainers.find(({ kind }: { kind: string }) => kind === 'peft')
    expect(peft).to.deep.include({ device: 'cuda', objectives: OBJECTIVES.split(',') })
    expect(peft.versions).to.deep.equal({ torch: '2.15.0', transformers: '5.23.0', peft: '0.21.2', trl: '1.16.0' })
    expect(JSON.stringify(body)).not.to.contain('gpu-1')
    const onPolicy = await doctor('onpolicy', ({ trainers }) => trainers.length === 2)
    // The trainer on the GPU is of an earlier version.
    expect(onPolicy).to.deep.include({ ready: true, requires_local_teacher: true, trainer: 'embedded', missing: [] })
    expect(onPolicy.objectives).to.deep.equal(['gkd'])
  })

  it('rank a lane as ready while its worker listens, with the command and an estimate from a table', async () => {
    const plan = await broker({ workload: 'train', params_b: 3, rows: 200, budget_usd: 20, dataset: "a'b.jsonl" })
    expect(plan.ok).to.equal(true)
    expect(plan.recommendation).to.include({ id: 'remote-ssh', state: 'ready' })
    expect(plan.recommendation.run_command).to.equal("svc compile --kind lora --trainer peft -- 'a'\\''b.jsonl'")
    // ceil(200 * 3 / 4) * 4 * 1024 tokens, twice, at 4,000 a second.
    expect(plan.recommendation.estimate).to.deep.include({
      basis: 'not_measured',
      tokens: 614_400,
      duration_s: 307,
      cost_usd: null,
    })
    const states = new Map(plan.ranked.map(({ id, state }: { id: string; state: string }) => [id, state]))
    expect(states.get('cloud_train')).to.equal('not_available')
    // No machine outside reaches a service without a public address.
    expect(states.get('gpu_pods')).to.equal('infeasible')
    expect(states.get('local-cuda')).to.equal('needs_configuration')
    const cpu = plan.ranked.find(({ id }: { id: string }) => id === 'local-cpu')
    expect(cpu.blockers).to.include('cpu_training_refused')
    const airgapped = await broker({ workload: 'compile', privacy: 'airgap', no_local_gpu: true })
    expect(airgapped.ranked.slice(0, 2).map(({ id }: { id: string }) => id)).to.deep.equal(['remote-ssh', 'local-cpu'])
    expect(airgapped.ranked[1]).to.include({ state: 'ready', run_command: "svc compile -- 'examples.jsonl'" })
    for (const { privacy_modes: modes, blockers } of airgapped.ranked) {
      expect(modes.includes('airgap')).to.equal(!blockers.includes('privacy_mode_airgap_not_allowed'))
    }
    expect((await broker({ workload: 'train', params_b: 100 })).recommendation).to.equal(null)
    expect((await broker({ workload: 'quantize' })).recommendation).to.equal(null)
  })

  it('know the GPU of this machine by its name, and on-policy training by the announced objective', async () => {
    await listen('lora-fit-gpu', `trainer@${hostname()}:8 trl/1.17.0 device/cuda objectives/${OBJECTIVES},gkd`)
    const body = await doctor('onpolicy', ({ trainers }) => trainers.length === 3)
    expect(body).to.deep.include({ ok: true, trainer: 'embedded, peft', objectives: ['gkd'], missing: [] })
    expect((await broker({ workload: 'distill' })).recommendation).to.include({ id: 'local-cuda', state: 'ready' })
  })

  it('are ready by the last probe alone, for 15 minutes', async () => {
    const probed = await readiness('POST')
    expect(probed).to.include({ readiness: 'ready' })
    expect(slotOf(probed, 'service_store')).to.include({ state: 'ready', configured: true })
    expect(slotOf(probed, 'local-cpu')).to.include({ state: 'ready' })
    expect(slotOf(probed, 'otlp')).to.deep.include({
      state: 'not_configured',
      missing: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    })
    expect(slotOf(probed, 'cloud_train')).to.include({ state: 'not_available', configured: false })
    expect(slotOf(probed, 'gpu_pods')).to.include({ state: 'not_configured', configured: false })
    expect(probed.blockers).to.deep.equal(['no_hosted_gpu_or_managed_train_configured'])
    expect((await readiness('GET')).cloud.providers).to.deep.equal(probed.cloud.providers)
    const at = now
    now = new Date(at.getTime() + 15 * 60_000 + 1)
    const stale = await readiness('GET')
    expect(slotOf(stale, 'service_store')).to.deep.include({ state: 'stale', configured: false })
    now = at
  })
})
