import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import { MessageAnswer, MessageBody } from '../../../core/gateway/wire/inference.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

export const messagesRoute = defineRoute({
  ...INFERENCE,
  method: 'post',
  path: '/v1/messages',
  operationId: 'createMessage',
  summary: "Answer in the form of Anthropic's messages",
  description: 'As `POST /v1/chat/completions`, with the bodies, events and errors of messages.',
  errorShape: DIALECT_ERRORS.messages,
  body: MessageBody,
  answers: {
    200: rawDocument('The message', MessageAnswer, 'text/event-stream'),
  },
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const target = targetOf(body.model)
  const dialect = CALLER_TABLE.messages
  return await answerCall({ services, principal, requestId, request, hangUp, dialect, body: jsonOf(body), target })
})
