import { nounOf, RECIPE_KINDS } from '../../../../core/compile/rows/task.ts'

/** Returns the kind of a recipe as a noun for people. */
export function kindOf(kind: string): string {
  const known = RECIPE_KINDS.find((name) => name === kind)
  if (known === undefined) return kind
  return known === 'lora' ? 'adapter' : nounOf(known)
}
