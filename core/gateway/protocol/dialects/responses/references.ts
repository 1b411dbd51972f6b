import { invalidField } from '../../../../kernel/errors.ts'
import { newId } from '../../../../kernel/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { refuseField } from '../fields.ts'
import { idPlaces, type IdPlace } from './id-places.ts'

/** A response that this service keeps. */
export interface KeptResponse {
  /** The question, earlier turns included; null where that was too long, or is not needed: then there is the output alone. */
  readonly input: readonly JsonObject[] | null
  readonly response: JsonObject
}

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
const NOT_KEPT =
  'names a response of this service that is not kept, or no longer: send its items themselves, as clients do with store: false'

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

/** True for an item that a provider understands without its id. */
function saysAll(item: JsonObject): boolean {
  const members = SELF_CONTAINED.get(item['type'])
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

/** A request after its references were put in place. */
export interface Expanded {
  readonly body: JsonObject
  /** Characters of what was put in place, as JSON. */
  readonly chars: number
}

/**
 * Returns a request with the responses and items of this service in place of their ids: any provider can then be asked. Throws
 * `not_translatable` for one that is not kept, and `validation_failed` where more than `mostChars` would be put in place, since
 * one id may stand there often; `kept` finds by the name of the response.
 */
export function expandReferences(
  body: JsonObject,
  kept: ReadonlyMap<string, KeptResponse>,
  mostChars: number,
): Expanded {
  const { previous_response_id: previous, ...rest } = body
  const { input } = body
  const before = typeof previous === 'string' ? ownName(previous) : null
  const items = Array.isArray(input) ? (input as readonly Json[]) : []
  const isOurs = (item: Json) => isJsonObject(item) && typeof item['id'] === 'string' && ownName(item['id']) !== null
  if (before === null && !items.some((item) => isOurs(item))) return { body, chars: 0 }
  const find = finderIn(kept, mostChars)
  const expanded = items.flatMap((item, i): readonly Json[] =>
    isOurs(item) ? expandedItem(item, `input[${i}]`, find) : [item],
  )
  if (before === null) return { body: { ...body, input: expanded }, chars: find.chars() }
  const found = kept.get(before) ?? refuseField('previous_response_id', NOT_KEPT)
  const turns = found.input ?? refuseField('previous_response_id', NOT_KEPT)
  const said: readonly Json[] = [...turns, ...outputOf(found)].flatMap((item) => withoutId(find.counted(item)))
  const asked = typeof input === 'string' ? inputItems(input) : expanded
  return { body: { ...rest, input: [...said, ...asked] }, chars: find.chars() }
}

/** Finds kept items by their ids, and counts what is put in place. */
interface ItemFinder {
  item(id: string): JsonObject | undefined
  /** Returns the item. Throws `validation_failed` where it is too much. */
  counted(item: JsonObject): JsonObject
  chars(): number
}

function finderIn(kept: ReadonlyMap<string, KeptResponse>, mostChars: number): ItemFinder {
  const listed = new Map<string, ReadonlyMap<Json | undefined, JsonObject>>()
  const lengths = new Map<JsonObject, number>()
  let chars = 0
  return {
    item(id) {
      const name = ownName(id) ?? ''
      const found = kept.get(name)
      if (found === undefined) return undefined
      const items = listed.get(name) ?? new Map(listedItems(found).map((item) => [item['id'], item] as const))
      listed.set(name, items)
      return items.get(id)
    },
    counted(item) {
      const length = lengths.get(item) ?? JSON.stringify(item).length
      lengths.set(item, length)
      chars += length
      if (chars > mostChars) {
        throw invalidField('input', `names earlier items of more than ${mostChars} characters in all: name fewer`)
      }
      return item
    },
    chars: () => chars,
  }
}

function expandedItem(item: Json, field: string, find: ItemFinder): readonly JsonObject[] {
  if (!isJsonObject(item)) return []
  const { id, type } = item
  const isReference = (type === 'item_reference' || SELF_CONTAINED.has(type)) && !saysAll(item)
  if (!isReference) return withoutId(item)
  const named = typeof id === 'string' ? find.item(id) : undefined
  return named === undefined ? refuseField(field, NOT_KEPT) : withoutId(find.counted(named))
}

function isReasoning(item: Json): boolean {
  return isJsonObject(item) && item['type'] === 'reasoning'
}

/** Without its id, which another provider does not know; reasoning has no meaning there either. */
function withoutId({ id: _id, ...item }: JsonObject): readonly JsonObject[] {
  return isReasoning(item) ? [] : [item]
}

function outputOf({ response }: KeptResponse): readonly JsonObject[] {
  return inputItems(response['output']).filter((item) => isJsonObject(item))
}

/** Returns a kept response with its output alone, the items of which calls may name. */
export function outputAlone({ response: { id = null, output = null } }: Pick<KeptResponse, 'response'>): KeptResponse {
  return { input: null, response: { id, output } }
}

/** The items of a kept response with their ids: those of the input, then those of the output. */
function listedItems(kept: KeptResponse): readonly JsonObject[] {
  return [...listedInput(kept), ...outputOf(kept)]
}

/** The input items of a kept response, with ids. */
export function listedInput({ input, response }: KeptResponse): readonly JsonObject[] {
  const name = typeof response['id'] === 'string' ? ownName(response['id']) : ''
  return (input ?? []).map((item, i) => ({ ...item, id: `msg_${name}_i${i}` }))
}
