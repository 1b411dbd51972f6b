import { ACCOUNTS_ERRORS } from '../errors.ts'
import { setImmediate as giveWay } from 'node:timers/promises'
import { z } from 'zod'
import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { ScimDirectory, ScimFound, ScimWanted } from './directory.ts'
import { CORE_SCHEMA, readFilter } from './filter.ts'
import { writeGroup } from './group.ts'
import { refuseScim } from './refusal.ts'
import { MAX_RESULTS, SCIM_RESOURCES, type ScimEndpoint } from './resources.ts'
import { requireSafeName } from './safe-input.ts'
import { callLibrary } from './call-library.ts'
import { plainOf, writeUser } from './user.ts'
import { named, readView, type ScimView } from './view.ts'

/** Filter, order and page of a list request; pages start at 1. */
export interface ScimQuery extends ScimView {
  readonly filter?: string | undefined
  readonly sortBy?: string | undefined
  readonly sortOrder?: 'ascending' | 'descending' | undefined
  readonly startIndex?: number | undefined
  readonly count?: number | undefined
}

const DEFAULT_RESULTS = 100
/** The schema of a list. */
export const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
/** Resources that are looked through between two looks into the database. */
const SCANNED_AT_ONCE = 100
/** Resources that the library writes before it yields: it takes milliseconds for one with many parts. */
const WRITTEN_AT_ONCE = 4

/**
 * Returns a page of resources. The library writes only the page; it receives neither the other resources nor a filter.
 */
export async function listResources(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  query: ScimQuery,
): Promise<JsonObject> {
  const view = readView(query)
  const startIndex = Math.max(query.startIndex ?? 1, 1)
  const count = Math.min(Math.max(query.count ?? DEFAULT_RESULTS, 0), MAX_RESULTS)
  const { items, total } = await select(directory, endpoint, { ...query, page: { skip: startIndex - 1, take: count } })
  const written: JsonObject[] = []
  for (let at = 0; at < items.length; at += WRITTEN_AT_ONCE) {
    await giveWay()
    written.push(...(await write(directory, endpoint, { view, listed: items.slice(at, at + WRITTEN_AT_ONCE) })))
  }
  return {
    schemas: [LIST_RESPONSE],
    totalResults: total,
    startIndex,
    itemsPerPage: written.length,
    Resources: written.map((resource) => named(endpoint, resource)),
  }
}

/** A list as the library writes it. */
export const Listed = z.object({ Resources: z.array(z.custom<JsonObject>((value) => typeof value === 'object')) })

async function write(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  { view, listed }: { readonly view: ReturnType<typeof readView>; readonly listed: readonly JsonObject[] },
): Promise<readonly JsonObject[]> {
  return await callLibrary(directory, { listed }, async (context) => {
    const resource = new SCIM_RESOURCES[endpoint](undefined, { ...view, startIndex: 1, count: listed.length })
    return Listed.parse(plainOf(await resource.read(context))).Resources
  })
}

/**
 * Selects the resources of a page. The database filters and pages if the filter is one comparison that it supports and
 * no other order is requested; otherwise all resources are scanned, a few at a time. Throws `invalid_value` (`tooMany`)
 * for too many.
 */
async function select(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  { filter: text, sortBy, sortOrder, page }: ScimQuery & { readonly page: NonNullable<ScimWanted['page']> },
): Promise<ScimFound<JsonObject>> {
  const filter = text === undefined ? null : readFilter(text)
  const equals = filter?.equals ?? null
  if (sortBy === undefined && (filter === null || equals !== null)) {
    return await read(directory, endpoint, { equals, page })
  }
  const found: JsonObject[] = []
  for (let skip = 0, total = 1; skip < total; skip += SCANNED_AT_ONCE) {
    const some = await read(directory, endpoint, { equals, page: { skip, take: SCANNED_AT_ONCE } })
    total = some.total
    if (total > directory.mostScanned) {
      throw refuseScim(ACCOUNTS_ERRORS.invalid_value, 'tooMany', `more than ${directory.mostScanned} resources`)
    }
    found.push(...some.items.filter((item) => filter === null || equals !== null || filter.matches(item)))
  }
  const ordered = sortBy === undefined ? found : sorted(found, { sortBy, isDescending: sortOrder === 'descending' })
  return { items: ordered.slice(page.skip, page.skip + page.take), total: found.length }
}

async function read(
  directory: ScimDirectory,
  endpoint: ScimEndpoint,
  wanted: ScimWanted,
): Promise<ScimFound<JsonObject>> {
  if (endpoint === 'Users') {
    const { items, total } = await directory.listUsers(wanted)
    return { items: items.map(writeUser), total }
  }
  const { items, total } = await directory.listGroups(wanted)
  return { items: items.map(writeGroup), total }
}

/** RFC 7644, 3.4.2.3: resources without the attribute come last, or first in descending order. */
function sorted(
  resources: readonly JsonObject[],
  { sortBy, isDescending }: { readonly sortBy: string; readonly isDescending: boolean },
): readonly JsonObject[] {
  requireSafeName(sortBy, 'invalidValue')
  const path = sortBy.replace(CORE_SCHEMA, '').split('.')
  const keyed = resources.map((resource) => ({ resource, key: keyOf(resource, path) }))
  const ascending = keyed.toSorted((one, other) => compare(one.key, other.key))
  return (isDescending ? ascending.toReversed() : ascending).map(({ resource }) => resource)
}

/** The text that a resource is ordered by; of a list, that of its primary element, or else the first. */
function keyOf(value: Json | undefined, path: readonly string[]): string | null {
  if (Array.isArray(value)) {
    const primary = value.find((one: Json) => isObject(one) && one['primary'] === true) ?? value[0]
    return keyOf(primary, path.length === 0 ? ['value'] : path)
  }
  const [name, ...rest] = path
  if (name === undefined)
    return value === undefined || value === null || typeof value === 'object' ? null : String(value).toLowerCase()
  if (!isObject(value)) return null
  const own = Object.keys(value).find((key) => key.toLowerCase() === name.toLowerCase())
  return own === undefined ? null : keyOf(value[own], rest)
}

function compare(one: string | null, other: string | null): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  return one < other ? -1 : 1
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
