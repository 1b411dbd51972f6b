import { isDeepStrictEqual } from 'node:util'
import type { Route } from '../../../../api/kernel/route.ts'
import { ROUTES } from '../../../../api/routes.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Database } from '../../../../db/kernel/database.ts'
import type { Answer, CallOptions, TestApi } from '../../api.ts'
import { sendSql } from '../../db/send-sql.ts'
import { bodyOf, endingPathOf, pathOf, schemasOf } from '../declared-routes.ts'
import { unknownLike } from '../unknown-id.ts'

/** The routes that a tenant's key opens. */
export const OWNED = ROUTES.filter(({ auth }) => auth === 'key' || auth === 'optional')
/** Those that bound a key to its namespaces. */
export const BOUNDED = OWNED.filter(({ namespace }) => namespace === 'bounded')
/** Those that such a key may not call. */
const REFUSED = OWNED.filter(({ namespace }) => namespace === 'refused')

const EXAMPLES = Array.from({ length: 4 }, (_, i) => ({ input: `in ${i}`, output: `OUT ${i}` }))
/** A compile that is accepted. */
export const COMPILE = { task: 'Write it in capitals', mode: 'async', base_model: 'none', examples: EXAMPLES }
/** Other fields that a body needs before the id in it is looked up; by the field as well where it matters. `inside` stands for the own namespace, `inside:cid` for the CID in it. */
const COMPLETIONS: Readonly<Record<string, JsonObject>> = {
  run: { input: 'x' },
  runBatch: { inputs: ['x'] },
  createCompile: COMPILE,
  startCompile: COMPILE,
  compileBuilder: { task: COMPILE.task, examples: EXAMPLES },
  createExport: { target: 'svc' },
  planExport: { target: 'gguf' },
  mintScopedKey: { scopes: ['run', 'namespace:inside'] },
  forgetCaptures: { confirm: true },
  bakeOffAudio: { namespace: 'inside', confirm: true },
  'createCompile dataset_id': { task: COMPILE.task, mode: 'async', base_model: 'none' },
  'diffArtifacts a_cid': { b_cid: 'inside:cid' },
  'diffArtifacts b_cid': { a_cid: 'inside:cid' },
  runMmlu: { confirm: true },
  'runMmlu pack_id': { confirm: true, artifact_id: 'inside:cmp' },
  runHumanEval: { confirm: true },
  'runHumanEval pack_id': { confirm: true, artifact_id: 'inside:cmp' },
  runMtBench: { confirm: true },
  'runMtBench pack_id': { confirm: true, artifact_id: 'inside:cmp' },
  distillPreference: { namespace: 'inside', student_path: 'nano', objective: 'dpo' },
  distillOnPolicy: { namespace: 'inside', student_path: 'nano', teacher: 'nano' },
  receiveControlEvent: { namespace: 'inside', payload: { note: 'a note' } },
}
/** Fields of bodies and queries that name something which lies in a namespace. */
const NAMING_FIELDS: Readonly<Record<string, string>> = {
  concept_id: 'cpt',
  version_id: 'ver',
  artifact_cid: 'cid',
  artifact_id: 'cmp',
  target_id: 'cmp',
  batch_id: 'bat',
  capture_id: 'cap',
  observation_id: 'cap',
  cid: 'cid',
  a_cid: 'cid',
  b_cid: 'cid',
  artifact: 'cid',
  candidate_artifact: 'cmp',
  baseline_artifact: 'cmp',
  dataset_id: 'ds',
  pack_id: 'bpk',
}

/** A key that is bound to one namespace of a tenant, something of each kind in it, and in another one. */
export interface BoundKey {
  readonly key: string
  readonly namespace: string
  readonly inside: ReadonlyMap<string, string>
  readonly otherNamespace: string
  readonly outside: ReadonlyMap<string, string>
}

/** Calls of many routes, and the answers that were not as they must be. */
export interface Walk {
  readonly tried: readonly string[]
  readonly problems: readonly string[]
}

/** Status and code of an answer. */
export const seen = ({ status, body }: Answer) => [status, body.code]

type Caller = Pick<TestApi, 'call'>

/** Calls every route that is about the whole tenant: each must refuse the key, and say to which namespace it is bound. */
export async function walkRefused(api: Caller, { key, namespace }: BoundKey): Promise<Walk> {
  const problems: string[] = []
  for (const route of REFUSED) {
    const answer = await callRoute(api, key, route, pathOf(route), schemasOf(route).body ? { body: {} } : {})
    const isRight =
      isDeepStrictEqual(seen(answer), [403, 'insufficient_scope']) &&
      isDeepStrictEqual(answer.body.details, { bound_to: [namespace] })
    if (!isRight) problems.push(`${route.operationId}: ${answer.status} ${answer.text}`)
  }
  return { tried: REFUSED.map(({ operationId }) => operationId), problems }
}

