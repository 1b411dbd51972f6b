/**
 * Distilling a teacher into a student by `gkd`, beside supervised training on the same teacher's answers:
 * `node bench/model/gkd.ts [--base bases/nano] [--seeds N] [--steps N] [--prompts N] [--task NAME]`. For each task a teacher, an adapter of rank 16,
 * learns from many rows. A student of rank 4 learns the teacher's greedy answers to some prompts for some steps, and then continues for as many:
 * supervised with the same answers, or by `gkd`, as its authors begin with a student that was fine-tuned.
 * Accuracy is the share of held-out rows that are answered exactly, greedily. Writes .out/gkd.json; some minutes for each seed.
 */
import { parseArgs } from 'node:util'
import { openBaseModel, type OpenedBase } from '../../core/model/files/base-model.ts'
import { adapterHash, type LoraAdapter } from '../../core/model/files/lora-adapter.ts'
import { openOfflineGenerator } from '../../core/model/generation/offline-generator.ts'
import type { FitInput, FitTeacher } from '../../core/model/training/fit/fit-types.ts'
import { runFit } from '../../core/model/training/fit/run-fit.ts'
import { defaultHyperparameters, type Hyperparameters } from '../../core/model/training/hyperparameters.ts'
import { createPromptEncoder, promptFormatFor } from '../../core/model/training/prompt.ts'
import { countTokens, type TrainingRow } from '../../core/model/training/rows.ts'
import { report, short } from '../harness/report.ts'
import { drawRows, GKD_TASKS, type GkdRow, type GkdTask } from './gkd/tasks.ts'

const TEACHER_ROWS = 300
const HELD_OUT = 200
const MAX_NEW_TOKENS = 24

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'bases/nano' },
    seeds: { type: 'string', default: '2' },
    steps: { type: 'string', default: '150' },
    task: { type: 'string' },
    prompts: { type: 'string', default: '120' },
    threads: { type: 'string', default: '2' },
  },
})
const threads = Number(values.threads)
const opened = await openBaseModel(values.base)
const [endTokenId = 0] = opened.model.config.eosTokenIds
const encoder = createPromptEncoder(promptFormatFor(opened), { ...opened, endTokenId })
const generator = openOfflineGenerator(opened.model, opened.tokenizer, { threads })

function encoded(rows: readonly GkdRow[]): readonly TrainingRow[] {
  return rows.map(({ input, output }, index) => ({
    id: `${index}`,
    prompt: encoder.prompt(input),
    answer: encoder.answer(output),
    weight: 1,
  }))
}

async function answersOf(rows: readonly GkdRow[], adapter: LoraAdapter): Promise<readonly string[]> {
  const ref = { hash: adapterHash(adapter), adapter }
  return await Promise.all(
    rows.map(async ({ input }) => {
      const request = { promptIds: [...encoder.prompt(input)], adapter: ref, options: { maxNewTokens: MAX_NEW_TOKENS } }
      return (await generator.generate(request)).text
    }),
  )
}

async function accuracyOf(rows: readonly GkdRow[], adapter: LoraAdapter): Promise<number> {
  const answers = await answersOf(rows, adapter)
  return rows.filter(({ output }, index) => answers[index] === output).length / rows.length
}

async function fit(
  { model }: OpenedBase,
  rows: readonly TrainingRow[],
  changes: Partial<Hyperparameters>,
  more: Pick<FitInput, 'teacher' | 'start'> = {},
) {
  const { contextLength, hiddenSize } = model.config
  const facts = { rows: rows.length, tokens: countTokens(rows), contextLength, hiddenSize }
  return await runFit(
    {
      base: model,
      rows,
      validation: [],
      hyperparameters: defaultHyperparameters(facts, 'supervised', { epochs: 10_000, ...changes }),
      ...more,
      memoryBudgetBytes: Number.MAX_SAFE_INTEGER,
      threads,
    },
    {},
  )
}

async function measure(task: GkdTask, seed: number) {
  const taken = new Set<string>()
  const heldOut = drawRows(task, HELD_OUT, 1, taken)
  const prompts = drawRows(task, Number(values.prompts), 100 + seed, taken)
  const steps = Number(values.steps)
  const taught = await fit(opened, encoded(drawRows(task, TEACHER_ROWS, 200 + seed, taken)), {
    seed,
    maxSteps: 2 * steps,
  })
  const teacher: FitTeacher = { ...opened.model, adapter: taught.adapter }
  const answers = await answersOf(prompts, taught.adapter)
  const rows = encoded(prompts.map(({ input }, index) => ({ input, output: answers[index] ?? '' })))
  const student = { rank: 4, alpha: 8, seed, maxSteps: steps }
  const objective = {
    kind: 'gkd',
    beta: 0.5,
    lmbda: 0.5,
    temperature: 1,
    maxNewTokens: MAX_NEW_TOKENS,
    warmup: 0,
  } as const
  const { adapter: start } = await fit(opened, rows, student)
  const supervised = await fit(opened, rows, student, { start })
  const started = performance.now()
  const distilled = await fit(opened, rows, { ...student, objective }, { start, teacher })
  const seconds = (performance.now() - started) / 1000
  const ofTeacher = await accuracyOf(heldOut, taught.adapter)
  const ofStudent = await accuracyOf(heldOut, distilled.adapter)
  return {
    task: task.name,
    seed,
    held_out: heldOut.length,
    teacher: short(ofTeacher),
    sft: short(await accuracyOf(heldOut, supervised.adapter)),
    gkd: short(ofStudent),
    of_teacher: short(ofStudent / ofTeacher),
    on_policy: short(distilled.onPolicyShare ?? 0),
    gkd_tokens_s: Math.round(distilled.usefulTokens / seconds),
  }
}

const found = []
for (const task of GKD_TASKS.filter(({ name }) => values.task === undefined || name === values.task)) {
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const measured = await measure(task, seed)
    process.stderr.write(`${JSON.stringify(measured)}\n`)
    found.push(measured)
  }
}
await generator.close()
await report('gkd', found)
