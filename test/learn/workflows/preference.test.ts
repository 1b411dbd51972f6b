import { mkdtempSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { writeTinyBase } from '../../support/archives/tiny-bases.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'
import { datasetCalls } from './dataset-calls.ts'

const NAMES = ['ada', 'bob', 'cleo', 'dora', 'emil', 'finn', 'gina', 'hugo', 'ida', 'jan', 'kim', 'leo', 'mia', 'ned']
/** Pairs that prefer the short greeting. */
const PAIRS = NAMES.map((name, at) => ({
  prompt: `greet ${name}`,
  chosen: `hi ${name}`,
  rejected: 'no',
  margin: at / 14,
}))

describe('training on preferences', () => {
  const workspaces = mkdtempSync(join(tmpdir(), 'svc-workspaces-'))
  const bases = join(workspaces, 'bases')
  const service = useService({ baseFolders: [bases], workspacesDir: workspaces })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [bases], workspacesDir: workspaces },
    limits: { preference_pairs: 20, distill_starts_per_tenant_minute: 100 },
  })
  let tenant: ApiTenant
  let path = ''
  before(async () => {
    await writeTinyBase(bases, 'tiny')
    tenant = await givenApiTenant(api)
    await mkdir(join(workspaces, tenant.id))
    path = join(workspaces, tenant.id, 'pairs.jsonl')
    await write(path, PAIRS)
  })
  after(async () => await rm(workspaces, { recursive: true }))
  const { call, get, post, capture } = datasetCalls(api, () => tenant)
  const write = async (to: string, rows: readonly object[]) =>
    await writeFile(to, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const train = async (body: object) =>
    await call('POST', '/v1/distill/preference', { student_path: 'tiny', epochs: 2, ...body })
  /** The run once it is over: its stream ends with it. */
  const ended = async (runId: string) => {
    const stream = await call('GET', `/v1/distill/runs/${runId}/stream`)
    expect(stream.text).to.match(/^event: end$/m)
    return (await get(`/v1/distill/runs/${runId}`)).run
  }

  it('measures rewards on held-out pairs, and delivers the adapter unsigned where no task is judged', async () => {
    const args = ['--pairs', path, '--student', 'tiny', '--objective', 'dpo', '--epochs', '2', '--no-wait', '--json']
    const env = { SVC_URL: api.url, SVC_API_KEY: tenant.key }
    const started = await runCli(['distill', 'preference', ...args], {
      folder: workspaces,
      profileDir: workspaces,
      env,
    })
    expect(started.code, started.stderr).to.equal(0)
    const accepted = JSON.parse(started.stdout)
    expect(accepted).to.include({ ok: true, kind: 'preference', objective: 'dpo', beta: 0.1, pairs: 14 })
    const run = await ended(accepted.run_id)
    expect(run, JSON.stringify(run)).to.include({
      state: 'completed',
      artifact_id: null,
      unsigned_reason: 'no_task_holdout',
      loss_source: 'measured',
      k_source: 'measured',
    })
    expect(run.counts).to.include({ rows: 14, train: 11, held_out: 3 })
    const { rewards, retention } = run.manifest
    expect(rewards.pairs).to.equal(3)
    expect(rewards.reward_accuracy).to.be.within(0, 1)
    expect(rewards.reward_margin).to.be.a('number')
    expect(retention.bits_per_byte_before).to.be.greaterThan(0)
    expect(retention.bits_per_byte_after).not.to.equal(retention.bits_per_byte_before)
    await recordHistory(service.temporal, 'distill-preferred', run.run_id)
    const adapter = await call('GET', `/v1/distill/runs/${run.run_id}/adapter`)
    expect(adapter.text.startsWith('PK')).to.equal(true)
    await expectAudited(setUpOperation(service.database.db, tenant.id), 'distill.downloaded', run.run_id)
  })

  it('takes each objective with a beta of its own, and pairs from a dataset', async () => {
    const made = await post('/v1/datasets', { namespace: 'pairs', rows: PAIRS })
    expect(made.row_type).to.equal('preference')
    const accepted = await train({ dataset_id: made.dataset_id, objective: 'simpo' })
    expect(accepted.body).to.include({ objective: 'simpo', beta: 2, namespace: 'pairs' })
    const run = await ended(accepted.body.run_id)
    expect(run, JSON.stringify(run)).to.include({ state: 'completed', dataset_id: made.dataset_id })
    const job = await get(`/v1/compile/${run.job_id}`)
    expect(job.dataset).to.include({ dataset_id: made.dataset_id, run_id: run.run_id })
  })

  it('learns from wanted and unwanted answers alone', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({
      prompt: `greet number ${at}`,
      completion: at % 2 === 0 ? `hi number ${at}` : 'no',
      label: at % 2 === 0,
    }))
    const unpaired = join(workspaces, tenant.id, 'unpaired.jsonl')
    await write(unpaired, rows)
    const accepted = await train({ pairs_path: unpaired, objective: 'kto', epochs: 1 })
    expect(accepted.body, accepted.text).to.include({ objective: 'kto', beta: 0.1, pairs: 20 })
    const run = await ended(accepted.body.run_id)
    expect(run, JSON.stringify(run)).to.include({ state: 'completed', loss_source: 'measured' })
    expect(run.manifest.rewards).to.equal(null)
    await write(unpaired, rows.slice(0, 19))
    const few = await train({ pairs_path: unpaired, objective: 'kto' })
    expect([few.status, few.body.code]).to.deep.equal([400, 'too_few_preferences'])
    const made = await post('/v1/datasets', { namespace: 'unpaired', rows: rows.slice(0, 19) })
    const alike = await train({ dataset_id: made.dataset_id, objective: 'kto' })
    expect([alike.status, alike.body.code]).to.deep.equal([400, 'too_few_preferences'])
  })

  it('prefers the corrections of reviewers, texts and JSON, to what was answered', async () => {
    // An answer that is larger than an example may be is in no pair.
    const answers = NAMES.map((name) => (name === 'ada' ? 'no '.repeat(5000) : `no ${name}`))
    const captures = await capture(
      'reviewed',
      NAMES.map((name, at) => [`greet ${name}`, answers[at] ?? ''] as const),
    )
    for (const { id, prompt_preview: prompt } of captures) {
      const name = NAMES.find((each) => prompt.endsWith(each)) ?? ''
      const correction = name < 'g' ? `{"greeting": "hi ${name}"}` : `hi ${name}`
      await post(`/v1/captures/${id}/review`, { action: 'approve', fixed_output: correction }, 200)
    }
    const accepted = await train({ source: 'review', namespace: 'reviewed', objective: 'orpo', epochs: 1 })
    expect(accepted.body, accepted.text).to.include({ objective: 'orpo', beta: 0.1, pairs: 14 })
    const run = await ended(accepted.body.run_id)
    expect(run, JSON.stringify(run)).to.include({ state: 'completed', loss_source: 'measured' })
    expect(run.counts).to.include({ rows: 14, train: 11, held_out: 3, put_aside: 0 })
    expect(run.held_out_labels).to.include({ status: 'not_checked', reason: 'pairs' })
    expect(await get(`/v1/compile/${run.job_id}`)).to.include({ examples_n: 13 })
  })

  it('names what is wrong before it accepts anything', async () => {
    const own = (name: string) => join(workspaces, tenant.id, name)
    await write(own('broken.jsonl'), [PAIRS[0] ?? {}, { prompt: 'a', chosen: 'b' }])
    await write(
      own('many.jsonl'),
      Array.from({ length: 21 }, (_, at) => ({ ...PAIRS[0], prompt: `p${at}` })),
    )
    await write(own('few.jsonl'), PAIRS.slice(0, 4))
    await symlink(path, own('link.jsonl'))
    const plain = await post('/v1/datasets', { namespace: 'plain', rows: [{ prompt: 'a', completion: 'b' }] })
    const cases: readonly (readonly [body: object, code: string])[] = [
      [{}, 'pairs_missing'],
      [{ pairs_path: path, source: 'review' }, 'validation_failed'],
      [{ pairs_path: path, objective: 'ppo' }, 'unknown_objective'],
      [{ pairs_path: path, student_path: 'elsewhere' }, 'student_missing'],
      [{ pairs_path: '/etc/passwd' }, 'path_outside_workspace'],
      [{ pairs_path: `${own('x')}/../../other/pairs.jsonl` }, 'path_outside_workspace'],
      [{ pairs_path: own('link.jsonl') }, 'path_outside_workspace'],
      [{ pairs_path: 'pairs.jsonl' }, 'validation_failed'],
      [{ pairs_path: own('none.jsonl') }, 'pairs_missing'],
      [{ pairs_path: own('broken.jsonl') }, 'validation_failed'],
      [{ pairs_path: own('many.jsonl') }, 'too_many_rows'],
      [{ pairs_path: own('few.jsonl') }, 'too_few_preferences'],
      [{ source: 'review', namespace: 'plain' }, 'pairs_missing'],
      [{ dataset_id: plain.dataset_id }, 'validation_failed'],
    ]
    for (const [body, code] of cases) {
      const answer = await train(body)
      expect([answer.status, answer.body.code], `${JSON.stringify(body)}: ${answer.text}`).to.deep.equal([400, code])
    }
    expect((await train({ dataset_id: 'ds_0123456789abcdefghjkmnpqrs' })).status).to.equal(404)
  })
})
