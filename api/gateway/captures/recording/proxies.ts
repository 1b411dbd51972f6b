import { targetAt } from '../../../../core/gateway/calls/target.ts'
import type { GatewayProviderId } from '../../../../core/gateway/calls/providers.ts'
import { CALLER_TABLE } from '../../../../core/gateway/protocol/dialects/table.ts'
import { rawDocument } from '../../../kernel/reply/answers.ts'
import { answerCall } from '../../calls/answer-call.ts'
import { DIALECT_ERRORS } from '../../calls/error-shapes.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from '../../inference/declaration.ts'
import { ChatAnswer, ChatBody, MessageAnswer, MessageBody } from '../../../../core/gateway/wire/inference.ts'
import { defineRoute, type Route } from '../../services.ts'
import { requireAccess } from '../access.ts'

/** The providers of capture proxies: the name in the path, the provider, and how it is named to people. */
const PROVIDERS = [
  { name: 'openai', id: 'openai', title: 'OpenAI' },
  { name: 'gemini', id: 'google', title: 'Google' },
  { name: 'openrouter', id: 'openrouter', title: 'OpenRouter' },
] as const satisfies readonly { readonly name: string; readonly id: GatewayProviderId; readonly title: string }[]

/** Suffixes that SDKs append to a base address; all lead to the same route. */
const SUFFIXES = ['', '/chat/completions', '/v1/chat/completions'] as const
/** The published SDK of Anthropic appends its own. */
const MESSAGE_SUFFIXES = [...SUFFIXES, '/v1/messages'] as const

const SAME = 'The same as the address without its end: SDKs append one.'

/** Ends of operation ids by suffix. */
const NAMES: Readonly<Record<(typeof MESSAGE_SUFFIXES)[number], string>> = {
  '': '',
  '/chat/completions': 'Chat',
  '/v1/chat/completions': 'ChatV1',
  '/v1/messages': 'Messages',
}

function chatProxy({ name, id, title }: (typeof PROVIDERS)[number], suffix: (typeof SUFFIXES)[number]): Route {
  const operation = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return defineRoute({
    ...INFERENCE,
    group: 'captures',
    method: 'post',
    path: `/v1/capture/${name}${suffix}`,
    operationId: `capture${operation}${NAMES[suffix]}`,
    summary: `Call a model of ${title} and capture the call`,
    description:
      suffix === ''
        ? `As \`POST /v1/chat/completions\`, with ${title} as the provider: point an SDK at this address, and its calls are captured. The answer names its capture in \`x-svc-capture-id\`.`
        : SAME,
    errorShape: DIALECT_ERRORS['chat-completions'],
    body: ChatBody,
    answers: { 200: rawDocument('The completion', ChatAnswer, 'text/event-stream') },
    errors: [...INFERENCE_ERRORS, 'forbidden'],
  })
    .authorize(async ({ op, principal }) => {
      await requireAccess({ op, principal }, 'capture:write')
    })
    .handle(async ({ services, principal, requestId, request, hangUp, body }) => {
      const call = { services, principal, requestId, request, hangUp, body: jsonOf(body) }
      return await answerCall({
        ...call,
        dialect: CALLER_TABLE['chat-completions'],
        target: targetAt(id, body.model),
      })
    })
}

function messagesProxy(suffix: (typeof MESSAGE_SUFFIXES)[number]): Route {
  return defineRoute({
    ...INFERENCE,
    group: 'captures',
    method: 'post',
    path: `/v1/capture/anthropic${suffix}`,
    operationId: `captureAnthropic${NAMES[suffix]}`,
    summary: 'Call a model of Anthropic and capture the call',
    description:
      suffix === ''
        ? "As `POST /v1/messages`, with Anthropic as the provider: point an SDK at this address, and its calls are captured. Bodies and answers are in Anthropic's form. The answer names its capture in `x-svc-capture-id`."
        : SAME,
    errorShape: DIALECT_ERRORS.messages,
    body: MessageBody,
    answers: { 200: rawDocument('The message', MessageAnswer, 'text/event-stream') },
    errors: [...INFERENCE_ERRORS, 'forbidden'],
  })
    .authorize(async ({ op, principal }) => {
      await requireAccess({ op, principal }, 'capture:write')
    })
    .handle(async ({ services, principal, requestId, request, hangUp, body }) => {
      const call = { services, principal, requestId, request, hangUp, body: jsonOf(body) }
      return await answerCall({ ...call, dialect: CALLER_TABLE.messages, target: targetAt('anthropic', body.model) })
    })
}

/** Routes that call a model of one provider and capture the call. */
export const CAPTURE_PROXIES: readonly Route[] = [
  ...PROVIDERS.flatMap((provider) => SUFFIXES.map((suffix) => chatProxy(provider, suffix))),
  ...MESSAGE_SUFFIXES.map((suffix) => messagesProxy(suffix)),
]
