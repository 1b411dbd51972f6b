import SCIMMY from 'scimmy'
import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import type { Json, JsonObject } from '../../kernel/json/json.ts'
import { callLibrary } from './call-library.ts'
import type { ScimDirectory } from './directory.ts'
import { LIST_RESPONSE, Listed } from './list.ts'
import { readPatch } from './patch-operations.ts'
import { MAX_RESULTS, SCIM_RESOURCES, type ScimEndpoint } from './resources.ts'
import { requireSafeBody } from './safe-input.ts'
import { plainOf } from './user.ts'
import { named, readView, type ScimView } from './view.ts'

/** One resource. Throws `not_found`. */
export async function readResource(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  { id, ...view }: ScimView & { readonly id: string },
): Promise<JsonObject> {
  requireId(id)
  return await callLibrary(directory, {}, async (context) =>
    named(endpoint, plainOf(await new SCIM_RESOURCES[endpoint](id, readView(view)).read(context))),
  )
}

/** Makes a resource. */
export async function createResource(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  body: JsonObject,
): Promise<JsonObject> {
  requireSafeBody(endpoint, body)
  return await callLibrary(directory, {}, async (context) =>
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
  requireSafeBody(endpoint, body)
  return await callLibrary(directory, {}, async (context) =>
    plainOf(await new SCIM_RESOURCES[endpoint](id).write(structuredClone(body), context)),
  )
}

/** Patches a resource. Returns the resource afterwards, changed or not. */
export async function patchResource(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  { id, body }: { readonly id: string; readonly body: JsonObject },
): Promise<JsonObject> {
  requireId(id)
  requireSafeBody(endpoint, body)
  const patch = readPatch(body)
  return await callLibrary(directory, { isPatch: true }, async (context) => {
    const resource = new SCIM_RESOURCES[endpoint](id)
    await resource.patch(patch, context)
    return plainOf(await resource.read(context))
  })
}

/** Removes a resource. Throws `not_found`. */
export async function removeResource(directory: ScimDirectory, endpoint: ScimEndpoint, id: string): Promise<void> {
  requireId(id)
  await callLibrary(directory, {}, async (context) => await new SCIM_RESOURCES[endpoint](id).dispose(context))
}

/** Returns the service's capabilities, its resource types or their schemas. */
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
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such description')
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

/** The library turns an id into a filter, so an id must not contain filter syntax. */
function requireId(id: string): void {
  if (!/^[0-9a-z_]{1,64}$/.test(id)) throw KERNEL_ERRORS.not_found('no such resource')
}
