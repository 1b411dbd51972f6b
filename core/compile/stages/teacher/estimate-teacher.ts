import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import { GRAMMAR } from './programs/grammar.ts'
import { fitPrompt } from './show-rows.ts'
import type { TeacherIdentity } from './teacher-types.ts'

/** Inputs of a job's questions. */
export interface TeacherEstimateInput {
  readonly teacher: TeacherIdentity
  readonly task: string
  readonly sampleRows: readonly { readonly input: Json; readonly output: Json }[]
  readonly unlabelled: number
}

/** Expected cost of asking. The low end of money is 0: programs are requested only if the search finds none. */
export interface TeacherEstimate {
  readonly calls: number
  readonly tokens: number
  readonly usd: { readonly low: number; readonly expected: number; readonly high: number }
  readonly seconds: { readonly low: number; readonly expected: number; readonly high: number }
}

/** Characters of English and JSON per token, on average, in the tokenizers in use. */
const CHARS_PER_TOKEN = 3.5
/** Tokens of a usual program and of a label, as an answer. */
const PROGRAM_TOKENS = 900
const LABEL_TOKENS = 20
/** Characters of a prompt apart from grammar, rows and task. */
const PROMPT_CHARS = 1_200
/** Repairs for each sample, on average. */
const REPAIRS = 0.5
/** Tokens that a model writes in a second, and seconds until it begins. */
const TOKENS_PER_SECOND = 60
const FIRST_TOKEN_S = 1

/** Estimates calls, tokens, money and time of asking a teacher, within its budget. Null when its prices are not known. */
export function estimateTeacher(input: TeacherEstimateInput): TeacherEstimate | null {
  const { prices, settings } = input.teacher
  if (prices === null) return null
  const rows = input.sampleRows.map((row, i) => ({ id: String(i), ...row }))
  const shown = fitPrompt([...rows.keys()], rows).flatMap((place) => rows[place] ?? [])
  const rowChars = shown.reduce(
    (sum, row) => sum + canonicalJson(row.input).length + canonicalJson(row.output).length,
    0,
  )
  const programPrompt = (GRAMMAR.length + PROMPT_CHARS + input.task.length + rowChars) / CHARS_PER_TOKEN
  const labelPrompt = (PROMPT_CHARS + input.task.length + rowChars / 2) / CHARS_PER_TOKEN
  const programs = settings.programSamples * (1 + REPAIRS)
  const labels = input.unlabelled * settings.labelSamples
  const inputTokens = programs * programPrompt + labels * labelPrompt
  const outputTokens = programs * PROGRAM_TOKENS + labels * LABEL_TOKENS
  const usd = (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000
  const seconds = programs * (FIRST_TOKEN_S + PROGRAM_TOKENS / TOKENS_PER_SECOND) + labels * FIRST_TOKEN_S
  return {
    calls: Math.round(programs + labels),
    tokens: Math.round(inputTokens + outputTokens),
    usd: { low: 0, expected: Math.min(usd, settings.budgetUsd), high: settings.budgetUsd },
    seconds: { low: 0, expected: seconds / 4, high: seconds },
  }
}
