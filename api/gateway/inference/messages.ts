import { targetOf } from '../../../core/gateway/calls/target.ts'
import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { OPERATOR_TENANT_ID } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { foreignKeyOf } from '../../kernel/guard/credentials.ts'
import { rawDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { answerCall } from '../calls/answer-call.ts'
import { requireKeyText } from '../calls/find-reach.ts'
import { MessageAnswer, MessageBody } from '../../../core/gateway/wire/inference.ts'
import { INFERENCE, INFERENCE_ERRORS, jsonOf } from './declaration.ts'
import { DIALECT_ERRORS } from '../calls/error-shapes.ts'

/** Facts that both addresses of messages share. */
const MESSAGES = {
  ...INFERENCE,
  method: 'post',
  errorShape: DIALECT_ERRORS.messages,
  body: MessageBody,
  answers: {
    200: rawDocument('The message', MessageAnswer, 'text/event-stream'),
  },
} as const

export const messagesRoute = defineRoute({
  ...MESSAGES,
  path: '/v1/messages',
  operationId: 'createMessage',
  summary: "Answer in the form of Anthropic's messages",
  description: 'As `POST /v1/chat/completions`, with the bodies, events and errors of messages.',
  errors: INFERENCE_ERRORS,
}).handle(async ({ services, principal, requestId, request, hangUp, body }) => {
  const target = targetOf(body.model)
  const dialect = CALLER_TABLE.messages
  return await answerCall({ services, principal, requestId, request, hangUp, dialect, body: jsonOf(body), target })
})

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

export const messagesAliasRoute = defineRoute({
  ...MESSAGES,
  path: '/anthropic/v1/messages',
  operationId: 'createAnthropicMessage',
  summary: "Answer in the form of Anthropic's messages, also with a key at Anthropic alone",
  description:
    "For Anthropic's SDK with the base address `/anthropic`. With a key of this service as `POST /v1/messages`; a key at Anthropic may come along in the other one of `X-API-Key` and `Authorization`. Without a key of this service the key at Anthropic is required, there or in `x-upstream-api-key`: the call then passes the same privacy policy and guardrails with their usual settings and is not counted, signed or captured. A caller with neither is answered 401.",
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
}).handle(async ({ services, principal, requestId, request, ip, hangUp, body }) => {
  const sent = foreignKeyOf(request)
  const anthropicKey = sent && requireKeyText(sent, 'x-api-key')
  if (principal === undefined && anthropicKey === undefined && !hasUpstreamKey(request.headers)) {
    throw KERNEL_ERRORS.missing_credential(
      'send a key of this service or your key at Anthropic in the X-API-Key header',
    )
  }
  return await answerCall({
    services,
    principal: principal ?? VISITOR,
    ...(principal === undefined && { visitor: ip }),
    anthropicKey,
    requestId,
    request,
    hangUp,
    dialect: CALLER_TABLE.messages,
    body: jsonOf(body),
    target: targetOf(body.model),
  })
})

function hasUpstreamKey(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['x-upstream-api-key'] !== undefined || headers['x-anthropic-api-key'] !== undefined
}
