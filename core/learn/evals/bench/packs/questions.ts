import { z } from 'zod'

const MOST_CHARS = 200_000
const Text = z.string().max(MOST_CHARS)

/** A question of MMLU; those of `dev` are the examples of the official prompt. */
export const MmluQuestion = z.object({
  subject: z.string(),
  split: z.enum(['test', 'dev']),
  question: Text,
  choices: z.array(Text).length(4),
  /** Place of the right choice. */
  answer: z.int().min(0).max(3),
})
export type MmluQuestion = z.output<typeof MmluQuestion>

/** A line of HumanEval.jsonl. */
export const HumanEvalTask = z.object({
  task_id: z.string().min(1).max(200),
  prompt: Text.min(1),
  entry_point: z.string().regex(/^[A-Za-z_]\w{0,199}$/, { error: 'is no name of a function' }),
  canonical_solution: Text.default(''),
  test: Text.min(1),
})

/** A line of question.jsonl of MT-Bench. */
export const MtBenchQuestion = z.object({
  question_id: z.union([z.int(), z.string().min(1).max(200)]),
  category: z.string().min(1).max(100),
  turns: z.array(Text.min(1)).length(2, { error: 'must be two turns' }),
  reference: z.array(Text).max(2).default([]),
})
