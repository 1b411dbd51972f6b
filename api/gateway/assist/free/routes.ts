import type { z } from 'zod'
import {
  FreeAllowlistAnswer,
  FreeChatAnswer,
  FreeChatBody,
  FreeCommandAnswer,
  FreeCommandBody,
} from '../../../../core/gateway/wire/assist/free.ts'
import { DOCUMENTS } from '../../../kernel/guard/public-limits.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { passagesFor } from '../../../../core/kernel/search/extract-answer.ts'
import type { SearchIndex } from '../../../../core/kernel/search/search-index.ts'
import { grantsScope } from '../../../../core/kernel/scopes.ts'
import type { Principal } from '../../../../db/kernel/tenant/principal.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { defineRoute, type GatewayServices } from '../../services.ts'
import { answerQuestion } from '../assistant/answer-question.ts'
import { readCommandLine } from './command-line.ts'
import { describeCommands, runCommand, type CommandResult } from './commands.ts'

/** Bytes of what a command writes. */
const MOST_BYTES = 8192
/** Time that a command may take. */
const MOST_MS = 5000
const MOST_ALTERNATIVES = 3
const SIGN_UP = 'POST /v1/signup gives a key, whose questions are not counted'

const FREE = {
  group: 'assistant',
  auth: 'optional',
  scope: 'account:read',
  namespace: 'bounded',
  stores: 'bounded',
  limit: { name: 'questions', limit: 'questions_per_ip_minute', windowS: 60, counts: 'calls', isOfProcess: true },
} as const

export const freeChatRoute = defineRoute({
  ...FREE,
  method: 'post',
  path: '/v1/free/chat',
  operationId: 'askFreely',
  summary: 'Ask how to do something, without a key',
  description: (limits) =>
    `Answered by sentences of the documentation and by the command of the guides that fits; no model is asked. An address has ${limits.free_chats_per_ip_day} questions a day. With a key they are not counted, and \`snapshot\` tells what the account has.`,
  body: FreeChatBody,
  fieldCodes: { question: 'missing_question' },
  answers: { 200: envelope('The answer', FreeChatAnswer) },
  errors: ['missing_question', 'question_too_long', 'free_quota_exceeded'],
}).handle(async ({ services, principal, op, requestId, request, hangUp, ip, body }) => {
  const counted = principal === undefined ? await services.assistLimits.freeChat(ip) : undefined
  const { question, previous_workflow: before = null } = body
  const answered = await answerQuestion(
    { services, principal: undefined, requestId, request, hangUp },
    { question, before, pages: null, system: undefined, conversation: [], maxTokens: 1, model: undefined },
  )
  const commands = answered.isKnown ? suggest(await services.handbook.commands(), question) : NO_COMMAND
  return {
    status: 200,
    headers: counted?.headers ?? {},
    body: {
      mode: principal === undefined ? 'free' : 'auth',
      question,
      answer: answered.text,
      known: answered.isKnown,
      sources: answered.sources.map((source) => ({ ...source })),
      ...commands,
      snapshot: await snapshotOf(services, principal, op),
      remaining: counted?.remaining ?? null,
      cta: principal === undefined ? SIGN_UP : null,
    },
  }
})

type Suggested = Pick<
  z.input<typeof FreeChatAnswer>,
  'verb' | 'command' | 'args' | 'why' | 'confidence' | 'source' | 'workflow' | 'alternatives'
>

const NO_COMMAND: Suggested = {
  verb: null,
  command: null,
  args: [],
  why: null,
  confidence: 0,
  source: null,
  workflow: null,
  alternatives: [],
}

