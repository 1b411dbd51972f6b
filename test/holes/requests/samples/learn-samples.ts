import { addSketch } from '../../../../db/compile/sketches/record-sketch.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import type { ApiTenant, TestApi } from '../../../support/api.ts'
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

/** Calls that make datasets, evaluations, runs of benchmarks, gates and holdouts, compose concepts and rent machines. */
export function learnSamples(
  api: TestApi,
  tenant: ApiTenant,
  { rows, lines }: Pick<Effects, 'rows' | 'lines'>,
): Readonly<Record<string, Sample | (() => Promise<Sample>)>> {
  const { db, signingKeys } = api.server.services
  const program = async () => await givenProgramVersion(setUpOperation(db, tenant.id), signingKeys.current)
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
    splitDataset: async () => ({
      path: `${await datasetPath()}/split`,
      body: { train_ratio: 0.5 },
      effects: rows('dataset_versions'),
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
