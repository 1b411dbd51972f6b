import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import {
  AssistantAnswer,
  AssistantBody,
  AssistantChatAnswer,
  AssistantChatBody,
  ChatDocsAnswer,
  ChatDocsBody,
} from '../../../../core/gateway/wire/assist/assistant.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { grantsScope } from '../../../../core/kernel/scopes.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { INFERENCE_ERRORS } from '../../inference/declaration.ts'
import { defineRoute } from '../../services.ts'
import { countAsked } from './account-counts.ts'
import { answerQuestion } from './answer-question.ts'
import { commandsIn, fittingCommands } from './commands.ts'
import { presentChat, presentMade } from './present.ts'

/** Tokens that an answer without a wish of its own may have. */
const MAX_TOKENS = 512

const HOW =
  "The documentation of this service is searched for the sections that fit. With a key for a model, the tenant's or the operator's, a model answers from these sections alone and cites them: a call like any other, with gate, budget, receipt and capture (namespace `assistant`). Without one, or when the provider does not answer, the answer is made of sentences of the sections. What the documentation does not answer gets `known: false`."

export const assistantRoute = defineRoute({
  method: 'post',
  path: '/v1/assistant',
  operationId: 'askAssistant',
  group: 'assistant',
  summary: 'Ask how to do something with this service',
  description: `${HOW} \`next_steps\` are commands of the guides that fit. "How many artifacts do I have?" is answered by the counts of the account.`,
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'bounded',
  stores: 'bounded',
  body: AssistantBody,
  fieldCodes: { prompt: 'missing_prompt' },
  answers: { 200: envelope('The answer', AssistantAnswer) },
  errors: ['missing_prompt', ...INFERENCE_ERRORS],
}).handle(async ({ services, principal, op, requestId, request, hangUp, body: { prompt, model } }) => {
  const startedAt = performance.now()
  const counts = grantsScope(principal.scopes, 'account:read') ? await services.countBelongings(op) : null
  const data = counts === null ? null : { counts: { ...counts } }
  const counted = counts === null ? null : countAsked(prompt, counts)
  if (counted !== null) {
    const made = presentMade({ steps: [], sources: [], isKnown: true, reply: null, isByModel: false }, startedAt)
    return { status: 200, body: { intent: 'account', narration: counted, ...made, data, next_steps: [] } }
  }
  const answered = await answerQuestion(
    { services, principal, requestId, request, hangUp },
    { question: prompt, before: null, pages: null, system: undefined, conversation: [], maxTokens: MAX_TOKENS, model },
  )
  return {
    status: 200,
    headers: answered.reply?.headers ?? {},
    body: {
      intent: answered.isKnown ? 'docs' : 'unknown',
      narration: answered.text,
      ...presentMade(answered, startedAt),
      data,
      next_steps: answered.isKnown ? await fittingCommands(services.handbook, prompt) : [],
    },
  }
})

export const assistantChatRoute = defineRoute({
  method: 'post',
  path: '/v1/assistant/chat',
  operationId: 'chatWithAssistant',
  group: 'assistant',
  summary: 'Talk with the assistant',
  description: (limits) =>
    `${HOW} For paid plans; ${limits.assistant_chats_per_tenant_hour} calls an hour for each tenant.`,
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'bounded',
  stores: 'bounded',
  body: AssistantChatBody,
  fieldCodes: { prompt: 'missing_prompt' },
  answers: { 200: envelope('The answer', AssistantChatAnswer) },
  errors: ['missing_prompt', 'plan_upgrade_required', ...INFERENCE_ERRORS],
})
  .authorize(async ({ principal }) => {
    if (principal.plan !== 'free') return
    throw ACCOUNTS_ERRORS.plan_upgrade_required(
      'the assistant answers chats of paid plans; POST /v1/assistant is for all',
      {
        details: { plan: principal.plan },
      },
    )
  })
  .handle(async ({ services, principal, requestId, request, hangUp, body }) => {
    const startedAt = performance.now()
    const { headers } = await services.assistLimits.chat(principal.tenantId)
    const { prompt, system, conversation, max_tokens: maxTokens, model } = body
    const before = conversation.findLast(({ role }) => role === 'user')?.content ?? null
    const answered = await answerQuestion(
      { services, principal, requestId, request, hangUp },
      { question: prompt, before, pages: null, system, conversation, maxTokens, model },
    )
    return {
      status: 200,
      headers: { ...answered.reply?.headers, ...headers },
      body: presentChat(answered, newId('turn'), startedAt),
    }
  })

export const chatDocsRoute = defineRoute({
  method: 'post',
  path: '/v1/assistant/chat-docs',
  operationId: 'askDocumentation',
  group: 'assistant',
  summary: 'Ask the documentation',
  description: (limits) =>
    `${HOW} Without a key the answer is made of sentences, for ${limits.docs_questions_per_ip_day} questions a day from one address. \`sources\` are sections that exist; \`commands\` says of each command in the answer whether the guides show it.`,
  auth: 'optional',
  scope: 'gateway:call',
  namespace: 'bounded',
  stores: 'bounded',
  limit: { name: 'questions', limit: 'questions_per_ip_minute', windowS: 60, counts: 'calls', isOfProcess: true },
  body: ChatDocsBody,
  answers: { 200: envelope('The answer', ChatDocsAnswer) },
  errors: [...INFERENCE_ERRORS],
}).handle(async ({ services, principal, requestId, request, hangUp, ip, body }) => {
  const startedAt = performance.now()
  const counted = principal === undefined ? await services.assistLimits.docs(ip) : undefined
  const { query, top_k_doc_urls: pages = null, model } = body
  const answered = await answerQuestion(
    { services, principal, requestId, request, hangUp },
    { question: query, before: null, pages, system: undefined, conversation: [], maxTokens: MAX_TOKENS, model },
  )
  return {
    status: 200,
    headers: { ...answered.reply?.headers, ...counted?.headers },
    body: {
      ...presentChat(answered, newId('turn'), startedAt),
      commands: await commandsIn(services.handbook, answered.text),
    },
  }
})
