import { recordSlotProbes } from '../../../../db/learn/across/slot-probes.ts'
import { MMLU_TAR } from '../../../learn/bench/official-files.ts'
import type { ApiTenant, TestApi } from '../../../support/api.ts'
import type { Effects, Sample } from './capture-samples.ts'

/** One line of each official file. */
const TASK = { task_id: 'a/0', prompt: '# size', entry_point: 'abs', test: 'def check(f): pass' }
const QUESTION = { question_id: 1, category: 'math', turns: ['One?', 'Two?'] }

/** Calls that upload packs of benchmarks and start runs on them. */
export function benchSamples(
  api: TestApi,
  tenant: ApiTenant,
  { rows, artifact }: Pick<Effects, 'rows'> & { readonly artifact: () => Promise<string> },
): Readonly<Record<string, Sample | (() => Promise<Sample>)>> {
  const { db } = api.server.services
  const upload = async (benchmark: string, raw: Uint8Array<ArrayBuffer> | string): Promise<void> => {
    const stored = await api.call('POST', `/v1/bench/packs?benchmark=${benchmark}`, { key: tenant.key, raw })
    if (stored.status !== 201) throw new Error(stored.text)
  }
  const runOf = async (benchmark: string, more: object = {}): Promise<Sample> => ({
    path: `/v1/bench/${benchmark}`,
    body: { confirm: true, artifact_id: await artifact(), ...more },
    effects: rows('evaluations'),
  })
  return {
    runMmlu: async () => {
      await upload('mmlu', Uint8Array.from(MMLU_TAR))
      return await runOf('mmlu')
    },
    runHumanEval: async () => {
      await upload('humaneval', JSON.stringify(TASK))
      const probed = { isReady: true, outcome: 'pyodide', latencyMs: 1, probedAt: new Date() }
      await recordSlotProbes(db, [{ slot: 'code_sandbox', ...probed }])
      return await runOf('humaneval')
    },
    runMtBench: async () => {
      await upload('mtbench', JSON.stringify(QUESTION))
      return await runOf('mtbench', { judge_model: 'openai/gpt-4o-mini' })
    },
  }
}
