import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eraseForgottenRows } from '../../../activities/learn/datasets/erase-forgotten.ts'
import type { KnownPrices } from '../../../core/gateway/providers/prices.ts'
import { createProvider } from '../../../core/gateway/providers/http-provider.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import type { ScriptedAnswer, ScriptedCall } from '../../support/providers/scripted-model.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { useService } from '../../support/workflows/service.ts'
import { datasetCalls } from './dataset-calls.ts'
import { CALLS, HOUSE_TEACHER, MISLABELLED, rightLabels, TICKETS } from './given-calls.ts'

const STARTS = 8

describe('distillation of captured calls', () => {
  let teacher: ProviderServer
  let answer: (call: ScriptedCall) => ScriptedAnswer = () => ({ texts: [] })
  let prices: KnownPrices | null = { input: 2, cached: 2, output: 8, source: 'operator' }
  before(async () => {
    teacher = await startProvider('chat-completions', (call) => answer(call))
  })
  after(async () => await teacher.close())
  const service = useService({
    models: () => ({
      teacher: {
        provider: createProvider({
          dialect: 'chat-completions',
          baseUrl: teacher.baseUrl,
          apiKey: teacher.apiKey,
          model: 'house-teacher',
          timeoutMs: 5000,
          connections: 2,
        }),
        get prices() {
          return prices
        },
        isLocal: false,
      },
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    limits: { distill_starts_per_tenant_minute: STARTS, running_jobs_free: 1 },
    settings: { teacher: HOUSE_TEACHER },
  })
  let tenant: ApiTenant
  let profileDir: string
  before(async () => {
    tenant = await givenApiTenant(api)
    profileDir = await mkdtemp(join(tmpdir(), 'svc-distill-'))
  })
  after(async () => await rm(profileDir, { recursive: true }))
  const { call, get, post, capture, rowsOf } = datasetCalls(api, () => tenant)
  const svc = async (...args: string[]) => {
    const env = { SVC_URL: api.url, SVC_API_KEY: tenant.key }
    return await runCli(['distill', ...args], { folder: profileDir, profileDir, env })
  }
  const op = () => setUpOperation(service.database.db, tenant.id)
  const distil = async (body: object) => await post('/v1/distill/from-captures', body, 202)
  /** The run once it is over: its stream ends with it. */
  const ended = async (runId: string) => {
    const stream = await call('GET', `/v1/distill/runs/${runId}/stream`)
    expect(stream.text).to.match(/^event: end$/m)
    return (await get(`/v1/distill/runs/${runId}`)).run
  }

  it('collects the largest cluster as a dataset and has a compile train, gate and sign it as its child', async () => {
    await capture('names', CALLS)
    const accepted = await distil({ namespace: 'names', name: 'capitals', k_score_floor: 0.6, base_model: 'none' })
    expect(accepted).to.include({ mode: 'recipe', captures: 8, job_id: accepted.run_id, status: 'queued' })
    expect(accepted).to.include({ teacher_source: 'unknown', teacher_source_tos_risk: 'unknown' })
    const run = await ended(accepted.run_id)
    expect(run).to.include({
      state: 'completed',
      stage: 'done',
      kind: 'from_captures',
      pair_count: 8,
      error_code: null,
    })
    expect(run).to.include({
      k_source: 'measured',
      loss_final: null,
      loss_source: 'unavailable',
      manifest_present: true,
    })
    expect(run.k_final).to.be.within(0.6, 1)
    expect(run.held_out_labels).to.include({ status: 'not_checked', reason: 'no_labels' })
    expect(run.stages.map(({ stage }: { stage: string }) => stage)).to.deep.equal([
      'queued',
      'collect',
      'curate',
      'train',
      'evaluate',
      'gate',
      'publish',
    ])
    expect(run.log_tail).to.match(/ end \{"state":"completed"\}\n$/)
    // Lineage: captures, dataset, run, artifact.
    const job = await get(`/v1/compile/${run.artifact_id}`)
    expect(job.dataset).to.include({ dataset_id: run.dataset_id, run_id: run.run_id })
    expect(job.captures).to.include({ used: 8 })
    await expectAudited(op(), 'distill.started', run.run_id)
    await expectAudited(op(), 'distill.completed', run.run_id)
    const child = await service.temporal.client.workflow.getHandle(run.job_id).describe()
    expect(child.parentExecution?.workflowId).to.equal(run.run_id)
    await recordHistory(service.temporal, 'distill-completed', run.run_id)
    const listed = await get('/v1/distill/runs?namespace=names')
    expect(listed.runs.map(({ run_id: id }: { run_id: string }) => id)).to.deep.equal([run.run_id])
  })

  it('previews what a namespace has, and has no budget before four runs', async () => {
    const preview = await get('/v1/distill/from-captures/preview?namespace=names')
    expect(preview).to.include({
      total_captures: 8,
      mode_hint: 'recipe',
      recipe_eligible: true,
      specialist_eligible: false,
    })
    expect(preview.top_clusters[0].count).to.equal(8)
    expect(preview.data_budget).to.include({ basis: 'insufficient', verdict: null, points: 1 })
    expect(preview.cost).to.include({ compile_units: 10, capture_mean_usd: null, priced_captures: 0 })
  })

  it('streams its events, and ends with the last', async () => {
    const [{ run_id: id }] = (await get('/v1/distill/runs')).runs
    const stream = await call('GET', `/v1/distill/runs/${id}/stream`)
    const kinds = [...stream.text.matchAll(/^event: (.*)$/gm)].map(([, kind]) => kind)
    expect(kinds.slice(0, 3)).to.deep.equal(['hello', 'stage', 'stage'])
    expect(kinds.slice(-2)).to.deep.equal(['progress', 'end'])
    const seen = await call('GET', `/v1/distill/runs/${id}/stream`, undefined, {
      'last-event-id': `${kinds.length - 1}`,
    })
    expect(seen.status).to.equal(204)
  })

  it('is started, watched and listed by the CLI', async () => {
    const started = await svc('start', '--namespace', 'names', '--base', 'none', '--floor', '0.6')
    expect(started.code, started.stderr).to.equal(0)
    expect(started.stdout).to.match(/^run_\w+ from_captures of names: completed/)
    expect(started.stderr).to.match(/K \d\.\d{4}/)
    const [, runId = ''] = /^(run_\w+)/.exec(started.stdout) ?? []
    expect((await svc('runs')).stdout).to.contain(runId)
    expect(started.stdout).to.contain('artifact   cmp_')
    expect((await svc('cancel', runId)).stderr).to.contain('already_finished')
    expect((await svc('preview', 'names')).stdout).to.match(/8 captures, recipe/)
  })

  it('asks the teacher about rows with doubtful labels alone, and buys no answer twice', async () => {
    await capture('tickets', TICKETS)
    const calls: ScriptedCall[] = []
    answer = (call) => {
      calls.push(call)
      if (calls.length === 2) return { status: 503, message: 'overloaded' }
      return { texts: rightLabels(call), usage: { input: 1000, cached: 0, output: 100 } }
    }
    const fit = { mode: 'specialist', teacher: 'house-teacher', base_model: 'none', k_score_floor: 0.5 }
    const accepted = await distil({ namespace: 'tickets', ...fit })
    const run = await ended(accepted.run_id)
    expect(run, JSON.stringify(run)).to.include({ state: 'completed', teacher: 'house-teacher', teacher_asked: true })
    const asked = run.manifest.teacher.rows_asked
    expect(asked).to.be.at.least(2)
    expect(run.counts).to.include({ relabelled: asked, teacher_samples: 3 * asked, put_aside: 0 })
    expect(calls).to.have.length(asked + 1)
    expect(run.spend_usd).to.be.closeTo((asked * (1000 * 2 + 100 * 8)) / 1e6, 1e-9)
    const { body } = await api.call('GET', '/v1/billing/usage', { key: tenant.key })
    expect(body.meters).to.include({ distill_synth_count: asked })
    expect(body.meters.optimization_runs).to.be.at.least(1)
    // No question holds the text of a held-out row.
    const rows = await rowsOf(run.dataset_id)
    const held: string[] = rows.flatMap((row: { side: string; row: { prompt: string } }) =>
      row.side === 'holdout' ? [row.row.prompt] : [],
    )
    expect(held).to.have.length(12)
    expect(calls.filter(({ raw }) => held.some((text) => raw.includes(text)))).to.deep.equal([])
    await recordHistory(service.temporal, 'distill-taught', run.run_id)

    // Held-out rows with a label of the other kind are named, and K without them informs only.
    const wrong = rows.flatMap(({ row_id: id, side, row }: { row_id: string; side: string; row: { prompt: string } }) =>
      side === 'holdout' && MISLABELLED.has(row.prompt) ? [id] : [],
    )
    const { suspects, without_doubtful: without, ...labels } = run.held_out_labels
    expect(wrong).to.have.length(1)
    expect(labels).to.include({ status: 'checked', rows: 12, doubtful: 1 })
    expect(suspects).to.have.length(1)
    expect(suspects[0]).to.include({ row_id: wrong[0], given: 'shipping', suggested: 'billing' })
    expect(suspects[0].probability).to.be.above(0.8)
    expect(without).to.include({ informs_only: true, rows: 11 })
    expect(without.k_score).to.be.above(run.k_final)
    const shown = await svc('show', run.run_id)
    expect(shown.stdout).to.contain(`${wrong[0]}: shipping, expected billing`)
    expect(shown.stdout).to.contain(`without them K would be ${without.k_score.toFixed(4)}`)

    // A refused row is one without a label, and so is an unreadable answer; either may be billed.
    const before = calls.length
    answer = (call) => {
      calls.push(call)
      return calls.length === before + 2 ? { fault: 'garbage' } : { status: 400, code: 'content_filter' }
    }
    const silent = await ended((await distil({ namespace: 'tickets', ...fit })).run_id)
    expect(silent.manifest.teacher, JSON.stringify(silent)).to.include({
      rows_refused: asked,
      rows_agreed: 0,
      stopped: null,
    })
    expect(silent.counts).to.include({ relabelled: 0, teacher_samples: 0 })
    expect(silent.spend_usd).to.equal(null)
    expect(calls).to.have.length(before + asked)

    // A model without a price costs an unknown amount; its answer that no database keeps is one without a label.
    prices = null
    const first = calls.length
    answer = (call) => {
      if (calls.push(call) === first + 1) return { texts: ['{"answer": "ship\0'], finish: 'length' }
      return { texts: rightLabels(call) }
    }
    const unpriced = await ended((await distil({ namespace: 'tickets', ...fit })).run_id)
    const { rows_agreed: agreed, spend_usd: spend } = unpriced.manifest.teacher
    expect([unpriced.state, agreed, spend, unpriced.spend_usd]).to.deep.equal(['completed', asked - 1, null, null])

    // A run names no row that was forgotten, not even before it is erased.
    await post('/v1/captures/forget', { capture_ids: wrong, confirm: true }, 200)
    const named = async () => (await get(`/v1/distill/runs/${run.run_id}`)).run.held_out_labels.suspects
    expect(await named()).to.deep.equal([])
    await eraseForgottenRows.run(service.deps, { signal: new AbortController().signal, progress: () => undefined })
    expect((await findRun(op(), run.run_id)).manifest).to.have.deep.nested.property('held_out_labels.suspects', [])
    expect(await named()).to.deep.equal([])
  })

  it('is cancelled at once with its compile, and counts as a running job until then', async () => {
    const held = service.hold()
    const { run_id: id } = await distil({ namespace: 'names', base_model: 'none' })
    await held.reached
    const second = await call('POST', '/v1/distill/from-captures', { namespace: 'names', base_model: 'none' })
    expect([second.status, second.body.code]).to.deep.equal([429, 'too_many_running_jobs'])
    expect(second.body.details).to.include({ running: 1, max: 1 })
    const { run } = await post(`/v1/distill/runs/${id}/cancel`, {}, 200)
    expect(run).to.include({ state: 'cancelled', error_code: 'compile_cancelled' })
    expect(await post(`/v1/distill/runs/${id}/cancel`, {}, 200)).to.have.nested.property('run.state', 'cancelled')
    expect((await get(`/v1/compile/${run.job_id}`)).status).to.equal('cancelled')
    held.release()
    await eventually(async () => {
      const { status } = await service.temporal.client.workflow.getHandle(id).describe()
      expect(status.name).to.equal('CANCELLED')
    })
    await recordHistory(service.temporal, 'distill-cancelled', id)
    await expectAudited(op(), 'distill.cancelled', id)
    const done = (await get('/v1/distill/runs')).runs.find(({ state }: { state: string }) => state === 'completed')
    const late = await call('POST', `/v1/distill/runs/${done.run_id}/cancel`)
    expect([late.status, late.body.code]).to.deep.equal([409, 'already_finished'])
  })

  it('fails with a code when nothing was trained', async () => {
    const same = Array.from({ length: 4 }, () => ['Write the name in capitals: ada', 'ADA'] as const)
    await capture('same', same)
    const { run_id: id } = await distil({ namespace: 'same', base_model: 'none' })
    const run = await ended(id)
    expect(run).to.include({ state: 'failed', error_code: 'too_few_examples', artifact_id: null, k_final: null })
    await recordHistory(service.temporal, 'distill-failed', id)
    await expectAudited(op(), 'distill.failed', id)
  })

  it('is started so many times a minute at most', async () => {
    const other = await givenApiTenant(api)
    const calls = datasetCalls(api, () => other)
    await calls.capture('names', CALLS)
    for (let start = 0; start < STARTS; start++) {
      const { run_id: id } = await calls.post('/v1/distill/from-captures', { namespace: 'names' }, 202)
      await calls.post(`/v1/distill/runs/${id}/cancel`, {}, 200)
    }
    const { status, body } = await calls.call('POST', '/v1/distill/from-captures', { namespace: 'names' })
    expect([status, body.code]).to.deep.equal([429, 'rate_limited'])
  })

  it('answers with what is missing', async () => {
    const empty = await call('POST', '/v1/distill/from-captures', { namespace: 'empty' })
    expect([empty.status, empty.body.code, empty.body.details]).to.deep.equal([
      400,
      'not_enough',
      { count: 0, min_pairs: 4 },
    ])
    for (const [id, status, code] of [
      ['not-a-run', 400, 'invalid_run_id'],
      ['run_0123456789abcdefghjkmnpqrs', 404, 'not_found'],
    ] as const) {
      const answer = await call('GET', `/v1/distill/runs/${id}`)
      expect([answer.status, answer.body.code]).to.deep.equal([status, code])
    }
  })
})
