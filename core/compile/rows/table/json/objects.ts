import { invalidField } from '../../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import type { Cell, TableRecord, TableSource } from '../records.ts'
import { parseItem, type ItemBounds, type JsonItem } from './json-items.ts'

/** An object of a file and its line. */
export interface PlacedObject {
  readonly line: number
  readonly value: JsonObject
}

/** Yields the objects of a file. Throws with line and column for what is no JSON object. */
export async function* objectsOf(items: AsyncIterable<JsonItem>, bounds: ItemBounds): AsyncGenerator<PlacedObject> {
  for await (const item of items) {
    const value: Json = parseItem(item, bounds)
    if (!isJsonObject(value)) {
      throw invalidField(`line[${item.line}]`, 'must be an object, such as {"input": "…", "output": "…"}')
    }
    yield { line: item.line, value }
  }
}

/** Returns the objects of a file as a table whose columns are their members. */
export function tableOfObjects(objects: () => AsyncIterable<PlacedObject>, maxColumns: number): TableSource {
  const places = new Map<string, number>()
  const toRecord = ({ line, value }: PlacedObject): TableRecord => {
    const entries = Object.entries(value)
    for (const [name] of entries) {
      if (places.has(name)) continue
      if (places.size >= maxColumns) {
        throw invalidField(`line[${line}]`, `has the member ${name} beyond ${maxColumns} different ones; remove some`)
      }
      places.set(name, places.size)
    }
    const cells: Cell[] = Array.from({ length: places.size })
    for (const [name, cell] of entries) cells[places.get(name) ?? 0] = cell
    return { line, cells }
  }
  return {
    kind: 'objects',
    async *records() {
      for await (const object of objects()) yield toRecord(object)
    },
    names: () => [...places.keys()],
    placeOf: (line) => `line[${line}]`,
  }
}
