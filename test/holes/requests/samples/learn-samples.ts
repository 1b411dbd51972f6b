import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addSketch } from '../../../../db/compile/sketches/record-sketch.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import type { ApiTenant, TestApi } from '../../../support/api.ts'
import { givenHeldDataset } from '../../../support/people/given-held-dataset.ts'
import { givenEvaluation } from '../../../support/db/given-evaluation.ts'
import { givenReadyDataset } from '../../../support/people/given-ready-dataset.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { benchSamples } from './bench-samples.ts'
import type { Effects, Sample } from './capture-samples.ts'

/** A task of an evaluation that needs no base. */
const TASK = 'task: capitals\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\n'
const ROWS = [{ input: 'ada', output: 'ADA' }]
/** Inputs that the concept was fitted on, so that a call reaches it. */
const NAMES = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
/** Enough rows for an adapter. */
const FIT = Array.from({ length: 24 }, (_, i) => ({ input: `first ${i}`, output: `${i} first` }))

/** Calls that make datasets, evaluations, bake-offs, measurements, runs of benchmarks, gates, holdouts, cloud jobs and pools, compose concepts and rent machines. */
export function learnSamples(
  api: TestApi,
  tenant: ApiTenant,
  { rows, lines }: Pick<Effects, 'rows' | 'lines'>,
): Readonly<Record<string, Sample | (() => Promise<Sample>)>> {
  const { db, signingKeys } = api.server.services
  const program = async () => await givenProgramVersion(setUpOperation(db, tenant.id), signingKeys.current)
  const workspaceFile = async () => {
    const folder = join(api.server.services.settings.workspacesDir ?? '', tenant.id)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'pairs.jsonl'), '{"prompt":"ada","completion":"ADA"}\n')
    return join(folder, 'pairs.jsonl')
  }
  const datasetPath = async () => `/v1/datasets/${await givenReadyDataset(api, tenant)}`
  return {
    compose: async () => {
      // Its dispatches are cached, and a cached one costs nothing: what is counted is the answer that is kept.
      const { jobId, conceptId } = await program()
      await sendSql(db, 'delete from version_sketches where artifact_id = $1', [jobId])
      await addSketch(setUpOperation(db, tenant.id), { artifactId: jobId, conceptId, inputs: NAMES })
      return {
        path: '/v1/compose',
        body: { query: 'Upper-case the name', input: 'Ada Lovelace' },
        effects: rows('idempotency_keys'),
      }
    },
    createEvaluation: async () => ({
      path: '/v1/evals',
      body: { target: { artifact_id: (await program()).jobId }, task: TASK, data: { test: ROWS } },
      effects: rows('evaluations'),
    }),
    runBakeoff: async () => ({
      path: '/v1/bakeoff/run',
      body: { dataset_id: await givenHeldDataset(api, tenant), contestants: ['cache'] },
      effects: rows('bakeoffs'),
    }),
    createBakeoff: async () => ({
      path: '/v1/bakeoffs',
      body: { dataset_id: await givenHeldDataset(api, tenant), contestants: ['cache'] },
      effects: rows('bakeoffs'),
    }),
    measureInference: async () => ({
      path: '/v1/bench/inference/run',
      body: { artifact_id: (await program()).jobId, prompts: ['ada'] },
      effects: rows('inference_measurements'),
    }),
    resumeEvaluation: async () => {
      const id = await givenEvaluation(setUpOperation(db, tenant.id), (await program()).jobId)
      await sendSql(db, `update evaluations set state = 'failed', finished_at = now() where id = $1`, [id])
      return { path: `/v1/evals/${id}/resume`, body: undefined, effects: lines('evaluation.resumed') }
    },
    ...benchSamples(api, tenant, { rows, artifact: async () => (await program()).jobId }),
    evalGate: async () => ({
      path: '/v1/eval/gate',
      body: { candidate_artifact: (await program()).jobId, baseline_artifact: (await program()).jobId, rows: ROWS },
      effects: rows('gates'),
    }),
    storeHoldout: {
      path: '/v1/eval/tenant_holdout',
      body: { corpus_id: 'sealed', rows: ROWS },
      effects: rows('holdout_corpora'),
    },
    distillPreference: async () => ({
      path: '/v1/distill/preference',
      body: await givenCorrections(api, tenant),
      effects: rows('distill_runs'),
    }),
    createDataset: {
      path: '/v1/datasets',
      body: { namespace: 'support', rows: ROWS },
      effects: rows('dataset_versions'),
    },
    importIntoDataset: async () => ({
      path: `${await datasetPath()}/import`,
      body: { rows: [{ input: 'bob', output: 'BOB' }] },
      effects: rows('dataset_versions'),
    }),
    importEvaluation: { path: '/v1/evals/import', form: logForm, effects: rows('evaluations') },
    splitDataset: async () => ({
      path: `${await datasetPath()}/split`,
      body: { train_ratio: 0.5 },
      effects: rows('dataset_versions'),
    }),
    submitCloudJob: {
      path: '/v1/cloud/distill/submit',
      body: { namespace: 'support', base_model: 'nano' },
      effects: rows('cloud_jobs'),
    },
    registerPool: {
      path: '/v1/cloud/pools',
      body: { name: 'lab' },
      effects: rows('trainer_pools'),
    },
    distillOnPolicy: async () => ({
      path: '/v1/distill/onpolicy',
      body: { pairs_path: await workspaceFile(), teacher: 'nano' },
      effects: rows('distill_runs'),
    }),
    compileOnCloud: async () => {
      const body = { provider: 'gpu_pods', value: 'a-key-of-the-provider-0123' }
      await api.call('POST', '/v1/account/provider-keys', { key: tenant.key, body })
      return {
        path: '/v1/compile/cloud',
        body: {
          backend: 'gpu_pods',
          confirm: true,
          budget_usd: 5,
          base_model: 'nano',
          spec: { task: 'Swap the words', examples: FIT },
        },
        effects: rows('compile_jobs'),
      }
    },
  }
}

/** Calls whose answers a reviewer corrected, as the body of a training on them. */
async function givenCorrections(api: TestApi, { id, key }: ApiTenant): Promise<object> {
  const namespace = 'corrected'
  const items = Array.from({ length: 12 }, (_, at) => ({ input: `greet ${at}`, output: 'no' }))
  await api.call('POST', '/v1/capture/log', { key, body: { namespace, items } })
  const { db } = api.server.services
  const own = `select id from captures where tenant_id = $1 and namespace = $2`
  await sendSql(db, `update capture_contents set fixed_output = 'hi' where id in (${own})`, [id, namespace])
  await sendSql(db, `update captures set status = 'approved' where id in (${own})`, [id, namespace])
  return { source: 'review', namespace, student_path: 'nano' }
}

/** The results and samples of lm-evaluation-harness on one row. */
function logForm(): FormData {
  const at = '2026-05-01T10-00-00.000000'
  const results = { results: { capitals: { 'acc,none': 1 } }, model_name: 'gpt2' }
  const sample = { doc_id: 0, doc: { q: 'a' }, target: 'b', resps: [['b']], metrics: ['acc'], acc: 1 }
  const form = new FormData()
  form.append('file', new Blob([JSON.stringify(results)]), `results_${at}.json`)
  form.append('file', new Blob([JSON.stringify(sample)]), `samples_capitals_${at}.jsonl`)
  return form
}
