import { hashJson } from '../../../kernel/json/json.ts'

/** Steps from an output to a value: names of members and places in lists. */
export type Path = readonly (string | number)[]

/** A leaf: the value at a path, or whether an optional value is there. */
export interface Place {
  readonly path: Path
  readonly part: 'value' | 'present'
}

/** Returns a path as an RFC 6901 pointer: `/lines/0/code`; the empty text for the whole output. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Returns a leaf in words, for errors and reports. */
export function describePlace({ path, part }: Place): string {
  const pointer = pointerOf(path)
  const name = pointer === '' ? 'the output' : pointer
  return part === 'value' ? name : `the presence of ${name}`
}

/** Returns the member with the weights of a leaf: `leaf-<hex digest of {part, path}>.bin`. */
export function memberOf({ path, part }: Place): string {
  return `leaf-${hashJson({ part, path: [...path] }).slice('sha256:'.length)}.bin`
}

const LEAF_MEMBER = /^leaf-[0-9a-f]{64}\.bin$/

/** The name of a member with the weights of a leaf. */
export type LeafMember = `leaf-${string}.bin`

/** Returns true for a name that a member with the weights of a leaf may have. */
export function isLeafMember(name: string): name is LeafMember {
  return LEAF_MEMBER.test(name)
}
