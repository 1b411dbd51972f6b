import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { createComputeCores } from '../../../core/compile/stages/pool/compute-cores.ts'
import { evenShare } from '../../../core/kernel/threads/cores.ts'
import type { Slot } from '../../../core/kernel/threads/fair/fair-lane.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import type { GenerateRequest } from '../../../core/model/generation/generator.ts'
import { goldenFolder } from '../../model/files/base-folder.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { useService } from '../../support/workflows/service.ts'
import { datasetCalls } from './dataset-calls.ts'

const GOLDEN = dirname(goldenFolder('llama-tied'))
const WORKSPACES = mkdtempSync(join(tmpdir(), 'svc-onpolicy-'))
/** Seconds: another tenant that waits is served at the end of a step. */
const TURN_S = 0.001
/** Rows of a step of a comparison. */
const AT_ONCE = 16
const { signal: never } = new AbortController()
const ROWS = Array.from({ length: 100 }, (_, i) => ({ prompt: `a${i}`, completion: i % 2 === 0 ? 'b' : 'c' }))
/** A fit of a few steps, whose artifact is signed however it does. */
const FIT = { student_path: 'llama-tied', teacher: 'llama-untied', max_steps: 6, max_new_tokens: 4, k_score_floor: 0 }

describe('on-policy distillation', () => {
  /** Bases that no model is opened with to answer; trainers read them all the same. */
  const broken = new Set<string>()
  const cores = createComputeCores(2, { ...DEFAULT_LIMITS, fit_turn_s: TURN_S })
  /** Answers of bases without an adapter, and what is done at the first of them. */
  let answers = 0
  let atFirstAnswer: (() => void) | null = null
  const service = useService({
    baseFolders: [GOLDEN],
    workspacesDir: WORKSPACES,
    change: (deps) => ({
      ...deps,
      cores,
      generators: {
        ...deps.generators,
        use: async (name, task) => {
          if (broken.has(name)) throw MODEL_ERRORS.invalid_model('the base cannot be opened')
          return await deps.generators.use(name, async ({ base, generator }) => {
            const generate = async (request: GenerateRequest) => {
              if (request.adapter === undefined) {
                answers++
                atFirstAnswer?.()
                atFirstAnswer = null
              }
              return await generator.generate(request)
            }
            return await task({ base, generator: { ...generator, generate } })
          })
        },
      },
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { baseFolders: [GOLDEN], workspacesDir: WORKSPACES },
    limits: { distill_starts_per_tenant_minute: 50, running_jobs_free: 4, onpolicy_rows: 110, onpolicy_steps: 500 },
  })
  let tenant: ApiTenant
  let pairs: string
  before(async () => {
    tenant = await givenApiTenant(api)
    mkdirSync(join(WORKSPACES, tenant.id))
    pairs = join(WORKSPACES, tenant.id, 'pairs.jsonl')
    writeFileSync(pairs, ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''))
  })
  after(() => rmSync(WORKSPACES, { recursive: true, force: true }))
  const { call, get, post } = datasetCalls(api, () => tenant)
  const svc = async (...flags: string[]) =>
    await runCli(
      ['distill', 'onpolicy', ...flags, '--max-steps', '2', '--floor', '0', '--max-new-tokens', '4', '--json'],
      {
        profileDir: WORKSPACES,
        folder: WORKSPACES,
        env: { SVC_URL: api.url, SVC_API_KEY: tenant.key },
      },
    )
  const ended = async (runId: string) => {
    await eventually(async () => {
      const { run } = await get(`/v1/distill/runs/${runId}`)
      expect(run.state, run.stage).to.be.oneOf(['completed', 'failed', 'cancelled'])
    })
    return (await get(`/v1/distill/runs/${runId}`)).run
  }

  it('fits, compares on held-out rows and signs; an artifact of it may be student and teacher', async () => {
    const asked = { ...FIT, pairs_path: pairs, lmbda: 1, namespace: 'support' }
    const accepted = await post('/v1/distill/onpolicy', asked, 202)
    expect(accepted).to.include({ kind: 'onpolicy', pairs: 100, warmup_frac: 0.5, job_id: accepted.run_id })
    const run = await ended(accepted.run_id)
    expect(run).to.include({
      state: 'completed',
      kind: 'onpolicy',
      student_base: 'llama-tied',
      teacher: 'llama-untied',
    })
    expect(run).to.include({ step_count: 6, loss_source: 'measured', k_source: 'measured', error_code: null })
    expect(run.counts.held_out).to.be.above(0)
    const last = run.progress.filter(({ loss }: { loss?: number }) => loss !== undefined).at(-1)
    // Half of the steps are supervised; in the others the student answers.
    expect(last.on_policy_fraction).to.be.within(0.3, 0.7)
    // Each epoch ends with a look at the rows of early stopping.
    expect(run.checkpoints.at(-1)).to.include({ accuracy: null })
    expect(run.checkpoints.filter(({ is_best: isBest }: { is_best: boolean }) => isBest)).to.have.length(1)
    const log = await call('GET', `/v1/distill/runs/${run.run_id}/stream`)
    for (const { step, validation_loss: loss } of run.checkpoints) {
      expect(log.text).to.include(`"checkpoints":[{"step":${step},"validation_loss":${loss},"risk":`)
    }
    const compared = run.manifest.held_out_comparison
    expect(compared.rows).to.equal(run.counts.held_out)
    for (const model of ['teacher', 'start', 'student']) {
      expect(compared[model].accuracy, model).to.equal(compared[model].right / compared.rows)
      expect(compared[model].interval_95).to.have.length(2)
    }
    await recordHistory(service.temporal, 'distill-onpolicy', run.run_id)

    const told = await svc('--dataset', run.dataset_id, '--student', run.artifact_id, '--teacher', run.artifact_id)
    const again = JSON.parse(told.stdout)
    expect(again).to.include({ namespace: 'support', warmup_frac: 0, pairs: null, student: run.artifact_id })
    const second = await ended(again.run_id)
    expect(second).to.include({ state: 'completed', step_count: 2 })
    // The student is its own teacher: nothing separates them at the first step.
    expect(second.progress[0].loss).to.be.below(1e-5)

    // A model that cannot be measured ends no run: what was signed stays signed. A comparison gives way between two steps.
    const split = { namespace: 'support', rows: ROWS, train_ratio: 0.3 }
    const rows = { ...FIT, dataset_id: (await post('/v1/datasets', split, 201)).dataset_id, max_steps: 1 }
    broken.add('llama-untied')
    answers = 0
    const turn = Promise.withResolvers<Slot>()
    atFirstAnswer = () => turn.resolve(cores.long.take(evenShare('another'), { signal: never }))
    const { run_id: comparing } = await post('/v1/distill/onpolicy', rows, 202)
    const slot = await turn.promise
    expect(answers, 'answers before the comparison gave way').to.equal(AT_ONCE)
    slot.release()
    const unmeasured = await ended(comparing)
    broken.clear()
    expect(unmeasured.artifact_id).to.match(/^cmp_/)
    const { teacher, rows: count } = unmeasured.manifest.held_out_comparison
    expect(teacher).to.deep.equal({ measured: false, error_code: 'invalid_model' })
    expect(answers, 'each row is asked once').to.equal(count).and.to.be.above(AT_ONCE)

    // An adapter that was deleted is refused by its field, and ends a run that was accepted before with a code.
    const held = service.hold()
    const started = await post('/v1/distill/onpolicy', { ...rows, student_path: run.artifact_id }, 202)
    await held.reached
    const { concept_id: concept } = await get(`/v1/compile/${run.artifact_id}`)
    expect((await call('DELETE', `/v1/concepts/${concept}`)).status).to.equal(200)
    held.release()
    const gone = await ended(started.run_id)
    expect(gone).to.include({ state: 'failed', error_code: 'artifact_deleted' })
    for (const field of ['student_path', 'teacher']) {
      const late = await call('POST', '/v1/distill/onpolicy', { ...rows, [field]: run.artifact_id })
      expect([late.status, late.body.code, late.body.details.fields[0].field]).to.deep.equal([404, 'not_found', field])
    }
  }).timeout(120_000)

  it('checks rows, student, teacher and their vocabularies before it accepts', async () => {
    writeFileSync(
      join(WORKSPACES, tenant.id, 'bad.jsonl'),
      '{"prompt":"a","completion":"b"}\n{"chosen":"a","rejected":"b"}\n',
    )
    writeFileSync(join(WORKSPACES, tenant.id, 'long.jsonl'), '{"prompt":"a","completion":"b"}\n'.repeat(111))
    const cases: [object, number, string][] = [
      [{ pairs_path: undefined }, 400, 'pairs_missing'],
      [{ pairs_path: join(WORKSPACES, tenant.id, 'none.jsonl') }, 400, 'pairs_missing'],
      [{ pairs_path: '/etc/passwd' }, 400, 'path_outside_workspace'],
      [{ pairs_path: join(WORKSPACES, tenant.id, 'bad.jsonl') }, 400, 'validation_failed'],
      [{ dataset_id: 'ds_0123456789abcdefghjkmnpqrs' }, 400, 'validation_failed'],
      [{ pairs_path: undefined, dataset_id: 'ds_0123456789abcdefghjkmnpqrs' }, 404, 'not_found'],
      [{ student_path: 'gpt-4o' }, 400, 'student_missing'],
      [{ teacher: undefined }, 400, 'teacher_required'],
      [{ teacher: 'gpt-4o' }, 400, 'teacher_logits_required'],
      [{ teacher: 'qwen3-moe' }, 400, 'teacher_vocab_mismatch'],
      [{ teacher: 'cmp_0123456789abcdefghjkmnpqrs' }, 404, 'not_found'],
      [{ max_steps: 'many' }, 400, 'validation_failed'],
      [{ beta: 1.5 }, 400, 'validation_failed'],
      [{ max_steps: 501 }, 400, 'validation_failed'],
      [{ pairs_path: join(WORKSPACES, tenant.id, 'long.jsonl') }, 400, 'too_many_rows'],
    ]
    for (const [changes, status, code] of cases) {
      const answer = await call('POST', '/v1/distill/onpolicy', { ...FIT, pairs_path: pairs, ...changes })
      expect([answer.status, answer.body.code], JSON.stringify(changes)).to.deep.equal([status, code])
    }
  })

  it('says in its doctor that the embedded trainer distils on-policy', async () => {
    const doctor = await get('/v1/distill/onpolicy/doctor')
    expect(doctor).to.deep.include({ ok: true, ready: true, trainer: 'embedded', objectives: ['gkd'] })
  })
})
