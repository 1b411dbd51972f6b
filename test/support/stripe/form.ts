/** A form as Stripe's interface takes it: names such as `metadata[a]` and `line_items[0][price]` nest. */
export type Form = { readonly [name: string]: Form | string }

/** Reads such a form. Lists become objects with the numbers as names. */
export function readForm(text: string): Form {
  const root: Record<string, unknown> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '')
    const last = path.pop()
    if (last === undefined || [...path, last].includes('__proto__')) continue
    let place = root
    for (const part of path) {
      const inner = place[part]
      const next: Record<string, unknown> = isRecord(inner) ? inner : {}
      place[part] = next
      place = next
    }
    place[last] = value
  }
  return root as Form
}

/** A text of a form; undefined for what is absent or nests. */
export function textOf(form: Form, name: string): string | undefined {
  const value = form[name]
  return typeof value === 'string' ? value : undefined
}

/** A nested form; empty when absent. */
export function partOf(form: Form, name: string): Form {
  const value = form[name]
  return typeof value === 'object' ? value : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
