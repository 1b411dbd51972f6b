import SCIMMY from 'scimmy'
import { z } from 'zod'
import { DomainError } from '../../errors.ts'
import type { Json, JsonObject } from '../../json.ts'
import { ScimContext } from './context.ts'
import type { ScimDirectory } from './directory.ts'
import { parseFilter } from './filter.ts'
import { explainScim, refuseScim } from './refusal.ts'
import { MAX_RESULTS, SCIM_RESOURCES, type ScimEndpoint } from './resources.ts'
import { ENTERPRISE_USER, plainOf } from './user.ts'

/** What a caller wants to see of resources. */
export interface ScimView {
  readonly attributes?: string | undefined
  readonly excludedAttributes?: string | undefined
}

/** Which resources a caller wants, and which page of them; the page begins at 1. */
export interface ScimQuery extends ScimView {
  readonly filter?: string | undefined
  readonly sortBy?: string | undefined
  readonly sortOrder?: 'ascending' | 'descending' | undefined
  readonly startIndex?: number | undefined
  readonly count?: number | undefined
}

const DEFAULT_RESULTS = 100
const MAX_FILTER_CHARS = 1000
const MAX_OPERATIONS = 100
const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** A page of resources. Paging is done here: the library answers the first page for one beyond the last. */
export async function listResources(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  query: ScimQuery,
): Promise<JsonObject> {
  const { filter, sortBy, sortOrder } = query
  if (filter !== undefined) requireFilter(filter)
  const { Resources } = await run(directory, false, async (context) => {
    const resource = new SCIM_RESOURCES[endpoint](undefined, {
      ...viewOf(query),
      ...(filter !== undefined && { filter }),
      ...(sortBy !== undefined && { sortBy }),
      ...(sortOrder !== undefined && { sortOrder }),
      startIndex: 1,
      count: Number.MAX_SAFE_INTEGER,
    })
    return Listed.parse(plainOf(await resource.read(context)))
  })
  const startIndex = Math.max(query.startIndex ?? 1, 1)
  const count = Math.min(Math.max(query.count ?? DEFAULT_RESULTS, 0), MAX_RESULTS)
  const page = Resources.slice(startIndex - 1, startIndex - 1 + count).map((resource) => named(endpoint, resource))
  return {
    schemas: [LIST_RESPONSE],
    totalResults: Resources.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: page,
  }
}

/** Whatever the library has against a filter, the filter is to blame. Throws `invalid_value`. */
function requireFilter(filter: string): void {
  if (filter.length > MAX_FILTER_CHARS) {
    throw refuseScim('invalid_value', 'invalidFilter', `filter: at most ${MAX_FILTER_CHARS} characters`)
  }
  try {
    parseFilter(filter)
  } catch (error) {
    const said = error instanceof Error ? error.message : 'not a filter'
    throw refuseScim('invalid_value', 'invalidFilter', `filter: ${said}`)
  }
}

/** A narrower view leaves out what every representation must name (RFC 7643, 3). */
function named(endpoint: ScimEndpoint, resource: JsonObject): JsonObject {
  return 'schemas' in resource ? resource : { schemas: [SCIM_RESOURCES[endpoint].schema.definition.id], ...resource }
}

const Listed = z.object({ Resources: z.array(z.custom<JsonObject>((value) => typeof value === 'object')) })

/** One resource. Throws `not_found`. */
export async function readResource(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  { id, ...view }: ScimView & { readonly id: string },
): Promise<JsonObject> {
  requireId(id)
  return await run(directory, false, async (context) =>
    named(endpoint, plainOf(await new SCIM_RESOURCES[endpoint](id, viewOf(view)).read(context))),
  )
}

/** Makes a resource. */
export async function createResource(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  body: JsonObject,
): Promise<JsonObject> {
  return await run(directory, false, async (context) =>
    plainOf(await new SCIM_RESOURCES[endpoint]().write(structuredClone(body), context)),
  )
}

/** Puts a resource in place of one. */
export async function replaceResource(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  { id, body }: { readonly id: string; readonly body: JsonObject },
): Promise<JsonObject> {
  requireId(id)
  return await run(directory, false, async (context) =>
    plainOf(await new SCIM_RESOURCES[endpoint](id).write(structuredClone(body), context)),
  )
}

const PatchOperation = z.looseObject({ op: z.unknown(), path: z.unknown().optional(), value: z.unknown().optional() })
const Patch = z.object({
  schemas: z.tuple([z.literal('urn:ietf:params:scim:api:messages:2.0:PatchOp')]),
  Operations: z.array(PatchOperation).min(1).max(MAX_OPERATIONS),
})

/** Changes parts of a resource; answers what it is then, whether or not something changed. */
export async function patchResource(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  { id, body }: { readonly id: string; readonly body: JsonObject },
): Promise<JsonObject> {
  requireId(id)
  const message = Patch.safeParse(structuredClone(body))
  if (!message.success) {
    throw refuseScim(
      'invalid_value',
      'invalidSyntax',
      `the body must be a PatchOp of 1 to ${MAX_OPERATIONS} operations`,
    )
  }
  const { schemas, Operations } = message.data
  const operations = Operations.flatMap(readOperation)
  return await run(directory, true, async (context) => {
    const resource = new SCIM_RESOURCES[endpoint](id)
    await resource.patch({ schemas, Operations: operations }, context)
    return plainOf(await resource.read(context))
  })
}