/** The commands of the guides that fit a question, and what else their section shows. */
function suggest(commands: SearchIndex, question: string): Suggested {
  const [best, ...others] = passagesFor(commands, question, 1 + MOST_ALTERNATIVES)
  if (best === undefined) return NO_COMMAND
  const whyOf = ({ passage }: typeof best): string => passage.blocks[0]?.text ?? passage.title
  const { heading: command, title, url } = best.passage
  const [, verb = null, ...args] = command.split(/\s+/)
  const steps = commands.passages
    .filter((passage) => passage.title === title && passage.url === url)
    .map((passage) => ({ cmd: passage.heading, why: passage.blocks[0]?.text ?? title }))
  return {
    verb,
    command,
    args,
    why: whyOf(best),
    confidence: rounded(best.coverage),
    source: url,
    workflow: steps.length > 1 ? { summary: title, steps } : null,
    alternatives: others.map((found) => ({
      command: found.passage.heading,
      why: whyOf(found),
      confidence: rounded(found.coverage),
    })),
  }
}

function rounded(share: number): number {
  return Math.round(share * 100) / 100
}

async function snapshotOf(
  { countBelongings }: GatewayServices,
  principal: Principal | undefined,
  op: Operation | undefined,
): Promise<z.input<typeof FreeChatAnswer>['snapshot']> {
  if (principal === undefined || op === undefined || !grantsScope(principal.scopes, 'account:read')) return null
  return { plan: principal.plan, counts: { ...(await countBelongings(op)) } }
}

export const freeCommandRoute = defineRoute({
  ...FREE,
  method: 'post',
  path: '/v1/free/cli',
  operationId: 'runFreeCommand',
  summary: 'Run one read-only command',
  description: (limits) =>
    `Commands of \`GET /v1/free/cli/allowlist\`, answered in this process from what the service knows: no shell, no process. An address has ${limits.free_commands_per_ip_day} a day; with a key they are not counted.`,
  body: FreeCommandBody,
  answers: { 200: envelope('What the command writes', FreeCommandAnswer) },
  errors: [
    'empty_command',
    'command_too_long',
    'unbalanced_quote',
    'not_a_svc_command',
    'missing_verb',
    'verb_not_allowed',
    'subverb_not_allowed',
    'arg_rejected',
    'free_quota_exceeded',
  ],
}).handle(async ({ services, principal, op, requestId, request, hangUp, ip, body: { command } }) => {
  const startedAt = performance.now()
  const line = readCommandLine(command)
  const counted = principal === undefined ? await services.assistLimits.freeCommand(ip) : undefined
  const { stdout, stderr, exitCode } = await inTime(
    runCommand(line, { services, principal, op, requestId, request, hangUp }),
  )
  const [out, err] = [cut(stdout), cut(stderr)]
  return {
    status: 200,
    headers: counted?.headers ?? {},
    body: {
      mode: principal === undefined ? 'free' : 'auth',
      command,
      argv: ['svc', line.verb, ...line.args],
      stdout: out,
      stderr: err,
      truncated: out !== stdout || err !== stderr,
      exit_code: exitCode,
      signal: null,
      duration_ms: Math.round(performance.now() - startedAt),
      remaining: counted?.remaining ?? null,
      cta: principal === undefined ? SIGN_UP : null,
    },
  }
})

export const freeAllowlistRoute = defineRoute({
  method: 'get',
  path: '/v1/free/cli/allowlist',
  operationId: 'listFreeCommands',
  group: 'assistant',
  summary: 'List the commands that POST /v1/free/cli answers',
  auth: 'public',
  scope: undefined,
  limit: DOCUMENTS,
  answers: { 200: envelope('The commands', FreeAllowlistAnswer) },
}).handle(async ({ services: { limits } }) => ({
  status: 200,
  body: {
    ...describeCommands(),
    caps: {
      wall_time_ms: MOST_MS,
      stdout_bytes: MOST_BYTES,
      stderr_bytes: MOST_BYTES,
      daily_per_ip: limits.free_commands_per_ip_day,
    },
  },
}))

/** Returns the result of a command, or that it took too long. */
async function inTime(work: Promise<CommandResult>): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>()
  const late = { stdout: '', stderr: `svc: took longer than ${MOST_MS} ms\n`, exitCode: 1 }
  const timer = setTimeout(() => resolve(late), MOST_MS)
  return await Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** The beginning of a text, within the bytes of what a command may write. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text
  return Buffer.from(text)
    .subarray(0, MOST_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '')
}
