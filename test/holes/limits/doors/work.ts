import { expect } from 'chai'
import { DEFAULT_LIMITS, type LimitName } from '../../../../core/limits.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenApproved } from '../../../support/people/given-belongings.ts'
import { givenDocuments } from '../../../support/people/given-documents.ts'
import { givenHeldDataset } from '../../../support/people/given-held-dataset.ts'
import type { Answer } from '../../../support/api.ts'
import { MMLU_TAR } from '../../../learn/bench/official-files.ts'
import { observeNow } from '../../../learn/api/observe-now.ts'
import {
  expectRefused,
  givenCaller,
  givenProgram,
  type Caller,
  type Door,
  type Doors,
  type MovedServer,
} from './door.ts'

const TASK = 'task: capitals\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\n'

type Ask = () => Promise<Answer>
type Begin = (on: MovedServer, caller: Caller) => Promise<Ask>

const evaluation: Begin = async (on, caller) => {
  const { jobId } = await givenProgram(on, caller)
  const body = { task: TASK, target: { artifact_id: jobId }, data: { test: [{ input: 'ada', output: 'ADA' }] } }
  return async () => await caller.ask('POST', '/v1/evals', body)
}
const bakeoff: Begin = async ({ api }, caller) => {
  const body = { dataset_id: await givenHeldDataset(api, caller), contestants: ['cache'] }
  return async () => await caller.ask('POST', '/v1/bakeoffs', body)
}
const measurement: Begin = async (on, caller) => {
  const { jobId } = await givenProgram(on, caller)
  const body = { artifact_id: jobId, prompts: ['ada'] }
  return async () => await caller.ask('POST', '/v1/bench/inference/run', body)
}
const indexing: Begin = async (_on, caller) => async () =>
  await caller.send('/v1/embed', { namespace: 'support' }, [new File(['a text'], 'a.txt')])

/** A limit of work that has not ended: one more than it allows is refused. */
function unfinished(begin: Begin, code: string): Door {
  return {
    at: 1,
    shows: async (on, at) => {
      const ask = await begin(on, await givenCaller(on))
      for (let i = 0; i < at; i++) expect((await ask()).status).to.equal(202)
      const refused = await ask()
      expectRefused(refused, [429, code])
      expect(refused.body.details).to.deep.equal({ running: at, max: at })
    },
  }
}

/** A limit of rows that are kept: work that has ended counts. */
function kept(begin: Begin, table: string): Door {
  return {
    at: 2,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const ask = await begin(on, caller)
      for (let i = 0; i < at; i++) {
        expect((await ask()).status).to.equal(202)
        await sendSql(caller.op.db, `update ${table} set state = 'failed', finished_at = now() where tenant_id = $1`, [
          caller.id,
        ])
      }
      const refused = await ask()
      expectRefused(refused, [409, 'limit_reached'], at)
      expect(refused.body.details).to.deep.equal({ max: at })
    },
  }
}

/** A wait for work that no worker does: the call answers before it could have waited for its usual time. */
function wait(begin: Begin, limit: LimitName): Door {
  return {
    // No whole number of milliseconds.
    at: 0.0507,
    shows: async (on) => {
      const ask = await begin(on, await givenCaller(on))
      const from = performance.now()
      expect((await ask()).status).to.equal(202)
      expect(performance.now() - from).to.be.below(DEFAULT_LIMITS[limit] * 1000)
    },
  }
}

