import { z } from 'zod'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute, type Route } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'

const PARTS = z.looseObject({ parts: z.array(z.looseObject({})).min(1) })
const CONTENT = PARTS.meta({ description: 'As in generate-content' })
const EXAMPLE = { parts: [{ text: 'Where is my parcel?' }] }

/** Methods of Google's models besides those that generate content. */
const METHODS = {
  countTokens: {
    operationId: 'countContentTokens',
    plain: 'token-counts',
    summary: "Count the tokens of a request in the form of Google's generate-content",
    description:
      'Asks Google, which counts models of its own; for another model the answer is `not_translatable`. It is free of charge there and counts as a call here.',
    body: z
      .looseObject({
        contents: z.array(z.looseObject({})).optional(),
        generateContentRequest: z.looseObject({}).optional(),
      })
      .meta({ id: 'CountTokensRequest', example: { contents: [{ role: 'user', ...EXAMPLE }] } }),
    answer: rawDocument('The count', z.looseObject({ totalTokens: z.int() }).meta({ id: 'ContentTokenCount' })),
  },
  embedContent: {
    operationId: 'embedContent',
    plain: 'embeddings',
    summary: "Turn a text into a vector in the form of Google's embed-content",
    description:
      'Passed on to Google, and translated for a model of another provider that has embeddings: then `taskType` and `title` are left out, which `X-Svc-Left-Out` names.',
    body: z
      .looseObject({ content: CONTENT, outputDimensionality: z.int().min(1).optional() })
      .meta({ id: 'EmbedContentRequest', example: { content: EXAMPLE } }),
    answer: rawDocument('The vector', z.looseObject({ embedding: z.looseObject({}) }).meta({ id: 'ContentEmbedding' })),
  },
  batchEmbedContents: {
    operationId: 'batchEmbedContents',
    plain: 'embeddings',
    summary: "Turn texts into vectors in the form of Google's embed-content",
    description: 'As `:embedContent`, for several texts. The model of each is that of the address.',
    body: z
      .looseObject({ requests: z.array(z.looseObject({ content: CONTENT })).min(1) })
      .meta({ id: 'BatchEmbedContentsRequest', example: { requests: [{ content: EXAMPLE }] } }),
    answer: rawDocument(
      'The vectors',
      z.looseObject({ embeddings: z.array(z.looseObject({})) }).meta({ id: 'ContentEmbeddings' }),
    ),
  },
} as const

/** Declares a method under one version of Google's address. */
function methodRoute(version: 'v1' | 'v1beta', method: keyof typeof METHODS) {
  const { operationId, plain, summary, description, body, answer } = METHODS[method]
  return defineRoute({
    ...INFERENCE,
    method: 'post',
    path: `/${version}/models/{model}:${method}`,
    operationId: version === 'v1' ? operationId : `${operationId}Beta`,
    summary,
    description,
    errorShape: DIALECT_ERRORS['generate-content'],
    params: z.object({
      model: z.string().min(1).max(256).meta({ description: 'The name of a model', example: 'no-such-model' }),
    }),
    body,
    answers: { 200: answer },
    errors: INFERENCE_ERRORS,
  }).handle(async ({ services, principal, requestId, request, hangUp, params: { model }, body: given }) => {
    const dialect = CALLER_TABLE['generate-content']
    const call = { services, principal, requestId, request, hangUp, dialect, plain, target: targetOf(model) }
    return await answerCall({ ...call, body: { ...jsonOf(given), model } })
  })
}

/** The routes of these methods. */
export const CONTENT_METHOD_ROUTES: readonly Route[] = (['v1', 'v1beta'] as const).flatMap((version) => [
  methodRoute(version, 'countTokens'),
  methodRoute(version, 'embedContent'),
  methodRoute(version, 'batchEmbedContents'),
])