/**
 * Names what lies outside in paths, queries and bodies: each is not found, in the same words as an id that nothing has.
 * Writes too, so what is outside must be compared afterwards.
 */
export async function walkOutside(api: Caller, bound: BoundKey): Promise<Walk> {
  const { key, namespace, outside } = bound
  const [tried, problems]: [string[], string[]] = [[], []]
  const artifact = idOf(outside, 'cmp')
  for (const route of BOUNDED) {
    const { operationId } = route
    if (pathTo(route, outside) !== pathOf(route)) {
      const foreign = await callRoute(api, key, route, pathTo(route, outside), bodyFor(route, bound))
      const isFound = operationId !== 'findByCid' && foreign.status !== 404
      if (isFound || foreign.text.includes(artifact)) problems.push(`${operationId}: ${foreign.status} ${foreign.text}`)
      tried.push(operationId)
    }
    const { body } = schemasOf(route)
    const shape: unknown = body !== undefined && 'shape' in body ? body.shape : {}
    for (const [field, kind] of Object.entries(NAMING_FIELDS)) {
      if (!Object.keys(Object(shape)).includes(field)) continue
      const id = idOf(outside, kind)
      // The key's own namespace, where a path names one.
      const path = pathOf(route).replace(/(?<=\/namespaces\/)\w+/, namespace)
      const foreign = await callRoute(api, key, route, path, bodyFor(route, bound, { [field]: id }))
      const unknown = await callRoute(api, key, route, path, bodyFor(route, bound, { [field]: unknownLike(id) }))
      if (foreign.status !== 404 || !isDeepStrictEqual(seen(foreign), seen(unknown)))
        problems.push(`${operationId} ${field}: ${foreign.text} and ${unknown.text}`)
      tried.push(`${operationId} ${field}`)
    }
  }
  return { tried, problems }
}

/** Reads every list and every sum: none shows anything of the other namespace. */
export async function walkLists(api: Caller, { key, otherNamespace, outside }: BoundKey): Promise<Walk> {
  const [tried, problems]: [string[], string[]] = [[], []]
  for (const route of BOUNDED.filter(({ method, params }) => method === 'get' && params === undefined)) {
    const answer = await callRoute(api, key, route, endingPathOf(route))
    if (schemasOf(route).query !== undefined && answer.status === 400) continue
    const shown = [...outside.values(), otherNamespace].filter((word) => answer.text.includes(word))
    if (answer.status !== 200 || shown.length > 0)
      problems.push(`${route.operationId}: ${answer.status} ${shown.join()} ${answer.text}`)
    tried.push(route.operationId)
  }
  return { tried, problems }
}

/** The rows that stand for what lies in a namespace, as text. */
export async function rowsOf(db: Database, things: ReadonlyMap<string, string>): Promise<readonly unknown[]> {
  return await Promise.all(
    ['compile_jobs', 'concepts', 'versions', 'artifacts', 'exports', 'share_links'].map(
      async (table) =>
        await sendSql(db, `select row_to_json(t)::text as row from ${table} t where id = any($1)`, [
          [...things.values()],
        ]),
    ),
  )
}

/** Calls a route with a key. */
export async function callRoute(api: Caller, key: string, route: Route, path: string, more: CallOptions = {}) {
  return await api.call(route.method.toUpperCase(), path, { key, ...more })
}

/** The path of a route with the ids of such things in it; that of `pathOf` where it names none. */
export function pathTo(route: Route, things: ReadonlyMap<string, string>): string {
  return pathOf(route)
    .replaceAll(/\b([a-z]{2,4})_[0-9a-hjkmnp-tv-z]{26}\b/g, (_whole, kind: string) => idOf(things, kind))
    .replace(/cidv1(:|%3A)sha256(:|%3A)[0-9a-f]{64}/, encodeURIComponent(idOf(things, 'cid')))
}

function bodyFor(route: Route, { namespace, inside }: BoundKey, fields: JsonObject = {}): { readonly body?: unknown } {
  if (schemasOf(route).body === undefined || route.method === 'get' || route.method === 'delete') return {}
  const [field] = Object.keys(fields)
  const completion = COMPLETIONS[`${route.operationId} ${field}`] ?? COMPLETIONS[route.operationId]
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'string') return value
    const kind = value.startsWith('inside:') ? value.slice('inside:'.length) : undefined
    return kind === undefined ? value.replace(/\binside$/, namespace) : idOf(inside, kind)
  }
  const filled = Object.entries(completion ?? {}).map(([name, value]) => [name, fill(value)])
  const rest = completion === undefined && field === undefined ? Object(bodyOf(route)) : Object.fromEntries(filled)
  return { body: { ...rest, ...fields } }
}

function idOf(things: ReadonlyMap<string, string>, kind: string): string {
  const id = things.get(kind)
  if (id === undefined) throw new Error(`no ${kind} lies in a namespace`)
  return id
}
