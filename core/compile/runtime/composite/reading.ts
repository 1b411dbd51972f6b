import { MODEL_ERRORS } from '../../../model/errors.ts'
import { describePlace, pointerOf, type Place } from './places.ts'

/** A leaf as far as its reading of others goes. */
interface Reader {
  /** Pointers of the leaves that it reads. */
  readonly reads: readonly string[]
}

/**
 * Returns the leaves that each leaf reads, as their numbers by pointer. Throws `recipe_failed` when a leaf reads one that is
 * not there or not always there, or when leaves refer to each other in a circle.
 */
export function readingOf(
  places: readonly (Place & { readonly isOptional: boolean })[],
  readers: readonly Reader[],
): readonly ReadonlyMap<string, number>[] {
  const readable = new Map<string, number>()
  for (const [number, place] of places.entries()) {
    if (place.part === 'value' && !place.isOptional) readable.set(pointerOf(place.path), number)
  }
  const nameOf = (number: number): string => {
    const place = places[number]
    return place === undefined ? '' : describePlace(place)
  }
  const reads = readers.map((reader, number) => {
    const found = new Map<string, number>()
    for (const pointer of reader.reads) {
      const read = readable.get(pointer)
      if (read === undefined) {
        throw refused(`${nameOf(number)} reads ${pointer}, which is no leaf that always has a value`)
      }
      if (found.has(pointer)) throw refused(`${nameOf(number)} reads ${pointer} twice`)
      found.set(pointer, read)
    }
    return found
  })
  const state = new Map<number, 'open' | 'done'>()
  const way: number[] = []
  const visit = (number: number): void => {
    if (state.get(number) === 'done') return
    way.push(number)
    if (state.get(number) === 'open') {
      const circle = way.slice(way.indexOf(number)).map(nameOf)
      throw refused(`its leaves refer to each other in a circle: ${circle.join(' reads ')}`)
    }
    state.set(number, 'open')
    for (const read of reads[number]?.values() ?? []) visit(read)
    state.set(number, 'done')
    way.pop()
  }
  for (const number of readers.keys()) visit(number)
  return reads
}

function refused(what: string): Error {
  return MODEL_ERRORS.recipe_failed(`composite recipe is not well formed: ${what}`)
}
