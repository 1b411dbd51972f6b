import { membersOf, type Value } from './values.ts'

/** Parameters of a method or a filter. */
export interface Parameters {
  readonly names: readonly string[]
  /** Number of them that a call must give. */
  readonly least: number
  /** Whether a call may name them; most methods of Python take them by place alone. */
  readonly areNamed: boolean
}

/** Reads parameters from a text: names in their order, `?` after those that may be left out, `*` before all that may be named. */
export function parameters(text: string): Parameters {
  const words = text.split(' ').filter((word) => word !== '')
  const areNamed = words[0] === '*'
  const given = areNamed ? words.slice(1) : words
  return {
    names: given.map((word) => word.replace('?', '')),
    least: given.filter((word) => !word.endsWith('?')).length,
    areNamed,
  }
}

/** Puts the arguments of a call in the order of its parameters. Throws an `Error` for those that it does not take, as Python does. */
export function inOrder(name: string, { names, least, areNamed }: Parameters, args: readonly Value[]) {
  const last = args.at(-1)
  const named = last?.type === 'KeywordArgumentsValue' ? membersOf(last) : null
  const placed: (Value | undefined)[] = named === null ? [...args] : args.slice(0, -1)
  if (placed.length > names.length)
    throw new Error(`calls ${name} with ${placed.length} arguments: it takes ${names.length}`)
  for (const [parameter, value] of named ?? []) {
    const place = areNamed ? names.indexOf(parameter) : -1
    if (place < 0) throw new Error(`calls ${name} with ${parameter}=, which it does not take`)
    if (placed[place] !== undefined) throw new Error(`calls ${name} with two values of ${parameter}`)
    placed[place] = value
  }
  for (const [place, parameter] of names.slice(0, least).entries()) {
    if (placed[place] === undefined) throw new Error(`calls ${name} without ${parameter}`)
  }
  return placed
}
