import { inSlices } from '../threads/fair/in-slices.ts'
import type { Json } from './json.ts'

/** Characters of JSON from which on a part is kept apart. */
const PART_CHARS = 64 * 1024

/**
 * A large value in parts that take little work each, to be put together elsewhere: a long text, or a list or an object whose
 * parts are runs of small entries as JSON, and large entries in outline.
 */
export type JsonOutline =
  | { readonly kind: 'json'; readonly json: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly parts: readonly (string | JsonOutline)[] }
  | { readonly kind: 'object'; readonly parts: readonly (string | NamedOutline)[] }

interface NamedOutline {
  readonly name: string
  readonly outline: JsonOutline
}

/** Divides a value. */
export function outlineOf(value: Json): JsonOutline {
  const folded = fold(value)
  return typeof folded === 'string' ? { kind: 'json', json: folded } : folded
}

/** Returns the JSON of a small value, and the outline of a large one. */
function fold(value: Json): string | JsonOutline {
  if (typeof value === 'string' && value.length > PART_CHARS) return { kind: 'text', text: value }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    const runs = new Runs<JsonOutline>('[', ']')
    for (const entry of list) {
      const folded = fold(entry)
      if (typeof folded === 'string') runs.add(folded)
      else runs.addLarge(folded)
    }
    return runs.small() ?? { kind: 'list', parts: runs.end() }
  }
  const runs = new Runs<NamedOutline>('{', '}')
  for (const [name, member] of Object.entries(value)) {
    const folded = fold(member)
    if (typeof folded === 'string') runs.add(`${JSON.stringify(name)}:${folded}`)
    else runs.addLarge({ name, outline: folded })
  }
  return runs.small() ?? { kind: 'object', parts: runs.end() }
}

/** Entries in their order, small ones together. */
class Runs<Large> {
  readonly #open: string
  readonly #close: string
  readonly #parts: (string | Large)[] = []
  #run = ''

  constructor(open: string, close: string) {
    this.#open = open
    this.#close = close
  }

  add(json: string): void {
    this.#run += this.#run === '' ? json : `,${json}`
    if (this.#run.length > PART_CHARS) this.#flush()
  }

  addLarge(large: Large): void {
    this.#flush()
    this.#parts.push(large)
  }

  /** All entries as JSON; undefined when they are large. */
  small(): string | undefined {
    return this.#parts.length === 0 ? this.#open + this.#run + this.#close : undefined
  }

  end(): readonly (string | Large)[] {
    this.#flush()
    return this.#parts
  }

  #flush(): void {
    if (this.#run !== '') this.#parts.push(this.#open + this.#run + this.#close)
    this.#run = ''
  }
}

/** Puts a value together while the event loop turns. */
export async function fromOutline(outline: JsonOutline): Promise<Json> {
  const whole: { value?: Json } = {}
  await inSlices(
    build(outline, (value) => (whole.value = value)),
    () => undefined,
  )
  return whole.value ?? null
}

function* build(outline: JsonOutline, done: (value: Json) => void): Generator<void> {
  switch (outline.kind) {
    case 'json': {
      done(JSON.parse(outline.json))
      break
    }
    case 'text': {
      done(outline.text)
      break
    }
    case 'list': {
      const list: Json[] = []
      for (const part of outline.parts) {
        if (typeof part !== 'string') yield* build(part, (value) => list.push(value))
        else for (const entry of JSON.parse(part) as readonly Json[]) list.push(entry)
        yield
      }
      done(list)
      break
    }
    case 'object': {
      const object: Record<string, Json> = {}
      for (const part of outline.parts) {
        if (typeof part === 'string') Object.assign(object, JSON.parse(part))
        else yield* build(part.outline, (value) => (object[part.name] = value))
        yield
      }
      done(object)
    }
  }
}
