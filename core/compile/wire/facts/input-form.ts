import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'

const VALUE_KINDS = ['text', 'number', 'boolean', 'null', 'list', 'object'] as const
type ValueKind = (typeof VALUE_KINDS)[number]

const Kinds = z.array(z.enum(VALUE_KINDS)).min(1)

/** The form of an artifact's inputs, as its held-out rows show it. */
export const InputForm = z
  .object({
    n: z.int().positive().meta({ description: 'Held-out rows that were looked at' }),
    kinds: Kinds.meta({ description: 'Kinds of their inputs, the most frequent first' }),
    fields: z
      .array(
        z
          .object({
            name: z.string(),
            kinds: Kinds,
            n: z.int().positive().meta({ description: 'Rows whose input has the field' }),
          })
          .meta({ id: 'InputField' }),
      )
      .optional()
      .meta({ description: 'Where every input is an object: its fields, in the order of the first row' }),
  })
  .meta({ id: 'InputForm', example: { n: 12, kinds: ['object'], fields: [{ name: 'city', kinds: ['text'], n: 12 }] } })
export type InputForm = z.infer<typeof InputForm>

/** Most fields of an object; more are data rather than a form. */
const MAX_FIELDS = 40

/** Returns the form of inputs; undefined without any. */
export function inputFormOf(inputs: readonly Json[]): InputForm | undefined {
  if (inputs.length === 0) return undefined
  const objects = inputs.filter(isJsonObject)
  const fields = objects.length === inputs.length ? fieldsOf(objects) : undefined
  return { n: inputs.length, kinds: kindsOf(inputs), ...(fields && { fields }) }
}

function fieldsOf(objects: readonly JsonObject[]): InputForm['fields'] {
  const values = new Map<string, Json[]>()
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const known = values.get(name)
      if (known === undefined) values.set(name, [value])
      else known.push(value)
    }
    if (values.size > MAX_FIELDS) return undefined
  }
  return [...values].map(([name, given]) => ({ name, kinds: kindsOf(given), n: given.length }))
}

function kindsOf(values: readonly Json[]): ValueKind[] {
  const counts = new Map<ValueKind, number>()
  for (const value of values) counts.set(kindOf(value), (counts.get(kindOf(value)) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([kind]) => kind)
}

function kindOf(value: Json): ValueKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  switch (typeof value) {
    case 'string':
      return 'text'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return 'object'
  }
}
