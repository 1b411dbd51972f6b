import { z } from 'zod'
import { textUpTo } from '../../../kernel/wire/text.ts'

/** A section that an answer was taken from. */
export const AnswerSource = z
  .object({
    n: z.int().meta({ description: 'Its number in the answer, `[1]`' }),
    title: z.string().meta({ description: 'Title of the page' }),
    heading: z.string(),
    url: z.string().nullable().meta({ description: 'Path below this service; null for a section of the README' }),
  })
  .meta({ id: 'AnswerSource' })
/** A section that an answer was taken from. */
export type AnswerSource = z.infer<typeof AnswerSource>

const Step = z
  .object({
    by: z.string().meta({ description: '`provider:model`, or `documentation` for sentences of it' }),
    outcome: z.enum(['answered', 'unknown', 'uncited', 'failed']),
    code: z.string().nullable().meta({ description: 'Why it failed' }),
  })
  .meta({ id: 'AssistantStep' })

/** Facts about its making that every answer of the assistant states. */
const Made = {
  known: z.boolean().meta({ description: 'False when the documentation does not answer the question' }),
  sources: z.array(AnswerSource).meta({ description: 'The sections that the answer cites' }),
  provider_used: z.string().nullable().meta({ description: 'Null for sentences of the documentation' }),
  model_used: z.string().nullable(),
  cost_usd: z.number().nullable().meta({ description: '0 without a provider; null for a model without a known price' }),
  latency_ms: z.int(),
  fallback_chain: z.array(Step).meta({ description: 'Who was asked, in order' }),
}

const Model = z
  .string()
  .min(1)
  .max(256)
  .meta({ description: 'As in `POST /v1/chat/completions`; chosen by the keys at hand when absent' })

/** The body of a prompt. */
export const AssistantBody = z
  .object({
    prompt: textUpTo(2000).meta({ example: 'How do I list my artifacts?' }),
    model: Model.optional(),
  })
  .meta({ id: 'AssistantPrompt', example: { prompt: 'How do I list my artifacts?' } })

/** The answer to a prompt. */
export const AssistantAnswer = z.object({
  intent: z
    .enum(['docs', 'account', 'unknown'])
    .meta({ description: 'What answers: the documentation, or the counts of your account' }),
  narration: z.string().meta({ description: 'The answer in Markdown' }),
  ...Made,
  data: z
    .object({ counts: z.record(z.string(), z.int()) })
    .meta({ id: 'AssistantData' })
    .nullable()
    .meta({ description: 'What the account has, for a key with the scope `account:read`' }),
  next_steps: z.array(z.string()).meta({ description: 'Commands of the guides that fit' }),
})

/** The body of a chat. */
export const AssistantChatBody = z
  .object({
    prompt: textUpTo(2000).meta({ example: 'How do I list my artifacts?' }),
    system: z.string().max(8000).optional().meta({ description: 'How to answer, such as the language' }),
    max_tokens: z.int().min(16).max(2048).default(512),
    conversation: z
      .array(
        z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(8000) }).meta({ id: 'AssistantTurn' }),
      )
      .max(200)
      .default([])
      .meta({ description: 'What was said before; the last twelve are read' }),
    model: Model.optional(),
  })
  .meta({ id: 'AssistantChat', example: { prompt: 'How do I list my artifacts?' } })

const ChatAnswer = {
  response: z.string().meta({ description: 'The answer in Markdown' }),
  ...Made,
  turn_id: z.string(),
  passport_hash: z
    .string()
    .nullable()
    .meta({ description: 'SHA-256 of the signed receipt of the call; null without one' }),
  capture_id: z.string().nullable(),
  first_token_ms: z.int().nullable(),
  total_ms: z.int(),
}

/** The answer of a chat. */
export const AssistantChatAnswer = z.object(ChatAnswer)

/** The body of a question to the documentation. */
export const ChatDocsBody = z
  .object({
    query: textUpTo(1200).meta({ example: 'How do I list my artifacts?' }),
    top_k_doc_urls: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(16)
      .optional()
      .meta({ description: 'Answers from these pages only, by their paths', example: ['/docs/guides/captures'] }),
    model: Model.optional(),
  })
  .meta({ id: 'DocsQuestion', example: { query: 'How do I list my artifacts?' } })

/** The answer to a question to the documentation. */
export const ChatDocsAnswer = z.object({
  ...ChatAnswer,
  commands: z
    .object({
      commands: z.array(
        z
          .object({
            raw: z.string(),
            verb: z.string(),
            known: z.boolean().meta({ description: 'Whether the guides show this verb' }),
          })
          .meta({ id: 'AnswerCommand' }),
      ),
      unknown_count: z.int(),
    })
    .meta({ id: 'AnswerCommands', description: 'Commands of `svc` in the answer' }),
})
