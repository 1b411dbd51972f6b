import { newId } from '../../../../kernel/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { idPlaces, type IdPlace } from './id-places.ts'

/** Ids of responses and items that were written here: the name of the response, and the item's place in it. */
const OURS = /^[a-z]{2,8}_(svc[0-9a-z]{26})(?:_[0-9i]{1,12})?$/
/** Items that say all by themselves, with the members that say it: their ids refer to nothing. */
const SELF_CONTAINED: ReadonlyMap<Json | undefined, readonly string[]> = new Map<Json | undefined, readonly string[]>([
  [undefined, ['role', 'content']],
  ['message', ['role', 'content']],
  ['function_call', ['call_id', 'name', 'arguments']],
  ['function_call_output', ['call_id', 'output']],
  ['custom_tool_call', ['call_id', 'name', 'input']],
  ['custom_tool_call_output', ['call_id', 'output']],
])

/** Returns a new id for a response that is written here; those of its items have the same name. */
export function newResponseId(): string {
  return `resp_svc${newId('inf').slice('inf_'.length)}`
}

/** Returns the name of the response of an id that was given here; null for an id of a provider. */
export function ownName(id: string): string | null {
  return OURS.exec(id)?.[1] ?? null
}

/** True for an id that was given here to an item of an output. */
export function namesOutput(id: string): boolean {
  return ownName(id) !== null && /_\d+$/.test(id)
}

/** The input of a request as items. */
export function inputItems(input: Json | undefined): readonly Json[] {
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  }
  return Array.isArray(input) ? (input as readonly Json[]) : []
}

/** True for an item that stands for another one by its id. */
export function isReference(item: JsonObject): boolean {
  const { type } = item
  return (type === 'item_reference' || SELF_CONTAINED.has(type)) && !saysAll(item)
}

/** True for reasoning. */
export function isReasoning(item: Json): boolean {
  return isJsonObject(item) && item['type'] === 'reasoning'
}

/** Returns the members that say all of an item of a type; undefined where an id is needed, or the type is not known. */
export function membersThatSay(type: Json | undefined): readonly string[] | undefined {
  return SELF_CONTAINED.get(type)
}

/** True for an item that a provider understands without its id. */
function saysAll(item: JsonObject): boolean {
  const members = membersThatSay(item['type'])
  return members !== undefined && members.every((name) => item[name] !== undefined && item[name] !== null)
}

/** True for an id that a provider needs; an item that says all, or is sealed itself, refers to nothing by its own. */
function isNeeded({ kind, item }: IdPlace): boolean {
  if (kind !== 'item' || item === null) return true
  const { type, encrypted_content: sealed } = item
  const isSealed = type === 'reasoning' && typeof sealed === 'string' && sealed !== ''
  return !saysAll(item) && !isSealed
}

/** Returns the ids by which an item needs what is kept elsewhere, with the path of each below the item's own. */
export function needsOf(item: Json): readonly (readonly [id: string, path: string])[] {
  return idPlaces({ input: [item] }).flatMap((place) => {
    if (!isNeeded(place)) return []
    const { kind, id, member } = place
    return [[id, kind === 'item' && place.item?.['type'] === 'item_reference' ? '' : `.${member}`] as const]
  })
}

/** True for a body that a provider understands only with what it keeps itself; a container holds nothing that was said. */
export function needsEarlier(body: JsonObject): boolean {
  return referencesIn(body).some(({ kind }) => kind !== 'container')
}

/** Returns the ids in a request that refer to what an earlier answer left: each as often as it stands there. */
export function referencesIn(body: JsonObject): readonly IdPlace[] {
  // Reasoning that was written here goes to no provider.
  return idPlaces(body).filter(
    (place) => isNeeded(place) && !(place.item !== null && isReasoning(place.item) && ownName(place.id) !== null),
  )
}

/** Ids that a provider gave in a response. */
export interface GivenIds {
  readonly response: string
  readonly items: readonly string[]
  /** Ids of containers, which other responses may share. */
  readonly containers: readonly string[]
}

/** Returns the ids that a provider gave in a response; null for one without an id. */
export function idsIn(response: Json | undefined): GivenIds | null {
  if (response === undefined || !isJsonObject(response)) return null
  const { id, output } = response
  if (typeof id !== 'string' || id === '') return null
  const places = idPlaces({ input: inputItems(output) })
  const idsOf = (wanted: IdPlace['kind']) => [
    ...new Set(places.filter(({ kind, id: given }) => kind === wanted && given !== '').map(({ id: given }) => given)),
  ]
  return { response: id, items: idsOf('item'), containers: idsOf('container') }
}
