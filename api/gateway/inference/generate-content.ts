import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

const STREAMED = ':streamGenerateContent'

const GenerateBody = z
  .looseObject({
    contents: z.array(z.looseObject({})).min(1).meta({ description: 'As in generate-content' }),
  })
  .meta({
    id: 'GenerateContentRequest',
    example: { contents: [{ role: 'user', parts: [{ text: 'Where is my parcel?' }] }] },
  })
const GenerateAnswer = z
  .looseObject({ candidates: z.array(z.looseObject({})).optional() })
  .meta({ id: 'GenerateContentAnswer', description: 'As in generate-content' })

/** Declares the route under one version of Google's address. */
function contentRoute(version: 'v1' | 'v1beta', operationId: string) {
  return defineRoute({
    ...INFERENCE,
    method: 'post',
    path: `/${version}/models/{model}`,
    operationId,
    summary: "Answer in the form of Google's generate-content",
    description:
      "The address ends with `{model}:generateContent` or `{model}:streamGenerateContent?alt=sse`, as Google's SDK calls it. Otherwise as `POST /v1/chat/completions`, with the bodies, events and errors of generate-content.",
    errorShape: DIALECT_ERRORS['generate-content'],
    params: z.object({
      model: z
        .string()
        .max(300)
        .regex(/^[^\s:](.*[^\s:])?:(generateContent|streamGenerateContent)$/)
        .meta({ description: 'Model and method', example: 'no-such-model:generateContent' }),
    }),
    query: z.object({ alt: z.enum(['sse', 'json']).optional() }),
    body: GenerateBody,
    answers: {
      200: rawDocument('The content', GenerateAnswer, 'text/event-stream'),
    },
    errors: INFERENCE_ERRORS,
  }).handle(async ({ services, principal, requestId, request, hangUp, params: { model: call }, query, body }) => {
    if (call.endsWith(STREAMED) && query.alt !== 'sse')
      throw invalidField('alt', 'must be sse: a stream has no other form')
    const name = call.slice(0, call.lastIndexOf(':'))
    const dialect = CALLER_TABLE['generate-content']
    const asked = { ...jsonOf(body), model: name, stream: call.endsWith(STREAMED) }
    const target = targetOf(name)
    return await answerCall({ services, principal, requestId, request, hangUp, dialect, body: asked, target })
  })
}

export const generateContentRoute = contentRoute('v1', 'generateContent')
export const generateContentBetaRoute = contentRoute('v1beta', 'generateContentBeta')
