import { z } from 'zod'
import type { PlainKind } from '../../../core/gateway/calls/providers.ts'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { OPERATOR_TENANT_ID } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { foreignKeyOf } from '../../kernel/guard/credentials.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import type { InferenceCall } from '../calls/open-call.ts'
import { requireKeyText } from '../calls/find-reach.ts'
import { MessageAnswer, MessageBody } from '../../../core/gateway/wire/inference.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

/** Facts that all addresses of messages share. */
const MESSAGES = { ...INFERENCE, method: 'post', errorShape: DIALECT_ERRORS.messages } as const
const ANSWER = { 200: rawDocument('The message', MessageAnswer, 'text/event-stream') } as const

const CountBody = MessageBody.omit({ max_tokens: true, stream: true }).meta({
  id: 'MessageTokensRequest',
  example: { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'Where is my parcel?' }] },
})
const COUNT = {
  ...MESSAGES,
  body: CountBody,
  answers: {
    200: rawDocument('The count', z.looseObject({ input_tokens: z.int() }).meta({ id: 'MessageTokenCount' })),
  },
} as const

/** The facts of a call that handlers of these routes pass on. */
type Given = Omit<InferenceCall, 'dialect' | 'body' | 'target' | 'plain' | 'visitor' | 'anthropicKey' | 'principal'> & {
  readonly body: z.output<typeof CountBody>
}

/** The call of a handler. */
function callOf({ services, requestId, request, hangUp, body }: Given, plain?: PlainKind) {
  const call = { services, requestId, request, hangUp, dialect: CALLER_TABLE.messages, body: jsonOf(body) }
  return { ...call, target: targetOf(body.model), ...(plain !== undefined && { plain }) }
}

export const messagesRoute = defineRoute({
  ...MESSAGES,
  path: '/v1/messages',
  operationId: 'createMessage',
  summary: "Answer in the form of Anthropic's messages",
  description: 'As `POST /v1/chat/completions`, with the bodies, events and errors of messages.',
  body: MessageBody,
  answers: ANSWER,
  errors: INFERENCE_ERRORS,
}).handle(async ({ principal, ...given }) => await answerCall({ ...callOf(given), principal }))

export const countMessageTokensRoute = defineRoute({
  ...COUNT,
  path: '/v1/messages/count_tokens',
  operationId: 'countMessageTokens',
  summary: "Count the tokens of a request in the form of Anthropic's messages",
  description:
    'Asks Anthropic, which counts models of its own; for another model the answer is `not_translatable`. It is free of charge there and counts as a call here.',
  errors: INFERENCE_ERRORS,
}).handle(async ({ principal, ...given }) => await answerCall({ ...callOf(given, 'token-counts'), principal }))

/**
 * The caller without an account: as an anonymous workspace it gets no key of the operator. It has no scope, so it can ask
 * for a stricter policy than the usual one and for no laxer one.
 */
const VISITOR: Principal = {
  tenantId: OPERATOR_TENANT_ID,
  plan: 'free',
  quota: null,
  kind: 'anonymous',
  keyId: null,
  memberId: null,
  teamId: null,
  scopes: [],
}

/** Facts of the addresses that also take a key at Anthropic alone. */
const ALIAS = {
  auth: 'optional',
  passesForeignKeys: true,
  limit: {
    name: 'messages_alias',
    limit: 'messages_alias_per_ip_minute',
    windowS: 60,
    counts: 'calls',
    isOfProcess: true,
  },
  errors: [...INFERENCE_ERRORS, 'missing_credential'],
} as const

/** Answers a call with a key of this service, at Anthropic, or both. Throws `missing_credential` for neither. */
async function answerAlias(
  given: Given & { readonly principal: Principal | undefined; readonly ip: string },
  plain?: PlainKind,
) {
  const { principal, request, ip } = given
  const sent = foreignKeyOf(request)
  const anthropicKey = sent && requireKeyText(sent, 'x-api-key')
  if (principal === undefined && anthropicKey === undefined && !hasUpstreamKey(request.headers)) {
    throw KERNEL_ERRORS.missing_credential(
      'send a key of this service or your key at Anthropic in the X-API-Key header',
    )
  }
  return await answerCall({
    ...callOf(given, plain),
    principal: principal ?? VISITOR,
    ...(principal === undefined && { visitor: ip }),
    anthropicKey,
  })
}

export const messagesAliasRoute = defineRoute({
  ...MESSAGES,
  ...ALIAS,
  path: '/anthropic/v1/messages',
  operationId: 'createAnthropicMessage',
  summary: "Answer in the form of Anthropic's messages, also with a key at Anthropic alone",
  description:
    "For Anthropic's SDK with the base address `/anthropic`. With a key of this service as `POST /v1/messages`; a key at Anthropic may come along in the other one of `X-API-Key` and `Authorization`. Without a key of this service the key at Anthropic is required, there or in `x-upstream-api-key`: the call then passes the same privacy policy and guardrails with their usual settings and is not counted, signed or captured. A caller with neither is answered 401.",
  body: MessageBody,
  answers: ANSWER,
}).handle(async (given) => await answerAlias(given))

export const countMessageTokensAliasRoute = defineRoute({
  ...COUNT,
  ...ALIAS,
  path: '/anthropic/v1/messages/count_tokens',
  operationId: 'countAnthropicMessageTokens',
  summary: "Count the tokens of a request in the form of Anthropic's messages, also with a key at Anthropic alone",
  description: 'As `POST /v1/messages/count_tokens`, with the keys of `POST /anthropic/v1/messages`.',
}).handle(async (given) => await answerAlias(given, 'token-counts'))

function hasUpstreamKey(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['x-upstream-api-key'] !== undefined || headers['x-anthropic-api-key'] !== undefined
}
