import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'

/** An id in a body of responses that names what is kept elsewhere. */
export interface IdPlace {
  readonly kind: 'response' | 'conversation' | 'item' | 'approval' | 'container'
  readonly id: string
  /** The item of the input that holds it; null outside of the input. */
  readonly item: JsonObject | null
  /** The member that holds it, below its item or its tool. */
  readonly member: string
}

/** Returns the id that stands in the place from now on. */
type MapId = (place: IdPlace) => string
type MapMember = (value: Json) => Json

/** Members of a tool with the caller's own names. */
export const OF_THE_CALLER: ReadonlySet<string> = new Set([
  'function',
  'parameters',
  'input_schema',
  'functionDeclarations',
])

/** Replaces the ids of a body of responses; what has none stays the same object. */
export function mapIds(body: JsonObject, map: MapId): JsonObject {
  const outside = { item: null, map }
  return mapMembers(body, {
    previous_response_id: idMapper('response', 'previous_response_id', outside),
    conversation: (value) =>
      isJsonObject(value)
        ? mapMembers(value, { id: idMapper('conversation', 'id', outside) })
        : idMapper('conversation', 'conversation', outside)(value),
    input: (value) => mapEach(value, (item) => mapItemIds(item, map)),
    tools: (value) => mapEach(value, (tool) => mapToolIds(tool, outside)),
  })
}

/** Returns the places of the ids of a body of responses, in its order. */
export function idPlaces(body: JsonObject): readonly IdPlace[] {
  const places: IdPlace[] = []
  mapIds(body, (place) => {
    places.push(place)
    return place.id
  })
  return places
}

function mapItemIds(item: JsonObject, map: MapId): JsonObject {
  const within = { item, map }
  return mapMembers(item, {
    id: idMapper('item', 'id', within),
    approval_request_id: idMapper('approval', 'approval_request_id', within),
    container_id: idMapper('container', 'container_id', within),
    environment: (value) =>
      isJsonObject(value)
        ? mapMembers(value, { container_id: idMapper('container', 'environment.container_id', within) })
        : value,
  })
}

function mapToolIds(tool: JsonObject, outside: Within): JsonObject {
  const { container } = tool
  const mapped = mapNested(tool, outside)
  const kept = container === undefined ? container : idMapper('container', 'container', outside)(container)
  return typeof container !== 'string' || kept === undefined || kept === container
    ? mapped
    : { ...mapped, container: kept }
}

/** A container may be named anywhere below a tool. */
function mapNested(value: JsonObject, outside: Within): JsonObject {
  const names = Object.keys(value).filter((name) => !OF_THE_CALLER.has(name))
  const mappers = names.map((name): readonly [string, MapMember] => [
    name,
    name === 'container_id'
      ? idMapper('container', name, outside)
      : (member) => (isJsonObject(member) ? mapNested(member, outside) : member),
  ])
  return mapMembers(value, Object.fromEntries(mappers))
}

interface Within {
  readonly item: JsonObject | null
  readonly map: MapId
}

function idMapper(kind: IdPlace['kind'], member: string, { item, map }: Within): MapMember {
  return (value) => (typeof value === 'string' ? map({ kind, id: value, item, member }) : value)
}

function mapMembers(object: JsonObject, mappers: Readonly<Record<string, MapMember>>): JsonObject {
  const changed = Object.entries(mappers).flatMap(([name, map]) => {
    const value = object[name]
    if (value === undefined) return []
    const mapped = map(value)
    return mapped === value ? [] : [[name, mapped] as const]
  })
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) }
}

function mapEach(value: Json, map: (entry: JsonObject) => JsonObject): Json {
  if (!Array.isArray(value)) return value
  const entries = value as readonly Json[]
  const mapped = entries.map((entry) => (isJsonObject(entry) ? map(entry) : entry))
  return mapped.some((entry, i) => entry !== entries[i]) ? mapped : value
}
