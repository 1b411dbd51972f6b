import { z } from 'zod'
import { targetAt, targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/dialects/table.ts'
import type { GatewayProviderId } from '../../../core/gateway/calls/providers.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf, ModelName } from './declaration.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

const ChatBody = z
  .looseObject({
    model: ModelName,
    messages: z
      .array(z.looseObject({ role: z.string() }))
      .min(1)
      .meta({ description: 'As in chat completions' }),
    stream: z.boolean().nullish().meta({ description: 'Answers with server-sent events' }),
    accelerated: z.literal(false).optional().meta({ description: 'Accelerated inference is not available' }),
  })
  .meta({
    id: 'ChatCompletionRequest',
    example: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is my parcel?' }] },
  })

const ChatAnswer = z
  .looseObject({ choices: z.array(z.looseObject({})) })
  .meta({ id: 'ChatCompletion', description: 'As in chat completions' })

/** Declares a route of chat completions; `provider` is fixed for the alias of one. */
function chatRoute(path: `/${string}`, operationId: string, summary: string, provider?: GatewayProviderId) {
  return defineRoute({
    ...INFERENCE,
    method: 'post',
    path,
    operationId,
    summary,
    description:
      'Takes and answers what OpenAI does, from any provider: requests and answers are translated where the provider speaks another dialect. `model` is `provider:model`, or a name that tells its provider. With `stream` events are passed on as they come; a stream that breaks off ends with an error event. Disconnecting cancels the call at the provider. `x-upstream-api-key` gives a key for this call, `x-svc-route-chain` lists models that answer when the first fails, `x-svc-timeout-ms` bounds the time to the answer.',
    errorShape: DIALECT_ERRORS['chat-completions'],
    body: ChatBody,
    answers: { 200: rawDocument('The completion', ChatAnswer, 'text/event-stream') },
    errors: INFERENCE_ERRORS,
  }).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
    const target = provider === undefined ? targetOf(body.model) : targetAt(provider, body.model)
    const dialect = CALLER_TABLE['chat-completions']
    return await answerCall({ services, principal, requestId, request, hangUp, dialect, body: jsonOf(body), target })
  })
}

export const chatCompletionsRoute = chatRoute('/v1/chat/completions', 'createChatCompletion', 'Complete a chat')
export const geminiChatRoute = chatRoute(
  '/v1/gemini/chat/completions',
  'createGeminiChatCompletion',
  'Complete a chat with a model of Google',
  'google',
)
export const openRouterChatRoute = chatRoute(
  '/v1/openrouter/chat/completions',
  'createOpenRouterChatCompletion',
  'Complete a chat with a model of OpenRouter',
  'openrouter',
)
