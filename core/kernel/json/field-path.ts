/**
 * Returns the path of a field as errors name it: `examples[3].output`. `root` is the start of the path, such as
 * `line[3]`; the root `body` is omitted, except for an empty path.
 */
export function fieldPath(path: readonly PropertyKey[], root: string): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  if (root !== 'body') return root + steps
  return steps.replace(/^\./, '') || root
}
