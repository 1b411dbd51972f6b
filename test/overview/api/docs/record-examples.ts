import { isJsonObject, type Json } from '../../../../core/kernel/json/json.ts'
import type { RecordedExample } from '../../../../api/overview/examples/recorded-examples.ts'
import { ROUTES } from '../../../../api/routes.ts'
import type { TestApi } from '../../../support/api.ts'
import { recordAdmin, recordLearning, recordQuestions, recordScim, type RecordCall } from './record-more.ts'

const PEOPLE = ['Ada Lovelace', 'Alan Turing', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
const EXAMPLES = PEOPLE.map((input) => ({ input, output: input.split(' ').toReversed().join(', ') }))
/** Three rows, two of which share an initial: the compiler takes it for a constant. */
const FEW = PEOPLE.slice(0, 3).map((input) => ({ input, output: `${input[0]}. ${input.split(' ')[1]}` }))

/** Entries that an example shows of a list of objects. */
const MOST_ENTRIES = 3

/** Calls the main routes as a new account does, and returns each call with its answer, without secrets. */
export async function recordExamples(api: TestApi): Promise<Readonly<Record<string, RecordedExample>>> {
  const recorded: Record<string, RecordedExample> = {}
  let key = ''

  const call: RecordCall = async (operationId, path, body, { silently = false, headers } = {}) => {
    const route = ROUTES.find((other) => other.operationId === operationId)
    if (!route) throw new Error(`no operation ${operationId}`)
    const sender = headers === undefined ? { key: key === '' ? undefined : key } : { headers }
    const answer = await api.call(route.method.toUpperCase(), path, { ...sender, body })
    if (answer.status >= 300) throw new Error(`${operationId} answered ${answer.status}: ${answer.text}`)
    const isJson = /^application\/(?:jwk-set\+|scim\+)?json(?:;|$)/.test(answer.headers.get('content-type') ?? '')
    if (!silently) {
      recorded[operationId] = {
        ...(body !== undefined && { body: publish(body, api.url) }),
        status: answer.status,
        answer: publish(isJson ? answer.body : answer.text, api.url),
      }
    }
    return answer.body
  }

  const account = await call('signUp', '/v1/signup', { email: 'ada@example.com', name: 'Analytical Engines' })
  await call('bootstrapAnonymous', '/v1/anon/bootstrap')
  key = account.api_key
  await call('whoAmI', '/v1/whoami')
  await call('previewCompile', '/v1/compile/preview', {
    text: 'name,index\nAda Lovelace,"Lovelace, Ada"\nAlan Turing,"Turing, Alan"\n',
  })
  await call('estimateCompile', '/v1/compile/estimate', { task: 'Family name first', examples: EXAMPLES })
  const job = await call('createCompile', '/v1/compile', {
    task: 'Family name first',
    examples: EXAMPLES,
    k_score_floor: 0.85,
  })
  const { id, concept_id: conceptId } = job
  await call('listCompiles', '/v1/compile?limit=2')
  await call('getCompile', `/v1/compile/${id}`)
  await call('listAudit', '/v1/account/audit-log?limit=2')
  await call('listCompileRows', `/v1/compile/${id}/rows?limit=2`)

  const run = await call('run', '/v1/run', { concept_id: conceptId, input: 'John Backus' })
  await call('verifyReceipt', '/v1/receipts/verify', { receipt: run.receipt })
  await call('runBatch', '/v1/run/batch', { concept_id: conceptId, inputs: ['John Backus', 'Ken Thompson'] })
  await call('getRunBatch', `/v1/run/batch/${batchOf(recorded['runBatch'])}`)

  await call('listArtifacts', '/v1/artifacts')
  await call('getArtifact', `/v1/artifacts/${id}`)
  await call('getArtifactCode', `/v1/artifacts/${id}/code?language=python`)
  await call('getArtifactRecipe', `/v1/artifacts/${id}/recipe`)
  await call('listConcepts', '/v1/concepts')
  await call('getConcept', `/v1/concepts/${conceptId}`)
  await call('getLineage', `/v1/concepts/${conceptId}/lineage`)
  await call('createExport', '/v1/exports', { artifact_id: id, target: 'svc' })
  const link = await call('createShareLink', '/v1/share-links', { target_id: id })
  await call('listShareLinks', '/v1/share-links')
  await call('revokeShareLink', `/v1/share-links/${link.id ?? link.share_link.id}`)

  const gated = await call('startCompile', '/v1/compile/start', { task: 'Initial and family name', examples: FEW })
  await untilEnded(
    async () => await call('getCompile', `/v1/compile/${gated.id ?? gated.job_id}`, undefined, { silently: true }),
  )
  await call('compileAgain', `/v1/compile/${gated.id ?? gated.job_id}/again`, {
    examples: [{ input: 'Edsger Dijkstra', output: 'E. Dijkstra' }],
    mode: 'async',
  })
  await call('acceptCompile', `/v1/compile/${gated.id ?? gated.job_id}/accept`)

  const scoped = await call('mintScopedKey', '/v1/account/scoped-keys', {
    scopes: ['compile:read', 'run'],
    label: 'ci',
  })
  await call('listScopedKeys', '/v1/account/scoped-keys')
  await call('revokeScopedKey', `/v1/account/scoped-keys/${scoped.id ?? scoped.key.id}`)
  await call('listKeys', '/v1/account/keys')
  await call('listScopes', '/v1/scopes')
  await call('getAccount', '/v1/account')
  await call('getAccountState', '/v1/account/state')
  await call('getSettings', '/v1/account/settings')
  await call('updateSettings', '/v1/account/settings', { timezone: 'Europe/Berlin' })
  await call('listOrgs', '/v1/orgs')
  await call('listPlans', '/v1/plans')
  await call('getUsage', '/v1/billing/usage')
  await call('listMeters', '/v1/billing/meters')
  await call('getBilling', '/v1/account/billing')
  await call('verifyAudit', '/v1/account/audit-log/verify')
  await call('getJwks', '/.well-known/jwks.json')
  await call('getHealth', '/v1/health')
  await recordLearning(call, EXAMPLES, [id, gated.id ?? gated.job_id])
  await recordQuestions(call)
  await recordAdmin(call, account.tenant.id)
  await recordScim(call)
  return recorded
}

async function untilEnded(read: () => Promise<{ readonly status: string }>): Promise<void> {
  while (['queued', 'running'].includes((await read()).status)) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Reads the id of a batch from the last of its lines. */
function batchOf(example: RecordedExample | undefined): string {
  const { answer } = example ?? {}
  const last = typeof answer === 'string' ? answer.trim().split('\n').at(-1) : undefined
  const { batch } = JSON.parse(last ?? '{}')
  return batch.id ?? batch.batch_id
}

/** Returns a value as it is published: without secrets, with a public address, and long lists cut. */
function publish(value: Json, url: string): Json {
  if (typeof value === 'string') return publicText(value, url)
  if (Array.isArray(value)) {
    const isLong = value.some((entry: Json) => typeof entry === 'object')
    return (isLong ? value.slice(0, MOST_ENTRIES) : value).map((entry: Json) => publish(entry, url))
  }
  if (value === null || typeof value !== 'object') return value
  // Validators of OpenAPI follow `$ref`, which SCIM has as a member of its own.
  const members = Object.entries(value).filter(([name]) => name !== '$ref')
  return Object.fromEntries(members.map(([name, member]) => [name, publish(member, url)]))
}

function publicText(text: string, url: string): string {
  return text
    .replaceAll(url, 'https://svc.example.org')
    .replaceAll(
      /\b(ks|kao|scim)_([0-9a-z]{12})_[0-9a-z]{26}/g,
      (_whole, kind, lookup) => `${kind}_${lookup}_${'0'.repeat(26)}`,
    )
    .replaceAll(/(\/r\/[0-9a-z]{26}\.[0-9a-z]+\.)[0-9a-f]{64}/g, `$1${'0'.repeat(64)}`)
}

/**
 * Returns the places at which two values differ in names or types. Null and an empty list have any type: some values are
 * there only after a moment.
 */
export function shapeDifferences(one: Json, other: Json, place = ''): readonly string[] {
  if (one === null || other === null) return []
  if (Array.isArray(one) && Array.isArray(other)) {
    const pairs = one.slice(0, other.length).map((entry: Json, i): [Json, Json] => [entry, other[i] ?? null])
    return pairs.flatMap(([a, b], i) => shapeDifferences(a, b, `${place}[${i}]`))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return typeof one === typeof other ? [] : [place]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) => {
    const [a, b] = [one[name], other[name]]
    return a === undefined || b === undefined ? [`${place}.${name}`] : shapeDifferences(a, b, `${place}.${name}`)
  })
}