/** Doors of work that outlasts its call: datasets, evaluations, bake-offs, measurements, documents and compiles. */
export const WORK_DOORS: Doors = {
  unfinished_evaluations_per_tenant: unfinished(evaluation, 'too_many_evaluations'),
  evaluations_per_tenant: kept(evaluation, 'evaluations'),
  unfinished_bakeoffs_per_tenant: unfinished(bakeoff, 'too_many_bakeoffs'),
  bakeoffs_per_tenant: kept(bakeoff, 'bakeoffs'),
  sync_bakeoff_wait_s: wait(bakeoff, 'sync_bakeoff_wait_s'),
  unfinished_inference_per_tenant: unfinished(measurement, 'too_many_measurements'),
  inference_measurements_per_tenant: kept(measurement, 'inference_measurements'),
  sync_inference_wait_s: wait(measurement, 'sync_inference_wait_s'),
  unfinished_indexes_per_tenant: unfinished(indexing, 'too_many_running_jobs'),
  sync_index_wait_s: wait(indexing, 'sync_index_wait_s'),
  sync_compile_wait_s: wait(async (_on, caller) => {
    const examples = Array.from({ length: 12 }, (_, i) => ({ input: `row ${i}`, output: `ROW ${i}` }))
    return async () => await caller.ask('POST', '/v1/compile', { task: 'x', examples })
  }, 'sync_compile_wait_s'),
  sync_dataset_wait_s: wait(async (_on, caller) => {
    const body = { namespace: 'support', rows: [{ input: 'ada', output: 'ADA' }] }
    return async () => await caller.ask('POST', '/v1/datasets', body)
  }, 'sync_dataset_wait_s'),
  documents_per_tenant: {
    at: 2,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const given = async (mark: string) =>
        await givenDocuments(caller.op.db, { tenantId: caller.id, namespace: 'support', mark })
      for (let i = 0; i < at; i++) await given(`notes ${i}`)
      const ask = await indexing(on, caller)
      const refused = await ask()
      expectRefused(refused, [409, 'limit_reached'], at)
      expect(refused.body.details).to.deep.equal({ max: at })
    },
  },
  bakeoff_train_rows: {
    at: 0,
    shows: async (on, at) => {
      const ask = await bakeoff(on, await givenCaller(on))
      expect((await ask()).body.train_rows).to.equal(at)
    },
  },
  evaluation_prompt_bytes: {
    at: 2000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const { jobId } = await givenProgram(on, caller)
      const evaluate = async (chars: number) =>
        await caller.ask('POST', '/v1/evals', {
          task: TASK,
          target: { artifact_id: jobId },
          data: { test: [{ input: 'x'.repeat(chars), output: 'X' }] },
        })
      expectRefused(await evaluate(at + 1), [400, 'invalid_eval_task'], at)
      expect((await evaluate(at)).status).to.equal(202)
    },
  },
  bench_rows: {
    at: 3,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const { jobId } = await givenProgram(on, caller)
      const stored = await caller.ask('POST', '/v1/bench/packs?benchmark=mmlu', undefined, {
        raw: Uint8Array.from(MMLU_TAR),
        headers: { 'content-type': 'application/octet-stream' },
      })
      expect(stored.body.questions, stored.text).to.equal(at + 1)
      const run = async (more: object) =>
        await caller.ask('POST', '/v1/bench/mmlu', { confirm: true, artifact_id: jobId, ...more })
      expectRefused(await run({}), [400, 'invalid_eval_task'], at)
      expectRefused(await run({ n_samples: at + 1 }), [400, 'validation_failed'], at)
      expect((await run({ n_samples: 1 })).status).to.equal(202)
    },
  },
  cluster_examples: {
    at: 5,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      await givenApproved(on.api, caller)
      const hash = await givenApproved(on.api, caller)
      await observeNow(caller.op.db)
      const started = await caller.ask('POST', '/v1/bridges/auto-synthesize', { template_hash: hash })
      expect([started.status, started.body.observations], started.text).to.deep.equal([202, at])
    },
  },
  gate_unit_rows: {
    at: 2,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const { jobId } = await givenProgram(on, caller)
      const { jobId: other } = await givenProgram(on, caller)
      const used = async () => {
        await on.api.server.services.meter.flush()
        return (await caller.ask('GET', '/v1/account')).body.period.used
      }
      const before = await used()
      const rows = Array.from({ length: 2 * at + 1 }, (_, i) => ({ input: `row ${i}`, output: `ROW ${i}` }))
      const body = { candidate_artifact: jobId, baseline_artifact: other, rows }
      const answer = await caller.ask('POST', '/v1/eval/gate', body)
      expect(answer.status, answer.text).to.equal(202)
      expect((await used()) - before).to.equal(3)
    },
  },
}