/** What the library puts into every definition (RFC 7643, 3.1). */
const COMMON_ATTRIBUTES = new Set(['schemas', 'id', 'externalId', 'meta'])

const OPERATIONS = ['add', 'remove', 'replace'] as const

/** Some providers write operations with capitals, and booleans as texts. */
function readOperation(given: z.infer<typeof PatchOperation>, index: number) {
  const op = OPERATIONS.find((known) => known === String(given.op).toLowerCase())
  const isPathText = given.path === undefined || typeof given.path === 'string'
  if (op === undefined || !isPathText) {
    throw refuseScim('invalid_value', 'invalidSyntax', `operation ${index + 1} is none of add, remove and replace`)
  }
  const path = typeof given.path === 'string' ? given.path : undefined
  if (path?.toLowerCase() === ENTERPRISE_USER.toLowerCase()) return extensionOperations(op, given.value)
  const value = path?.toLowerCase() === 'active' ? readBoolean(given.value) : withActive(given.value)
  return [{ op, ...(path !== undefined && { path }), ...(value !== undefined && { value }) }]
}

/** The library neither removes an extension as a whole nor bears the names of schemas inside of one. */
function extensionOperations(op: (typeof OPERATIONS)[number], given: unknown) {
  if (op === 'remove') {
    const { attributes } = SCIMMY.Schemas.EnterpriseUser.definition
    const own = attributes.filter(({ name }) => !COMMON_ATTRIBUTES.has(name))
    return own.map(({ name }) => ({ op, path: `${ENTERPRISE_USER}:${name}` }))
  }
  const { schemas: _schemas, ...value } = z.looseObject({}).catch({}).parse(given)
  return [{ op, path: ENTERPRISE_USER, value }]
}

function withActive(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !('active' in value)) return value
  return { ...value, active: readBoolean(value.active) }
}

function readBoolean(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : value
}

/** Takes a resource away. Throws `not_found`. */
export async function removeResource(directory: ScimDirectory, endpoint: ScimEndpoint, id: string): Promise<void> {
  requireId(id)
  await run(directory, false, async (context) => await new SCIM_RESOURCES[endpoint](id).dispose(context))
}

/** What the service can do, its kinds of resources and their schemas. */
export async function describeScim(what: 'ServiceProviderConfig' | 'ResourceTypes' | 'Schemas'): Promise<JsonObject> {
  if (what === 'ServiceProviderConfig') return plainOf(await new SCIMMY.Resources.ServiceProviderConfig().read())
  const kind = what === 'Schemas' ? SCIMMY.Resources.Schema : SCIMMY.Resources.ResourceType
  const { Resources } = Listed.parse(plainOf(await new kind(undefined, { count: MAX_RESULTS }).read()))
  return {
    schemas: [LIST_RESPONSE],
    totalResults: Resources.length,
    startIndex: 1,
    itemsPerPage: Resources.length,
    Resources,
  }
}

/** One kind of resource by its name, or one schema by its URN. Throws `not_found`. */
export async function describeOne(what: 'ResourceTypes' | 'Schemas', id: string): Promise<JsonObject> {
  const { Resources } = Listed.parse(await describeScim(what))
  const found = Resources.find(
    (resource) => resource['id'] === id || (what === 'ResourceTypes' && resource['name'] === id),
  )
  if (found === undefined) throw new DomainError('not_found', 'no such description')
  return found
}

/** The same with addresses instead of paths (RFC 7643, 3.1: a location is the resource's URI). */
export function withAddresses(resource: Json, baseUrl: string): Json {
  if (Array.isArray(resource)) return resource.map((part: Json) => withAddresses(part, baseUrl))
  if (resource === null || typeof resource !== 'object') return resource
  return Object.fromEntries(
    Object.entries(resource).map(([name, value]) => {
      const isPath = (name === 'location' || name === '$ref') && typeof value === 'string'
      return [name, isPath && value.startsWith('/') ? baseUrl + value : withAddresses(value, baseUrl)] as const
    }),
  )
}

function viewOf({ attributes, excludedAttributes }: ScimView) {
  return {
    ...(attributes !== undefined && { attributes }),
    ...(excludedAttributes !== undefined && { excludedAttributes }),
  }
}

/** The library makes a filter of an id, so nothing that could be one gets there. */
function requireId(id: string): void {
  if (!/^[0-9a-z_]{1,64}$/.test(id)) throw new DomainError('not_found', 'no such resource')
}

async function run<T>(
  directory: ScimDirectory,
  isPatch: boolean,
  work: (context: ScimContext) => Promise<T>,
): Promise<T> {
  const context = new ScimContext(directory, isPatch)
  try {
    return await work(context)
  } catch (error) {
    // What a handler threw counts before what the library made of it.
    const cause = context.failure === undefined ? error : context.failure.error
    throw explainScim(cause) ?? cause
  }
}
