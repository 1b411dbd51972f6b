import { z } from 'zod'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/dialects/table.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf, ModelName } from './declaration.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

export const messagesRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/messages',
  operationId: 'createMessage',
  summary: "Answer in the form of Anthropic's messages",
  description: 'As `POST /v1/chat/completions`, with the bodies, events and errors of messages.',
  errorShape: DIALECT_ERRORS.messages,
  body: z
    .looseObject({
      model: ModelName,
      max_tokens: z.int().min(1),
      messages: z
        .array(z.looseObject({ role: z.string() }))
        .min(1)
        .meta({ description: 'As in messages' }),
      stream: z.boolean().optional().meta({ description: 'Answers with server-sent events' }),
    })
    .meta({
      id: 'MessageRequest',
      example: {
        model: 'claude-haiku-4-5',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Where is my parcel?' }],
      },
    }),
  answers: {
    200: rawDocument(
      'The message',
      z.looseObject({ content: z.array(z.looseObject({})) }).meta({ id: 'Message', description: 'As in messages' }),
      'text/event-stream',
    ),
  },
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const target = targetOf(body.model)
  const dialect = CALLER_TABLE.messages
  return await answerCall({ services, principal, requestId, request, hangUp, dialect, body: jsonOf(body), target })
})
