import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { LANES } from '../../../core/learn/plans/cloud/lanes.ts'
import { STRATEGIES } from '../../../core/learn/plans/strategy/catalog.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../support/api.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

interface Ranked {
  readonly id: string
  readonly score: number
  readonly feasible: boolean
  readonly blockers: readonly string[]
  readonly execution_status: string
}

describe('plans', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })
  const post = async (path: string, body: unknown) => await api.call('POST', path, { key: tenant.key, body })
  const get = async (path: string) => await api.call('GET', path, { key: tenant.key })

  describe('of distillation', () => {
    const advise = async (facts: object) => (await post('/v1/distill/strategy', facts)).body.data.plan
    const ranked = async (id: string, facts: object): Promise<Ranked> => {
      const plan = await advise(facts)
      return plan.ranked.find((each: Ranked) => each.id === id)
    }
    const ENOUGH = { real_pairs: 5000, holdout_pairs: 1000 }

    it('never recommend what this service does not run, whatever the facts', async () => {
      const runs = STRATEGIES.filter(({ command }) => command !== null).map(({ id }) => id)
      for (const task of ['generation', 'chat', 'reasoning', 'unknown']) {
        for (const teachers of [['gpt-4o'], ['local:llama'], []]) {
          const facts = { ...ENOUGH, task, teachers, target_latency_ms: 10, moe_teacher: true }
          const { recommendation, ranked: all } = await advise(facts)
          expect(runs).to.include(recommendation.id)
          for (const each of all) {
            if (runs.includes(each.id)) continue
            expect(each).to.include({ execution_status: 'not_available', feasible: false, command: null })
            expect(each.blockers).to.include('not_available')
          }
        }
      }
    })

    it('score by the published points, best first, ties by id', async () => {
      // 50 feasible, 16 for the task, 12 for extraction with an adapter (reference 15.3).
      expect(await ranked('lora_sft', { ...ENOUGH, task: 'extraction' })).to.include({ score: 78, feasible: true })
      // 50 feasible, 16 for the task, 18 for redaction, 16 for repeats.
      expect(await ranked('rule_or_cache_first', { ...ENOUGH, task: 'redaction', repeat_rate: 0.5 })).to.include({
        score: 100,
      })
      const { ranked: all } = await advise(ENOUGH)
      const order = all.map(({ score, id }: Ranked) => [-score, id])
      expect(order).to.deep.equal(
        order.toSorted(([a, x]: [number, string], [b, y]: [number, string]) => a - b || (x < y ? -1 : 1)),
      )
    })

    it('state each number that is too small, and collect pairs first', async () => {
      const { recommendation, ranked: all } = await advise({ task: 'extraction', real_pairs: 20 })
      expect(recommendation.id).to.equal('collect_more_real_pairs')
      expect(all.find(({ id }: Ranked) => id === 'lora_sft').blockers).to.deep.equal([
        'real_pairs_below_min:20<200',
        'holdout_pairs_below_min:4<40',
      ])
      const synthetic = await ranked('small_classifier', { synthetic_pairs: 1000 })
      expect(synthetic.blockers).to.include('synthetic_only_not_trainable')
      const preferences = await ranked('preference_optimization', { ...ENOUGH, preference_pairs: 49 })
      expect(preferences.blockers).to.deep.equal(['preference_pairs_below_min:49<50'])
    })

    it('take no teacher that is not local under airgap', async () => {
      const facts = { ...ENOUGH, privacy: 'airgap', teachers: ['gpt-4o'] }
      for (const { id, needsTeacher } of STRATEGIES) {
        const { blockers } = await ranked(id, facts)
        expect(blockers.includes('teacher_not_local'), id).to.equal(needsTeacher)
      }
      expect((await ranked('gkd_onpolicy', { ...facts, teachers: ['local:llama'] })).blockers).to.deep.equal([])
      expect((await ranked('gkd_onpolicy', { ...ENOUGH, teachers: ['gpt-4o'] })).blockers).to.deep.equal([
        'teacher_logits_required',
      ])
      expect((await ranked('rejection_sampling', { ...ENOUGH, teachers: [] })).blockers).to.deep.equal([
        'teacher_not_configured',
      ])
    })

    it('are the same from a query, from a body and from a profile in a body', async () => {
      const facts = { task: 'code', real_pairs: 700, teachers: ['gpt-4o', 'hf:qwen'], no: undefined }
      const query = await get('/v1/distill/strategy?task=code&real_pairs=700&teachers=gpt-4o,hf:qwen')
      expect(query.body.data).to.deep.equal((await post('/v1/distill/strategy', facts)).body.data)
      expect(query.body.data).to.deep.equal((await post('/v1/distill/strategy', { profile: facts })).body.data)
      for (const bad of [{ task: 'poetry' }, { privacy: 'open' }, { label_noise: 2 }, { profile: { rows: -1 } }]) {
        expect((await post('/v1/distill/strategy', bad)).status, JSON.stringify(bad)).to.equal(400)
      }
    })

    it('name artifacts of the tenant alone', async () => {
      const own = await givenProgramArtifact(setUpOperation(database.db, tenant.id))
      const other = await givenApiTenant(api)
      const foreign = await givenProgramArtifact(setUpOperation(database.db, other.id))
      for (const path of ['/v1/distill/strategy', '/v1/build/strategy']) {
        for (const field of ['existing_artifact', 'base_model']) {
          expect((await get(`${path}?${field}=${own}`)).status).to.equal(200)
          for (const [at, answer] of [
            [field, await get(`${path}?${field}=${foreign}`)],
            [field, await post(path, { [field]: foreign })],
            [`profile.${field}`, await post(path, { profile: { [field]: foreign } })],
          ] as const) {
            expect([answer.status, answer.body.code], answer.text).to.deep.equal([404, 'not_found'])
            expect(answer.body.details.fields[0].field).to.equal(at)
          }
        }
        expect((await get(`${path}?existing_artifact=model.svc`)).status).to.equal(404)
        expect((await get(`${path}?base_model=nano`)).status).to.equal(200)
      }
    })

    it('list what there is', async () => {
      const { catalog } = (await get('/v1/distill/strategy/catalog')).body.data
      expect(catalog.strategies).to.have.length(18)
      expect(catalog.strategies[3]).to.deep.include({ id: 'lora_sft', min_real: 200, min_holdout: 40 })
    })
  })

  describe('of a deployment', () => {
    let artifactId: string
    before(async () => {
      artifactId = await givenProgramArtifact(setUpOperation(database.db, tenant.id))
    })
    const plan = async (body: object, key = tenant.key) =>
      await api.call('POST', '/v1/cloud/deploy-plan', { key, body: { artifact_id: artifactId, ...body } })

    it('pull before they verify, serve and attest', async () => {
      for (const target of ['docker', 'ssh', 'gpu_vm', 'gcp-cvm']) {
        const { status, body, text } = await plan({ target, name: 'router', base_url: 'https://svc.example.com/' })
        expect(status, text).to.equal(200)
        const ids = body.steps.map(({ id }: { id: string }) => id)
        expect([ids[0], ids[1], ids.at(-2), ids.at(-1)]).to.deep.equal([
          'pull-artifact',
          'verify-artifact',
          'serve-artifact',
          'attest',
        ])
        expect(body.artifact_url).to.equal(`https://svc.example.com/v1/artifacts/${artifactId}/download`)
        expect(text).not.to.contain(tenant.key)
      }
    })

    it('hold each value as one word of a shell', async () => {
      const hostile = `https://svc.example.com/a';touch${'$'}{IFS}x;'`
      const { body, status } = await plan({ base_url: hostile })
      expect(status).to.equal(200)
      // A shell function stands for svc and prints its words.
      const script = `svc() { printf '%s\\n' "$@"; }; ${body.steps[0].command}`
      const { stdout } = await promisify(execFile)('sh', ['-c', script])
      expect(stdout.split('\n')).to.deep.equal(['--url', hostile, 'download', artifactId, '-o', 'svc-app.svc', ''])
    })

    it('are for artifacts of the tenant alone, and for targets that this service can reach', async () => {
      const other = await givenApiTenant(api)
      expect((await plan({}, other.key)).status).to.equal(404)
      expect((await plan({ artifact_id: 'cmp_unknown' })).body.code).to.equal('not_found')
      expect((await plan({ target: 'toaster' })).body).to.include({ code: 'bad_target' })
      expect((await plan({ target: 'edge_workers' })).body).to.include({ code: 'deploy_target_not_available' })
      expect((await plan({ name: '../x' })).status).to.equal(400)
      expect((await plan({ storage: 'moon' })).status).to.equal(400)
      const { targets, buttons } = (await get('/v1/cloud/deploy-targets')).body
      expect(targets).to.have.length(13)
      for (const { id, status } of targets) {
        expect((await plan({ target: id })).status, id).to.equal(status === 'available' ? 200 : 409)
      }
      expect(buttons.map(({ target }: { target: string }) => target)).to.deep.equal(
        targets.filter(({ status }: { status: string }) => status === 'available').map(({ id }: { id: string }) => id),
      )
    })
  })

  it('list the lanes, and refuse words that are not theirs', async () => {
    expect((await get('/v1/cloud/broker/catalog')).body.lanes).to.have.length(LANES.length)
    for (const bad of [{ workload: 'mine' }, { privacy: 'none' }, { params_b: 0 }, { context_tokens: 1 }]) {
      expect((await post('/v1/cloud/broker', bad)).status).to.equal(400)
    }
  })
})
