import { invalidField } from '../../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { refuseField } from '../fields.ts'
import { outputOf, saidIn, withoutId, type KeptResponse } from './kept-turns.ts'
import { inputItems, isReference, namesOutput, ownName } from './references.ts'

const NOT_KEPT =
  'names a response of this service that is not kept, or no longer: send its items themselves, as clients do with store: false'

/** The turns of an earlier response that the input of a request begins with. */
export interface Before {
  /** The name of the response. */
  readonly name: string
  /** True where the request names it; else its items seem to repeat the conversation up to its end. */
  readonly isNamed: boolean
  /** The number of their items. */
  readonly items: number
}

/** A request after its references were put in place. */
export interface Expanded {
  readonly body: JsonObject
  /** Characters of what was put in place, as JSON. */
  readonly chars: number
  /** Null where the request goes on from no response of this service. */
  readonly before: Before | null
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
  const name = typeof previous === 'string' ? ownName(previous) : null
  const items = Array.isArray(input) ? (input as readonly Json[]) : []
  if (name === null && !items.some((item) => ownNameOf(item) !== null)) return { body, chars: 0, before: null }
  const find = finderIn(kept, mostChars)
  const expanded = items.map((item, i): readonly Json[] =>
    ownNameOf(item) === null ? [item] : expandedItem(item, `input[${i}]`, find),
  )
  if (name === null) {
    const before = repeatedIn(items, expanded)
    return { body: { ...body, input: expanded.flat() }, chars: find.chars(), before }
  }
  const found = kept.get(name)
  if (found === undefined || found.input === null) return refuseField('previous_response_id', NOT_KEPT)
  const said = saidIn(found).map((item) => find.counted(item))
  const asked = typeof input === 'string' ? inputItems(input) : expanded.flat()
  return {
    body: { ...rest, input: [...said, ...asked] },
    chars: find.chars(),
    before: { name, isNamed: true, items: said.length },
  }
}

/** Returns the id of the last item in a request that a response of this service had in its output; null without one. */
export function lastOwnOutput({ input }: JsonObject): string | null {
  const items = Array.isArray(input) ? (input as readonly Json[]) : []
  const last = items.findLast((item) => isOwnOutput(item))
  return last !== undefined && isJsonObject(last) && typeof last['id'] === 'string' ? last['id'] : null
}

/** The turns that the last item of an own output ends. */
function repeatedIn(items: readonly Json[], expanded: readonly (readonly Json[])[]): Before | null {
  const at = items.findLastIndex((item) => isOwnOutput(item))
  const name = at < 0 ? null : ownNameOf(items[at] ?? null)
  if (name === null) return null
  return { name, isNamed: false, items: expanded.slice(0, at + 1).flat().length }
}

function isOwnOutput(item: Json): boolean {
  return isJsonObject(item) && typeof item['id'] === 'string' && namesOutput(item['id'])
}

function ownNameOf(item: Json): string | null {
  return isJsonObject(item) && typeof item['id'] === 'string' ? ownName(item['id']) : null
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
  const { id } = item
  if (!isReference(item)) return withoutId(item)
  const named = typeof id === 'string' ? find.item(id) : undefined
  return named === undefined ? refuseField(field, NOT_KEPT) : withoutId(find.counted(named))
}

/** The items of a kept response with their ids: those of the input, then those of the output. */
function listedItems(kept: KeptResponse): readonly JsonObject[] {
  return [...listedInput(kept), ...outputOf(kept.response)]
}

/** The input items of a kept response, with ids. */
export function listedInput({ input, response }: KeptResponse): readonly JsonObject[] {
  const name = typeof response['id'] === 'string' ? ownName(response['id']) : ''
  return (input ?? []).map((item, i) => ({ ...item, id: `msg_${name}_i${i}` }))
}
