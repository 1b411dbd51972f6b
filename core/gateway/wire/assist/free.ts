import { z } from 'zod'
import { AnswerSource } from './assistant.ts'

/** Longest free question, in characters. */
export const FREE_QUESTION_CHARS = 600

/** The body of a free question. */
export const FreeChatBody = z
  .object({
    question: z
      .string()
      .trim()
      .min(1, { error: 'must not be empty' })
      .refine((text) => text.length <= FREE_QUESTION_CHARS, {
        error: `must have at most ${FREE_QUESTION_CHARS} characters`,
        params: { code: 'question_too_long' },
      })
      .meta({ example: 'How do I list my artifacts?' }),
    previous_workflow: z
      .string()
      .max(600)
      .optional()
      .meta({ description: 'The question before this one, where this one follows it' }),
  })
  .meta({ id: 'FreeQuestion', example: { question: 'How do I list my artifacts?' } })

const Command = z
  .object({ command: z.string(), why: z.string(), confidence: z.number().min(0).max(1) })
  .meta({ id: 'FittingCommand' })

/** The model that answered a free call. */
const FreeMode = z.enum(['free', 'auth']).meta({ description: '`auth` with a key' })
const LeftToday = z
  .int()
  .nullable()
  .meta({ description: 'Free calls that the address has left today; null with a key' })
const CallToAction = z.string().nullable().meta({ description: 'Where to get a key; null with one' })

/** The answer to a free question. */
export const FreeChatAnswer = z.object({
  mode: FreeMode,
  question: z.string(),
  answer: z.string().meta({ description: 'Sentences of the documentation, in Markdown' }),
  known: z.boolean().meta({ description: 'False when the documentation does not answer the question' }),
  sources: z.array(AnswerSource),
  verb: z.string().nullable().meta({ description: 'Of the command' }),
  command: z.string().nullable().meta({ description: 'The command of the guides that fits best; null for none' }),
  args: z.array(z.string()),
  why: z.string().nullable().meta({ description: 'What the guides say about the command' }),
  confidence: z.number().min(0).max(1).meta({ description: 'Share of the question that the command answers' }),
  source: z.string().nullable().meta({ description: 'Where the command is shown' }),
  workflow: z
    .object({
      summary: z.string(),
      steps: z.array(z.object({ cmd: z.string(), why: z.string() }).meta({ id: 'WorkflowStep' })),
    })
    .meta({ id: 'FreeWorkflow' })
    .nullable()
    .meta({ description: 'The commands of the section that the command is from, in their order' }),
  alternatives: z.array(Command),
  snapshot: z
    .object({ plan: z.string(), counts: z.record(z.string(), z.int()) })
    .meta({ id: 'FreeSnapshot' })
    .nullable()
    .meta({ description: 'What the account has; null without a key' }),
  remaining: LeftToday,
  cta: CallToAction,
})

/** The body of a free command. */
export const FreeCommandBody = z
  .object({
    command: z.string().max(10_000).meta({ description: 'One of the allowlist', example: 'svc version' }),
  })
  .meta({ id: 'FreeCommand', example: { command: 'svc version' } })

/** The answer to a command. */
export const FreeCommandAnswer = z.object({
  mode: FreeMode,
  command: z.string(),
  argv: z.array(z.string()),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  exit_code: z.int().meta({ description: 'As of the command line' }),
  signal: z.string().nullable().meta({ description: 'No process runs' }),
  duration_ms: z.int(),
  remaining: LeftToday,
  cta: CallToAction,
})

/** The commands that are answered. */
export const FreeAllowlistAnswer = z.object({
  verbs: z.array(z.string()),
  subverbs: z.record(z.string(), z.array(z.string())),
  commands: z.array(z.object({ usage: z.string(), summary: z.string() }).meta({ id: 'FreeCommandHelp' })),
  caps: z.object({
    wall_time_ms: z.int(),
    stdout_bytes: z.int(),
    stderr_bytes: z.int(),
    daily_per_ip: z.int(),
  }),
})
