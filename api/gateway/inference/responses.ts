import { z } from 'zod'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'
import { ModelName } from '../../../core/gateway/wire/inference.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

export const responsesRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/responses',
  operationId: 'createResponse',
  summary: "Answer in the form of OpenAI's responses",
  description:
    'As `POST /v1/chat/completions`, with the bodies and events of responses. `previous_response_id` and references to items name responses that this tenant received. What else OpenAI keeps between calls (`conversation`, files) and `background` work with OpenAI and a key of your own only, its own tools with OpenAI only; else the answer is `not_translatable`.',
  errorShape: DIALECT_ERRORS.responses,
  body: z
    .looseObject({
      model: ModelName,
      input: z
        .union([z.string(), z.array(z.looseObject({}).meta({ id: 'ResponseInputItem' }))])
        .optional()
        .meta({ description: 'A text, or items as in responses' }),
      stream: z.boolean().nullish().meta({ description: 'Answers with server-sent events' }),
    })
    .meta({ id: 'ResponseRequest', example: { model: 'gpt-4o-mini', input: 'Where is my parcel?' } }),
  answers: {
    200: rawDocument(
      'The response',
      z.looseObject({ output: z.array(z.looseObject({})) }).meta({ id: 'Response', description: 'As in responses' }),
      'text/event-stream',
    ),
  },
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const target = targetOf(body.model)
  const dialect = CALLER_TABLE.responses
  return await answerCall({ services, principal, requestId, request, hangUp, dialect, body: jsonOf(body), target })
})
