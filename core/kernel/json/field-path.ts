/**
 * The path of a field as errors name it: `examples[3].output`. `root` is what the path starts from, such as `line[3]`;
 * `body` is the root that is not written out, and stands for a path without steps.
 */
export function fieldPath(path: readonly PropertyKey[], root: string): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
  if (root !== 'body') return root + steps
  return steps.replace(/^\./, '') || root
}
