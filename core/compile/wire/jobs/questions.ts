import { z } from 'zod'
import { JsonValue } from '../../../kernel/wire/values.ts'
import type { Limits } from '../../limits.ts'

/** Seconds that a question waits when the caller says nothing. */
const USUAL_WAIT_S = 600

/** The member `questions` of a compile's body. */
export function questionChoices({ questions_per_compile: most, question_wait_s: longest }: Limits) {
  return z
    .object({
      max: z.int().min(0).max(most).default(0).meta({ description: 'Questions that the compile may ask; 0 asks none' }),
      wait: z
        .int()
        .min(1)
        .max(longest)
        .default(Math.min(USUAL_WAIT_S, longest))
        .meta({ description: 'Seconds that each question waits; then the compile goes on without an answer' }),
    })
    .meta({
      description:
        'Lets the compile ask for the outputs of unlabelled inputs on which its candidates disagree. The job stays `running` with `asking: true` meanwhile. A call without `mode` then answers 202.',
    })
}

/** Why an input is asked about, as `core/compile/questions` names it. */
export const QUESTION_REASONS = ['candidates_disagree', 'best_fails', 'new_shape'] as const

/** State of a question: only an `open` one takes an answer. */
export const QUESTION_STATES = ['open', 'answered', 'skipped', 'invalid_input', 'expired'] as const
export type QuestionState = (typeof QUESTION_STATES)[number]

/** One question of a job. */
export const QuestionView = z
  .object({
    question: z.int().meta({ description: 'Number of the question in its job, from 1' }),
    state: z.enum(QUESTION_STATES),
    input: JsonValue,
    reason: z.enum(QUESTION_REASONS).meta({
      description:
        '`candidates_disagree`: the candidates give different outputs. `best_fails`: the best candidate gives none. `new_shape`: its output has a form that no example has.',
    }),
    answers: z
      .array(z.object({ output: JsonValue, share: z.number() }))
      .meta({ description: 'The competing outputs with their shares of the candidates, the likeliest first' }),
    unanswered: z.number().meta({ description: 'Share of the candidates that have no output for the input' }),
    output: JsonValue.optional().meta({ description: 'The given answer' }),
    asked_at: z.iso.datetime(),
    answer_by: z.iso.datetime().meta({ description: 'From then on the compile goes on without an answer' }),
    answered_at: z.iso.datetime().optional(),
  })
  .meta({ id: 'CompileQuestion' })
export type QuestionView = z.input<typeof QuestionView>

/** The body of `POST /v1/compile/{id}/answers`. */
export const AnswerBody = z
  .object({
    question: z.int().min(1).meta({ description: 'Number of the question' }),
    answer: z
      .union([
        z.object({ output: JsonValue.meta({ description: 'The right output: any JSON value' }) }),
        z.enum(['skip', 'invalid_input']),
      ])
      .meta({
        description:
          '`{"output": …}` adds an example. `skip` leaves the input open. `invalid_input` says that no such input occurs.',
      }),
  })
  .meta({ id: 'CompileAnswer', example: { question: 1, answer: { output: 'Knuth' } } })
export type AnswerBody = z.input<typeof AnswerBody>

/** Answer of `POST /v1/compile/{id}/answers`. */
export const AnsweredQuestion = z.object({ question: QuestionView })
