import { z } from 'zod'
import { DIALECTS, type DialectName } from '../../core/gateway/providers/provider.ts'

/** Settings of the frontier model that compiles may ask. */
export interface TeacherEnvironment {
  readonly dialect: DialectName
  readonly baseUrl?: string
  readonly apiKey: string
  readonly model: string
  /** US dollars per million tokens; absent: the built-in table's. */
  readonly prices?: { readonly input: number; readonly cached: number; readonly output: number }
  /** US dollars that one job may spend. */
  readonly budgetUsd: number
  readonly programSamples: number
  readonly labelSamples: number
  readonly samplesPerCall: number
  readonly maxOutputTokens: number
  readonly concurrency: number
  readonly timeoutMs: number
}

const Usd = z.coerce.number({ error: 'must be a number of US dollars' }).min(0).max(100_000)
const countTo = (most: number) => z.coerce.number({ error: 'must be a number' }).int().min(1).max(most)

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** The variables of the teacher, as part of the environment's schema. */
export const TEACHER_VARIABLES = {
  SVC_TEACHER_DIALECT: z.enum(DIALECTS, { error: `must be one of ${DIALECTS.join(', ')}` }).default('chat-completions'),
  SVC_TEACHER_BASE_URL: z
    .string()
    .refine(isHttp, { error: 'must be an address that starts with http:// or https://' })
    .optional(),
  SVC_TEACHER_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, { error: 'must be printable ASCII without spaces' })
    .optional(),
  SVC_TEACHER_MODEL: z.string().optional(),
  SVC_TEACHER_INPUT_USD: Usd.optional(),
  SVC_TEACHER_OUTPUT_USD: Usd.optional(),
  SVC_TEACHER_CACHED_USD: Usd.optional(),
  SVC_TEACHER_BUDGET_USD: Usd.default(2),
  SVC_TEACHER_SAMPLES: countTo(16).default(8),
  SVC_TEACHER_LABEL_SAMPLES: countTo(16).default(5),
  SVC_TEACHER_SAMPLES_PER_CALL: countTo(16).default(1),
  SVC_TEACHER_MAX_OUTPUT_TOKENS: countTo(131_072).default(8192),
  SVC_TEACHER_CONCURRENCY: countTo(64).default(4),
  SVC_TEACHER_TIMEOUT_S: countTo(1800).default(180),
}

type TeacherVariables = z.output<z.ZodObject<typeof TEACHER_VARIABLES>>

/** Reads the teacher if its key is set; returns a line for each missing variable. */
export function readTeacher(variables: TeacherVariables): {
  readonly teacher?: TeacherEnvironment
  readonly problems: readonly string[]
} {
  const {
    SVC_TEACHER_API_KEY: apiKey,
    SVC_TEACHER_MODEL: model,
    SVC_TEACHER_BASE_URL: baseUrl,
    SVC_TEACHER_INPUT_USD: input,
    SVC_TEACHER_OUTPUT_USD: output,
    SVC_TEACHER_CACHED_USD: cached,
  } = variables
  if (apiKey === undefined) return { problems: [] }
  const problems = [
    ...(model === undefined ? ['SVC_TEACHER_MODEL: is required with SVC_TEACHER_API_KEY'] : []),
    ...((input === undefined) === (output === undefined)
      ? []
      : ['SVC_TEACHER_INPUT_USD, SVC_TEACHER_OUTPUT_USD: give both or neither']),
  ]
  if (model === undefined || problems.length > 0) return { problems }
  return {
    problems,
    teacher: {
      dialect: variables.SVC_TEACHER_DIALECT,
      apiKey,
      model,
      budgetUsd: variables.SVC_TEACHER_BUDGET_USD,
      programSamples: variables.SVC_TEACHER_SAMPLES,
      labelSamples: variables.SVC_TEACHER_LABEL_SAMPLES,
      samplesPerCall: variables.SVC_TEACHER_SAMPLES_PER_CALL,
      maxOutputTokens: variables.SVC_TEACHER_MAX_OUTPUT_TOKENS,
      concurrency: variables.SVC_TEACHER_CONCURRENCY,
      timeoutMs: variables.SVC_TEACHER_TIMEOUT_S * 1000,
      ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }),
      ...(input !== undefined && output !== undefined && { prices: { input, output, cached: cached ?? input } }),
    },
  }
}
