import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import OpenAI from 'openai'
import pLimit from 'p-limit'
import type { z } from 'zod'
import { createApiClient, type ApiClient } from '../../cli/client/api-client.ts'
import { CliError } from '../../cli/cli-error.ts'
import { paint } from '../../cli/terminal/output.ts'
import { formatFacts, formatTable } from '../../cli/terminal/table.ts'
import { receiptInHeaders } from '../../core/gateway/record/receipts/carry-receipt.ts'
import { verifyAnswer } from '../../core/gateway/record/receipts/verify-answer.ts'
import { VerifyCapturesAnswer } from '../../core/gateway/wire/captures/captures.ts'
import { ListCapturesAnswer } from '../../core/gateway/wire/captures/reads.ts'
import { ReviewCapturesAnswer, type ReviewCapturesBody } from '../../core/gateway/wire/captures/reviews.ts'
import { NamespaceAnswer, type NamespaceSettingsBody } from '../../core/gateway/wire/namespaces.ts'
import { RunAnswer, type RunBody } from '../../core/compile/wire/run.ts'
import { JwkSet, trustKeys, type TrustedKeys } from '../../core/ledger/keys/jwk.ts'
import type { DemoOptions } from '../demo.ts'
import { signUp } from '../sign-up.ts'
import { compileCaptures } from './compile-captures.ts'
import { LOCAL_MODEL, triage } from './local-upstream.ts'
import { readTickets, readUnseenTickets, TICKET_TASK } from './tickets.ts'

const NAMESPACE = 'support'
/** The provider of the operator's own server, and the one model that it has. */
const MODEL = `local-svc:${LOCAL_MODEL}`
const AT_ONCE = 8

/** A call of a model through the gateway, as the SDK of OpenAI makes it. */
interface Gateway {
  readonly ask: (ticket: string) => Promise<Response>
}

/**
 * From the first call of a model to an own artifact that answers in its place: calls through the gateway, a verified
 * receipt, captures, review, compile, route. Answers the tenant's key. Throws `CliError` when any of it does not hold.
 */
export async function runGatewayDemo({
  apiUrl,
  output,
  archiveDir,
  step,
}: DemoOptions): Promise<{ readonly apiKey: string }> {
  step('signing up a tenant')
  const guest = createApiClient({ url: apiUrl, apiKey: undefined })
  const { tenant, api_key: apiKey } = await signUp(guest, apiUrl)
  output.note(`  ${tenant.name} (${tenant.id}), plan ${tenant.plan}`)
  const client = createApiClient({ url: apiUrl, apiKey })
  await putSettings(client, { durable: 'before_answer' })

  step('pointing an SDK at the gateway')
  output.note(`  const openai = new OpenAI({ baseURL: '${apiUrl}/v1', apiKey: 'ks_…' })`)
  output.note(`  openai.chat.completions.create({ model: '${MODEL}', messages })`)
  const openai = new OpenAI({ baseURL: `${apiUrl}/v1`, apiKey, maxRetries: 0 })
  const gateway: Gateway = {
    ask: async (ticket) =>
      await openai.chat.completions
        .create(
          {
            model: MODEL,
            messages: [
              { role: 'system', content: TICKET_TASK },
              { role: 'user', content: ticket },
            ],
          },
          { headers: { 'x-svc-namespace': NAMESPACE } },
        )
        .asResponse(),
  }

  const tickets = readTickets()
  step(
    `sending ${tickets.length} tickets to ${LOCAL_MODEL}, a server that answers by keywords and is no language model`,
  )
  const { keys } = await guest.call('/.well-known/jwks.json', JwkSet)
  const [first = '', ...others] = tickets
  const kept = await verifyFirst(await gateway.ask(first), trustKeys(keys), archiveDir)
  output.note(`  ${first}  ${paint('bold', kept.answer)}`)
  output.note(`  ${kept.checks}`)
  output.note(`  svc verify-response ${kept.bodyFile} --headers ${kept.headersFile}`)
  const limit = pLimit(AT_ONCE)
  await Promise.all(others.map(async (ticket) => await limit(async () => await answerOf(await gateway.ask(ticket)))))

  step('listing and approving what was captured')
  const ids = await approveAll(client, tickets.length)
  output.note(
    `  ${ids.length} captures in the namespace ${NAMESPACE}, approved (svc captures list, svc captures review)`,
  )
  const verified = await client.call(`/v1/captures/verify?namespace=${NAMESPACE}`, VerifyCapturesAnswer)
  if (!verified.verified) throw new CliError(`the chain of captures is broken: ${verified.reason ?? ''}`)
  output.note(`  the chain of ${verified.chain_length} captures is valid, head ${verified.head.slice(0, 16)}…`)

  step(`compiling the approved captures (svc compile --from-captures ${NAMESPACE})`)
  const job = await compileCaptures(client, { namespace: NAMESPACE, task: TICKET_TASK, output })

  const chain = job.captures?.chains.at(-1)
  if (job.captures === undefined || chain === undefined) throw new CliError('the job names no captures')
  output.note(
    `  ${job.captures.used} captures became examples; the archive names the head of their chain, ${chain.head.slice(0, 16)}…`,
  )

  step('running the artifact by itself')
  const [unseen = ''] = readUnseenTickets()
  const run = await client.call('/v1/run', RunAnswer, {
    method: 'POST',
    json: { version_id: job.version_id, input: unseen } satisfies z.input<typeof RunBody>,
  })
  output.note(`  ${unseen}  ${paint('bold', typeof run.output === 'string' ? run.output : JSON.stringify(run.output))}`)

  step('putting it first in the namespace, and calling the gateway as before')
  await putSettings(client, { durable: 'before_answer', artifact_id: job.id })
  const routes = await routeUnseen(gateway)
  output.note(formatTable(['', 'ticket', 'answer', 'answered by'], routes.rows).replaceAll(/^/gm, '  '))
  if (routes.own === 0) throw new CliError('no call was answered by the artifact')

  process.stdout.write(
    `\n${formatFacts([
      ['calls', `${tickets.length + routes.rows.length}, each captured and signed`],
      ['recipe', job.recipe_kind ?? 'unknown'],
      ['K-score', `${job.k_score?.toFixed(4) ?? ''} (floor ${job.k_score_floor})`],
      [
        'own answers',
        `${routes.own} of ${routes.rows.length} new tickets; the artifact leaves the others to the model`,
      ],
      ['artifact', job.id],
    ])}\n`,
  )
  return { apiKey }
}

