import { z } from 'zod'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall, PLAIN_DIALECT } from '../calls/answer-call.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'
import { ModelName } from '../../../core/gateway/wire/inference.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

/** These answers are never streamed. */
const NoStream = z
  .literal(false, { error: 'must be false or absent: this answer is not streamed' })
  .nullish()
  .meta({ description: 'This answer is not streamed' })
const DEFAULT_MODERATION = 'omni-moderation-latest'

export const embeddingsRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/embeddings',
  operationId: 'createEmbeddings',
  summary: 'Turn texts into vectors',
  description: "In OpenAI's form, from a provider that has embeddings. `model` is as in `POST /v1/chat/completions`.",
  errorShape: DIALECT_ERRORS['chat-completions'],
  body: z
    .looseObject({
      model: ModelName,
      input: z.union([z.string(), z.array(z.unknown())]).meta({ description: 'A text, texts, or their tokens' }),
      stream: NoStream,
    })
    .meta({
      id: 'EmbeddingsRequest',
      example: { model: 'text-embedding-3-small', input: 'Where is my parcel?' },
    }),
  answers: {
    200: rawDocument('The vectors', z.looseObject({ data: z.array(z.looseObject({})) }).meta({ id: 'Embeddings' })),
  },
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const target = targetOf(body.model)
  const call = { services, principal, requestId, request, hangUp, dialect: PLAIN_DIALECT, target }
  return await answerCall({ ...call, plain: 'embeddings', body: jsonOf(body) })
})

export const moderationsRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/moderations',
  operationId: 'createModeration',
  summary: 'Classify texts and images by what they may harm',
  description: `In OpenAI's form, from a provider that has moderations; \`${DEFAULT_MODERATION}\` when \`model\` is absent.`,
  errorShape: DIALECT_ERRORS['chat-completions'],
  body: z
    .looseObject({
      model: ModelName.optional(),
      input: z
        .union([z.string(), z.array(z.unknown())])
        .meta({ description: 'A text, texts, or parts with texts and images' }),
      stream: NoStream,
    })
    .meta({ id: 'ModerationRequest', example: { input: 'Where is my parcel?' } }),
  answers: {
    200: rawDocument('The classes', z.looseObject({ results: z.array(z.looseObject({})) }).meta({ id: 'Moderation' })),
  },
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const target = targetOf(body.model ?? DEFAULT_MODERATION)
  const call = { services, principal, requestId, request, hangUp, dialect: PLAIN_DIALECT, target }
  return await answerCall({ ...call, plain: 'moderations', body: jsonOf(body) })
})
