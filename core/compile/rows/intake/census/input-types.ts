import { invalidField } from '../../../../kernel/errors.ts'
import type { Json } from '../../../../kernel/json/json.ts'

const NOUNS = {
  text: 'a text',
  number: 'a number',
  boolean: 'a boolean',
  null: 'null',
  list: 'a list',
  object: 'an object',
} as const
type InputType = keyof typeof NOUNS

function typeOf(input: Json): InputType {
  if (input === null) return 'null'
  if (typeof input === 'string') return 'text'
  if (typeof input === 'number') return 'number'
  if (typeof input === 'boolean') return 'boolean'
  return Array.isArray(input) ? 'list' : 'object'
}

/** Checks over a whole dataset that unlabelled inputs are of a type that inputs of rows have. */
export class InputTypes {
  readonly #given = new Set<InputType>()
  /** The first unlabelled input of each type. */
  readonly #unlabelled = new Map<InputType, string>()

  /** Takes the input of a row. */
  add(input: Json): void {
    this.#given.add(typeOf(input))
  }

  /** Takes an unlabelled input with its place. */
  addUnlabelled(input: Json, field: string): void {
    const type = typeOf(input)
    if (!this.#unlabelled.has(type)) this.#unlabelled.set(type, field)
  }

  /** Throws `validation_failed`, naming the field, for an unlabelled input of a type that no row has. */
  check(): void {
    for (const [type, field] of this.#unlabelled) {
      if (this.#given.has(type)) continue
      const given = [...this.#given].map((one) => NOUNS[one]).join(' or ')
      throw invalidField(field, `is ${NOUNS[type]}; the inputs of the examples are each ${given}`)
    }
  }
}