async function putSettings(client: ApiClient, settings: z.input<typeof NamespaceSettingsBody>): Promise<void> {
  await client.call(`/v1/gateway/namespaces/${NAMESPACE}`, NamespaceAnswer, { method: 'PUT', json: settings })
}

/** Verifies an answer as `svc verify-response` does, from the two files that it leaves for that. */
async function verifyFirst(response: Response, keys: TrustedKeys, folder: string) {
  const body = new Uint8Array(await response.arrayBuffer())
  const headers = `HTTP/1.1 ${response.status}\r\n${[...response.headers].map((pair) => `${pair.join(': ')}\r\n`).join('')}`
  const files = { bodyFile: join(folder, 'gateway-answer.json'), headersFile: join(folder, 'gateway-answer.headers') }
  await Promise.all([writeFile(files.bodyFile, body), writeFile(files.headersFile, headers)])
  const carried = receiptInHeaders(headers)
  if (carried === null) throw new CliError('the answer has no receipt')
  const { ok, trusted, checks } = verifyAnswer(body, carried, keys)
  if (!ok || trusted !== 'trusted') {
    throw new CliError(`the answer does not verify: ${checks.map(({ detail }) => detail).join('; ')}`)
  }
  const verdict = `${paint('green', '✔')} its receipt verifies offline: ${checks.map(({ name }) => name).join(', ')}`
  return { ...files, answer: contentOf(JSON.parse(Buffer.from(body).toString('utf8'))), checks: verdict }
}

async function answerOf(response: Response): Promise<{ readonly answer: string; readonly model: string }> {
  const body: OpenAI.ChatCompletion = JSON.parse(await response.text())
  return { answer: contentOf(body), model: body.model }
}

function contentOf({ choices }: OpenAI.ChatCompletion): string {
  return choices[0]?.message.content ?? ''
}

/** Approves every capture of the namespace. A person reviews; here the rule of the upstream is known to be right. */
async function approveAll(client: ApiClient, expected: number): Promise<readonly string[]> {
  const query = new URLSearchParams({ namespace: NAMESPACE, status: 'pending', limit: '200' })
  const { captures } = await client.call(`/v1/captures/list?${query.toString()}`, ListCapturesAnswer)
  if (captures.length !== expected) throw new CliError(`${captures.length} of ${expected} calls were captured`)
  const ids = captures.map(({ id }) => id)
  const json = { ids, action: 'approve', reason: 'answered by the rule' } satisfies z.input<typeof ReviewCapturesBody>
  const { updated_count: count } = await client.call('/v1/captures/review-bulk', ReviewCapturesAnswer, {
    method: 'POST',
    json,
  })
  if (count !== expected) throw new CliError(`${count} of ${expected} captures were approved`)
  return ids
}

/** Asks the unseen tickets, and reads from the headers which way each went. */
async function routeUnseen({ ask }: Gateway) {
  const rows: string[][] = []
  let own = 0
  for (const ticket of readUnseenTickets()) {
    const response = await ask(ticket)
    const { answer, model } = await answerOf(response)
    const isOwn = response.headers.get('x-svc-artifact-id') !== null
    if (isOwn) own += 1
    const confidence = `confidence ${Number(response.headers.get('x-svc-confidence')).toFixed(2)}`
    const reason = response.headers.get('x-svc-fallback-reason') ?? 'first choice'
    const mark = answer === triage(ticket) ? paint('green', '✔') : paint('red', '✘')
    rows.push([mark, ticket, answer, isOwn ? `the artifact, ${confidence}` : `${model}: ${reason}`])
  }
  return { rows, own }
}
